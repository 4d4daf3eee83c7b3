import { describe, expect, test } from "bun:test";
import { configCommand } from "../../src/commands/config.ts";
import { NAMED_SETTINGS, settingChoices } from "../../src/commands/config-switches.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";
import type { Setting } from "../../src/contracts/setting.ts";
import { SETTINGS } from "../../src/contracts/settings-table.ts";
import type { SettingEdit, SettingRow } from "../../src/contracts/settings-view.ts";

const row = (key: string, changes: Partial<SettingRow> = {}): SettingRow => ({
  ...{ key, description: `About ${key}`, type: "a text", values: [], overridden: [], isList: false, isLive: false },
  ...changes,
});
const ROWS: readonly SettingRow[] = [
  row("model", { value: '"opus"', source: "~/user.json:2", scope: "user", overridden: ["~/old.json:1"] }),
  row("tools.bashWakes", {
    value: "true",
    values: ["true", "false"],
    source: "~/own.json:3",
    scope: "own",
    isLive: true,
  }),
  row("destructiveGuard", { values: ["on", "off"], type: "on or off" }),
  row("permissions.deny", {
    ...{ isList: true, value: '"Read(x)", "Read(y)"', source: "~/user.json:4", scope: "user" },
    items: [
      { value: '"Read(x)"', source: "~/user.json:4", scope: "user" },
      { value: '"Read(y)"', source: "/etc/managed.json:1" },
    ],
  }),
  row("env.API_TOKEN", { value: '"[hidden]"', isHidden: true, source: "~/user.json:9", scope: "user" }),
];

function place(more: Partial<CommandContext> = {}) {
  const edits: SettingEdit[] = [];
  const context = {
    ...more,
    models: { list: () => ["opus", "haiku", "opus-2"] },
    settings: async () => ({
      files: { user: "~/user.json", project: "shop/.quoll/settings.json", own: "~/own.json" },
      list: async () => ROWS,
      describe: (key: string) => {
        if (key === "sandbox.enabled") return row(key);
        throw new UserFacingError(`There is no setting "${key}"`);
      },
      edit: async (edit: SettingEdit) => {
        if (edit.what === "set" && edit.value === "wrong") throw new UserFacingError("It must be a number.");
        edits.push(edit);
        return { lines: [`${edit.key} written`], warnings: [], isSame: false, isLive: edit.key === "tools.bashWakes" };
      },
    }),
  } as unknown as CommandContext;
  const { signal } = new AbortController();
  const run = (argument: string) => configCommand.run(argument, context, signal);
  return { edits, run, signal };
}

function asList(result: CommandResult) {
  if (result.kind !== "choose") throw new Error(`It is ${result.kind}.`);
  return result;
}

test("the list has every setting with its value and source, and says what it is, what does not count, and when it acts", async () => {
  const { choices } = asList(await place().run(""));
  expect(choices.map(({ label, detail }) => [label, detail])).toEqual([
    ["Model at the start", "opus · ~/user.json:2"],
    ["tools.bashWakes", "true · ~/own.json:3"],
    ["destructiveGuard", "default"],
    ["permissions.deny", '"Read(x)", "Read(y)" · ~/user.json:4'],
    ["env.API_TOKEN", '"[hidden]" · ~/user.json:9'],
  ]);
  const about = choices.map((choice) => choice.about?.join(" ") ?? "");
  expect(about[0]).toContain("About model");
  expect(about[0]).toContain("set in ~/user.json:2, not ~/old.json:1");
  const linked = { ...row("agent"), description: "The agent ([agents](../agents.md)), as in [the guide](../start.md)" };
  const [choice] = settingChoices([linked], "user", { user: "u", project: "p", own: "o" });
  expect(choice?.about?.[0]).toBe("The agent, as in the guide.");
  expect([about[0]?.includes("next start"), about[1]?.includes("next start")]).toEqual([true, false]);
});

