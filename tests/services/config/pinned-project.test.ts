import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { changedLine, changedSettings } from "../../../src/services/config/changed-settings.ts";
import { pinnedToStart } from "../../../src/services/config/pinned-project.ts";
import { tempProject } from "../../support/temp-project.ts";
import { readLayers } from "./support.ts";

const FILE = "repo/.quoll/settings.json";

/** The line for the person, and the rules and some settings in force, after a project's or the user's file changed in a session. */
async function changed(file: string, before: object, after: object | undefined) {
  await using project = await tempProject({ [file]: JSON.stringify(before) });
  const start = (await readLayers(project))(true);
  if (after) await project.write(file, JSON.stringify(after));
  else await rm(project.path(file));
  const merge = await readLayers(project);
  const loaded = merge(true, pinnedToStart(start.layers));
  const { settings, rules } = loaded;
  return {
    line: changedLine(changedSettings(start, loaded, merge(true)), ["f"]),
    rules: rules.map(({ decision, rule }) => `${decision} ${rule}`),
    settings,
  };
}

const permissions = (part: object) => ({ permissions: part });

test.each([
  [
    "a new allow rule of the project waits",
    {},
    permissions({ allow: ["A"] }),
    [],
    "At the next start: permissions.allow + A.",
  ],
  [
    "a new deny rule of the project counts",
    permissions({ allow: ["A"] }),
    permissions({ allow: ["A"], deny: ["D"] }),
    ["allow A", "deny D"],
    "In effect now: permissions.deny + D.",
  ],
  [
    "an allow rule that the project takes out ends",
    permissions({ allow: ["A", "B"] }),
    permissions({ allow: ["B"] }),
    ["allow B"],
    "In effect now: permissions.allow − A.",
  ],
  [
    "a deny rule that the project takes out stays",
    permissions({ deny: ["D"] }),
    {},
    ["deny D"],
    "At the next start: permissions.deny − D.",
  ],
  [
    "a project that replaces everything can only tighten",
    permissions({ deny: ["D"], allow: ["A"] }),
    permissions({ deny: ["E"], allow: ["B"] }),
    ["deny D", "deny E"],
    "In effect now: permissions.allow − A, permissions.deny + E. At the next start: permissions.deny − D, permissions.allow + B.",
  ],
] as const)("%s", async (_, before, after, rules, line) => {
  const result = await changed(FILE, before, after);
  expect(result.rules.toSorted()).toEqual([...rules].toSorted());
  expect(result.line).toBe(`Settings changed in f. ${line}`);
});

test("a setting of the project that was changed keeps its value, and a restriction that was taken out stays", async () => {
  const { settings, line } = await changed(
    FILE,
    { model: "a", sandbox: { enabled: true }, spend: { dayUsd: 1 }, tools: { bashTimeoutMs: 5 } },
    { model: "b", spend: { dayUsd: 9 }, env: { X: "1" } },
  );
  expect(settings).toMatchObject({ model: "a", sandbox: { enabled: true }, spend: { dayUsd: 1 }, tools: {}, env: {} });
  expect(line).toBe(
    "Settings changed in f. In effect now: tools.bashTimeoutMs. At the next start: model, sandbox.enabled, spend.dayUsd, env.X.",
  );
});

test.each([{}, undefined])(
  "restrictions of the only settings file stay after it was emptied or deleted: %p",
  async (after) => {
    const { settings } = await changed(
      FILE,
      { ...permissions({ disableAutoMode: "disable" }), sandbox: { enabled: true }, spend: { dayUsd: 1 }, model: "a" },
      after,
    );
    expect(settings).toMatchObject({ autoDisabled: true, sandbox: { enabled: true }, spend: { dayUsd: 1 } });
    expect(settings.model).toBeUndefined();
  },
);

test("deny rules of another tool's file in the project stay until the next start", async () => {
  const file = "repo/.claude/settings.json";
  const { rules } = await changed(file, permissions({ deny: ["D"] }), permissions({ deny: ["E"] }));
  expect(rules).toEqual(["deny D", "deny E"]);
});

test("the user's own file loosens at once", async () => {
  const { rules, line } = await changed("config/settings.json", permissions({ deny: ["D"] }), {
    ...permissions({ allow: ["A"] }),
    model: "x",
  });
  expect(rules).toEqual(["allow A"]);
  expect(line).toBe(
    "Settings changed in f. In effect now: permissions.deny − D, permissions.allow + A. At the next start: model.",
  );
});

test("a changed hook is reported by its key, not by a part of its JSON", async () => {
  const hook = { type: "command", command: `check ${"all ".repeat(30)}` };
  const hooks = { hooks: { Stop: [{ hooks: [hook] }] } };
  const { line } = await changed("config/settings.json", {}, hooks);
  expect(line).toBe("Settings changed in f. In effect now: hooks.Stop.");
  // A project's hook waits for its approval.
  expect((await changed(FILE, {}, hooks)).line).toBe("Settings changed in f. At the next start: hooks.Stop.");
});

test("hooks of one event in the user's and the project's file are reported on both lists", async () => {
  const hooks = (command: string) => JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
  await using project = await tempProject({});
  const start = (await readLayers(project))(true);
  await project.write("config/settings.json", hooks("mine"));
  await project.write(FILE, hooks("theirs"));
  const merge = await readLayers(project);
  expect(changedSettings(start, merge(true, pinnedToStart(start.layers)), merge(true))).toEqual({
    now: ["hooks.Stop"],
    atNextStart: ["hooks.Stop"],
  });
});

test("a change of comments is not reported", async () => {
  expect((await changed(FILE, { model: "a" }, { model: "a", $schema: "x" })).line).toBeUndefined();
});
