import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import type { SettingScope } from "../../../src/contracts/setting-sources.ts";
import { setSetting, settingValue, unsetSetting } from "../../../src/services/config/edit-settings.ts";
import { findSettingKey } from "../../../src/services/config/setting-keys.ts";
import { tempProject } from "../../support/temp-project.ts";
import { failure } from "./support.ts";

const WRITTEN = `{
\t// why this model
\t"model": "old", /* stays */
\t"permissions": {
\t\t"deny": ["Bash(rm *)"] // and this
\t}
}
`;

function edit(file: string, name: string, scope: SettingScope = "user") {
  const key = findSettingKey(name);
  return {
    set: (typed: string, adds = false) => setSetting({ scope, file, key }, settingValue(key, typed, adds), adds),
    unset: (item?: string) => unsetSetting({ scope, file, key }, item),
  };
}

describe("a change of a settings file", () => {
  test("keeps comments, order and indentation", async () => {
    await using project = await tempProject({ "s.json": WRITTEN });
    const file = project.path("s.json");
    expect(await edit(file, "model").set("new")).toEqual({ before: "old", after: "new" });
    await edit(file, "permissions.deny").set("Read(.env)", true);
    await edit(file, "spend.dayUsd").set("2.5");
    expect(await project.read("s.json")).toBe(`{
\t// why this model
\t"model": "new", /* stays */
\t"permissions": {
\t\t"deny": [
\t\t\t"Bash(rm *)",
\t\t\t"Read(.env)"
\t\t] // and this
\t},
\t"spend": {
\t\t"dayUsd": 2.5
\t}
}
`);
  });

  test("adds an item to a list only once, and removes it", async () => {
    await using project = await tempProject();
    const file = project.path("s.json");
    for (const _ of [1, 2]) await edit(file, "permissions.ask").set("Bash(git push *)", true);
    expect(JSON.parse(await project.read("s.json"))).toEqual({ permissions: { ask: ["Bash(git push *)"] } });
    await edit(file, "permissions.ask").unset("Bash(git push *)");
    expect(JSON.parse(await project.read("s.json"))).toEqual({ permissions: { ask: [] } });
    expect(await edit(file, "permissions.ask").unset("other")).toEqual({ before: [], after: [] });
  });

  test("removes a whole key", async () => {
    await using project = await tempProject({ "s.json": WRITTEN });
    await edit(project.path("s.json"), "permissions").unset();
    expect(await project.read("s.json")).not.toContain("permissions");
    expect(await project.read("s.json")).toContain("// why this model");
  });

  test("takes a name with a dot in quotes", async () => {
    await using project = await tempProject();
    await edit(project.path("s.json"), 'models."gpt-5.1".contextWindow').set("1000");
    expect(JSON.parse(await project.read("s.json"))).toEqual({ models: { "gpt-5.1": { contextWindow: 1000 } } });
  });

  test("leaves a malformed file alone", async () => {
    await using project = await tempProject({ "s.json": '{ "model": ' });
    const { message } = await failure(edit(project.path("s.json"), "model").set("x"));
    expect(message).toContain("s.json:1:");
    expect(await project.read("s.json")).toBe('{ "model": ');
  });

  test("keeps the mode of a project's file, and makes the user's file private", async () => {
    await using project = await tempProject({ "shared.json": "{}" });
    const mode = statSync(project.path("shared.json")).mode;
    await edit(project.path("shared.json"), "language", "project").set("German");
    expect(statSync(project.path("shared.json")).mode).toBe(mode);
    await edit(project.path("user.json"), "language").set("German");
    expect(statSync(project.path("user.json")).mode & 0o777).toBe(0o600);
  });
});

describe("a change is refused when", () => {
  test.each([
    ["model", "user", "", 'model must be some text, not "".'],
    ["spend.dayUsd", "user", "much", 'spend.dayUsd must be a number, not "much".'],
    ["permissions.deny", "user", "Bash", 'permissions.deny must be a list as JSON; --add adds one value, not "Bash".'],
    [
      "permissions.defaultMode",
      "project",
      "bypassPermissions",
      'A project\'s file may not set permissions.defaultMode to "bypassPermissions": use --scope user or --scope own.',
    ],
    ["env.PATH", "project", "/x", 'A project\'s file may not set env.PATH to "/x": use --scope user or --scope own.'],
    [
      "apiKeyHelper",
      "project",
      "x",
      'A project\'s file may not set apiKeyHelper to "x": use --scope user or --scope own.',
    ],
    [
      "permissions.allowManagedPermissionRulesOnly",
      "user",
      "true",
      "Only the managed file may set permissions.allowManagedPermissionRulesOnly.",
    ],
    [
      "sandbox.agreed",
      "own",
      "{}",
      "sandbox.agreed holds an answer that you gave to a question: only the question sets it.",
    ],
  ] as const)("%s of the file %s is set to %j", async (name, scope, typed, line) => {
    await using project = await tempProject({ "s.json": "{}" });
    const set = async () => edit(project.path("s.json"), name, scope).set(typed);
    expect(await failure(set())).toEqual({ message: line, exitCode: 2 });
    expect(await project.read("s.json")).toBe("{}");
  });

  test.each([
    ["permisions.allow", "permissions.allow"],
    ["allow", "permissions.allow"],
    ["spend.dayusd", "spend.dayUsd"],
  ])("the key is %s, with the nearest key", async (name, nearest) => {
    const find = async () => findSettingKey(name);
    expect((await failure(find())).message).toBe(`There is no setting "${name}": did you mean ${nearest}?`);
  });
});