test("Enter switches what is on or off, and the list comes back with what was written", async () => {
  const { run, edits } = place();
  const before = asList(await run(""));
  const back = asList(await run(before.choices[1]?.input.slice("/config".length) ?? ""));
  expect(edits).toEqual([{ what: "set", key: "tools.bashWakes", scope: "user", value: "false", adds: false }]);
  expect([back.title, back.before]).toEqual([before.title, ["tools.bashWakes written"]]);
  expect(asList(await run("model haiku")).before).toEqual(["model written, from the next start on"]);
});

test("a key of the list resets in the person's file that holds the value", async () => {
  const { run, edits } = place();
  const { choices } = asList(await run(""));
  await run(choices[1]?.also?.["r"]?.slice("/config".length) ?? "");
  expect(edits).toEqual([{ what: "unset", key: "tools.bashWakes", scope: "own" }]);
});

test("another key of the list chooses the next file, and changes go there", async () => {
  const { run, edits } = place();
  const inputs: (string | undefined)[] = [];
  for (const scope of ["", "--scope project", "--scope own"])
    inputs.push(asList(await run(scope)).shortcuts?.find(({ letter }) => letter === "p")?.input);
  expect(inputs).toEqual(["/config --scope project", "/config --scope own", "/config"]);
  await run("--scope own model best");
  expect(edits).toEqual([{ what: "set", key: "model", scope: "own", value: "best", adds: false }]);
  await expect(run("--scope there")).rejects.toThrow("choose user, project, own");
});

test("a choice opens its values, and Esc goes back", async () => {
  const list = asList(await place().run("destructiveGuard"));
  expect(list.choices.map(({ label, input, isCurrent }) => [label, input, isCurrent])).toEqual([
    ["on", "/config destructiveGuard on", undefined],
    ["off", "/config destructiveGuard off", undefined],
    ["default", "/config destructiveGuard --unset", true],
  ]);
  expect(list.back).toBe("/config");
});

test("a text is edited in a line, which keeps a wrong value and tells why; a credential is not shown there", async () => {
  const { run, edits, signal } = place();
  const form = await run("model");
  if (form.kind !== "form") throw new Error(form.kind);
  expect([form.fields[0]?.value, form.back]).toEqual(["opus", "/config"]);
  const again = await form.submit({ value: "wrong" }, signal);
  if (again.kind !== "form") throw new Error(again.kind);
  expect(again.fields[0]).toMatchObject({ value: "wrong", problem: "It must be a number." });
  expect(asList(await again.submit({ value: "haiku" }, signal)).title).toBe("Settings");
  expect(edits).toMatchObject([{ key: "model", value: "haiku" }]);
  const secret = await run("env.API_TOKEN");
  expect(secret.kind === "form" && secret.fields[0]?.value).toBeUndefined();
});

test("the field of the model suggests the known names", async () => {
  const { run, signal } = place();
  const form = await run("model");
  if (form.kind !== "form") throw new Error(form.kind);
  expect([form.title, await form.fields[0]?.suggest?.("Op", {}, signal)]).toEqual([
    "Model at the start (model)",
    ["opus", "opus-2"],
  ]);
  const other = await run("env.API_TOKEN");
  expect(other.kind === "form" && other.fields[0]?.suggest).toBeUndefined();
});

test("of a list, the person's own values are removed and new ones added; others are read-only", async () => {
  const { run, edits, signal } = place();
  const list = asList(await run("permissions.deny"));
  expect(list.choices.map(({ label, input }) => [label, input])).toEqual([
    ["add a value …", "/config permissions.deny --add"],
    ["Read(x)", "/config permissions.deny --remove Read(x)"],
    ["Read(y)", "/config permissions.deny"],
  ]);
  const form = await run("permissions.deny --add");
  if (form.kind !== "form") throw new Error(form.kind);
  expect(form.back).toBe("/config permissions.deny");
  expect(asList(await form.submit({ value: "Read(z)" }, signal)).back).toBe("/config");
  await run("permissions.deny --remove Read(x)");
  expect(edits).toEqual([
    { what: "set", key: "permissions.deny", scope: "user", value: "Read(z)", adds: true },
    { what: "unset", key: "permissions.deny", scope: "user", value: "Read(x)" },
  ]);
});

describe("what the session takes at once", () => {
  const THEMES = ["auto", "dark"];
  function session() {
    const values = new Map<string, string>();
    const used: string[] = [];
    const rowsNow = () =>
      ["terminal.theme", "terminal.editorMode", "outputStyle"].map((key) => {
        const value = values.get(key);
        const choices = { "terminal.theme": THEMES, "terminal.editorMode": ["plain", "vim"] }[key] ?? [];
        return row(key, { values: choices, ...(value && { value: JSON.stringify(value), source: "~/user.json:1" }) });
      });
    const context = {
      settings: async () => ({
        files: { user: "~/user.json", project: "p.json", own: "~/own.json" },
        list: async () => rowsNow(),
        edit: async (edit: SettingEdit) => {
          if (edit.what === "set") values.set(edit.key, edit.value);
          else values.delete(edit.key);
          return { lines: [`${edit.key} written`], warnings: [], isSame: false, isLive: false };
        },
      }),
      engine: { state: { usedTokens: 0 } },
      themes: {
        list: async () => ({ current: "auto", themes: THEMES.map((name) => ({ name, extends: name })), problems: [] }),
        use: async (name: string) => used.push(`theme ${name}`),
      },
      editorModes: { current: "plain", use: (mode: string) => used.push(`keys ${mode}`) },
      outputStyles: {
        current: "default",
        list: async () => [{ name: "brief", description: "Few words" }],
        use: async (name: string) => {
          if (name === "busy") throw new UserFacingError("A turn runs.");
          used.push(`style ${name}`);
        },
      },
    } as unknown as CommandContext;
    const run = (argument: string) => configCommand.run(argument, context, new AbortController().signal);
    return { run, used };
  }

  test("is chosen in the list of settings, which stays open and shows the new value", async () => {
    const { run, used } = session();
    const themes = asList(await run("terminal.theme"));
    expect(themes.title).toBe("Theme (terminal.theme)");
    expect([themes.back, themes.choices.map(({ input }) => input), themes.choices[1]?.theme?.name]).toEqual([
      "/config",
      ["/config terminal.theme auto", "/config terminal.theme dark"],
      "dark",
    ]);
    const styles = asList(await run("outputStyle"));
    expect(styles.choices[1]).toMatchObject({ detail: "Few words", input: "/config outputStyle brief" });
    const lists = [];
    for (const words of ["terminal.theme dark", "terminal.editorMode vim", "outputStyle brief"])
      lists.push(asList(await run(words)));
    expect(used).toEqual(["theme dark", "keys vim", "style brief"]);
    expect(lists.map(({ title, before }) => [title, before])).toEqual(
      ["terminal.theme", "terminal.editorMode", "outputStyle"].map((key) => ["Settings", [`${key} written`]]),
    );
    const rows = new Map(lists.at(-1)?.choices.map(({ label, detail, input }) => [label, [detail, input]]));
    expect(rows.get("Theme")).toEqual(["dark · ~/user.json:1", "/config terminal.theme"]);
    expect(rows.get("Vim keys")).toEqual(["on · ~/user.json:1", "/config terminal.editorMode plain"]);
    expect(lists[0]?.choices.every(({ about = [] }) => about.some((line) => line.includes("acts at once")))).toBe(true);
  });

  test("goes back to its default when it is reset", async () => {
    const { run, used } = session();
    await run("terminal.theme dark");
    await run("terminal.theme --unset");
    expect(used).toEqual(["theme dark", "theme auto"]);
  });

  test("is saved for the next start, and said, if it can't be used now", async () => {
    const { before = [] } = asList(await session().run("outputStyle busy"));
    expect(before).toEqual(["outputStyle written", "A turn runs.", "The change takes effect at the next start."]);
  });
});

test.each([
  [true, "in the sandbox"],
  [false, "without a sandbox"],
])("a change of the sandbox says what the commands of this session run in (in use: %p)", async (isInUse, where) => {
  const sandbox = async () => ({ findings: [], isSwitchedOff: false, isInUse });
  const { run } = place({ sandbox });
  const { before } = asList(await run("sandbox.enabled false"));
  const later = `Commands of this session still run ${where}: the change takes effect at the next start (\`quoll --continue\`).`;
  expect(before).toEqual(["sandbox.enabled written", later]);
});

test("an unknown setting is refused", async () => {
  await expect(place().run("modle")).rejects.toThrow('no setting "modle"');
});

test("the words of the shell's `quoll config` work too: set, get, unset", async () => {
  const { run, edits } = place();
  await run("set model opus");
  await run("unset model");
  expect(edits).toEqual([
    { what: "set", key: "model", scope: "user", value: "opus", adds: false },
    { what: "unset", key: "model", scope: "user" },
  ]);
  expect(asList(await run("list")).choices).toHaveLength(5);
});

describe("the settings with a name in words", () => {
  const flag = (key: string, value?: string) =>
    row(key, {
      values: ["true", "false"],
      type: "true or false",
      ...(value !== undefined && { value, source: "~/user.json:1" }),
    });
  const view = { files: { user: "~/user.json", project: "p.json", own: "~/own.json" } };
  const listed = (...rows: readonly SettingRow[]) => settingChoices(rows, "user", view.files);

  test("come first, in their order, with the value that applies; typing still finds the key", () => {
    const rows = [row("agent"), flag("terminal.title"), flag("compaction.idle", "true"), row("terminal.theme")];
    expect(listed(...rows).map(({ label, detail, input }) => [label, detail, input])).toEqual([
      ["Theme", "auto", "/config terminal.theme"],
      ["State in the window title", "on", "/config terminal.title false"],
      ["Compact a resting conversation", "on · ~/user.json:1", "/config compaction.idle false"],
      ["agent", "default", "/config agent"],
    ]);
    expect(listed(flag("terminal.title"))[0]?.about).toContain(
      "terminal.title · true or false · acts at the next start",
    );
    expect(settingChoices([flag("terminal.title", "false")], "own", view.files)[0]?.input).toBe(
      "/config --scope own terminal.title true",
    );
  });

  test("are not switched by one key where that could lose work", () => {
    expect(listed(flag("checkpoints.enabled"))[0]?.input).toBe("/config checkpoints.enabled");
  });

  test.each(NAMED_SETTINGS.map(({ key, byDefault }) => [key, byDefault] as const))(
    "%s exists, and its default is %s",
    (key, byDefault) => {
      const setting = settingAt(key);
      const about = setting.about ?? "";
      const isTold = [`(default ${byDefault}`, `(default: ${byDefault.slice(0, 6)}`, `(default: \`${byDefault}`];
      const isMarked = new RegExp(`\`${byDefault}\`[^;]*\\(default`).test(about);
      const isKnown = isMarked || isTold.some((words) => about.includes(words)) || KNOWN.get(key) === byDefault;
      expect({ key, about, isKnown }).toEqual({ key, about, isKnown: true });
    },
  );

  /** Defaults that the text of the setting says in other words, or not at all. */
  const KNOWN = new Map([
    ["model", "chosen by the provider"],
    ["permissions.defaultMode", "default"],
    ["terminal.respondToShell", "false"],
  ]);

  function settingAt(key: string): Setting {
    let setting: Setting = SETTINGS;
    for (const name of key.split(".")) {
      const next: Setting | undefined = setting.type === "object" ? setting.keys[name] : undefined;
      if (!next) throw new Error(`There is no setting ${key}.`);
      setting = next;
    }
    return setting;
  }
});
