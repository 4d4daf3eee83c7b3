import { expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { loadSettings, type SettingsFlags } from "../../../src/services/config/load-settings.ts";
import { settingsPaths } from "../../../src/services/config/settings-paths.ts";
import { tempProject } from "../../support/temp-project.ts";

type Project = Awaited<ReturnType<typeof tempProject>>;

/** Every layer lies in the temporary folder; the managed one too. */
function load(project: Project, flags: SettingsFlags = {}) {
  const root = project.path("repo");
  const places = { config: project.path("config"), projectRoot: root, projectId: "repo-1", platform: "linux" };
  const paths = { ...settingsPaths(places), managed: project.path("managed.json") };
  return loadSettings({ paths, projectRoot: root, cwd: root, home: "/home/ann", flags });
}

async function failure(work: Promise<unknown>): Promise<{ message: string; exitCode: number }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserFacingError) return { message: error.message, exitCode: error.exitCode };
    throw error;
  }
  throw new Error("did not fail");
}

const EMPTY = { additionalDirectories: [], bypassDisabled: false, env: {}, tools: {} };

test("without any file the settings are empty", async () => {
  await using project = await tempProject();
  expect(await load(project)).toEqual({ settings: EMPTY, rules: [], warnings: [] });
});

test("the highest scalar wins and lists are joined, in the order of the layers", async () => {
  await using project = await tempProject({
    "config/settings.json": `{
      "model": "user", "env": { "A": "user", "B": "user" }, "tools": { "bashTimeoutMs": 1, "bashMaxTimeoutMs": 2 },
      "permissions": { "allow": ["Read"], "defaultMode": "plan", "additionalDirectories": ["../docs", "~/notes", "/abs"] }
    }`,
    "config/projects/repo-1.json":
      '{ "model": "own", "permissions": { "allow": ["Bash(own)"], "defaultMode": "acceptEdits" } }',
    "given.json": '{ "model": "given", "env": { "B": "given" }, "tools": { "bashTimeoutMs": 9 } }',
    "managed.json": '{ "permissions": { "deny": ["Bash(x)"], "disableBypassPermissionsMode": "disable" } }',
  });
  const { settings, rules, warnings } = await load(project, {
    settings: "../given.json",
    additionalDirectories: ["lib"],
  });
  expect(settings).toEqual({
    model: "given",
    defaultMode: "acceptEdits",
    additionalDirectories: [project.path("docs"), "/home/ann/notes", "/abs", project.path("repo/lib")],
    bypassDisabled: true,
    env: { A: "user", B: "given" },
    tools: { bashTimeoutMs: 9, bashMaxTimeoutMs: 2 },
  });
  const base = project.path("repo");
  expect(rules).toEqual([
    { rule: "Read", decision: "allow", file: project.path("config/settings.json"), line: 3, base },
    { rule: "Bash(own)", decision: "allow", file: project.path("config/projects/repo-1.json"), line: 1, base },
    { rule: "Bash(x)", decision: "deny", file: project.path("managed.json"), line: 1, base },
  ]);
  expect(warnings).toEqual([]);
});

test("flags outrank files, and the managed file outranks flags", async () => {
  await using project = await tempProject({ "config/settings.json": '{ "model": "user" }' });
  const flags: SettingsFlags = { model: "flag", permissionMode: "plan", allow: ["Read"], deny: ["Bash(rm *)"] };
  const before = await load(project, flags);
  expect([before.settings.model, before.settings.defaultMode]).toEqual(["flag", "plan"]);
  expect(before.rules).toEqual([
    { rule: "Bash(rm *)", decision: "deny", file: "--disallowed-tools", base: project.path("repo") },
    { rule: "Read", decision: "allow", file: "--allowed-tools", base: project.path("repo") },
  ]);
  await project.write("managed.json", '{ "model": "managed", "permissions": { "defaultMode": "default" } }');
  const after = await load(project, flags);
  expect([after.settings.model, after.settings.defaultMode]).toEqual(["managed", "default"]);
});

test("of a project only deny and ask rules are taken, and one warning says what was ignored", async () => {
  await using project = await tempProject({
    "repo/.quoll/settings.json": `{
      // a stranger's wishes
      "model": "theirs", "env": { "PATH": "/evil" }, "tools": { "bashTimeoutMs": 5 },
      "permissions": {
        "allow": ["Bash"], "defaultMode": "bypassPermissions", "additionalDirectories": ["/"],
        "deny": ["Read(./.env)"],
        "ask": [
          "Bash(git push *)",
        ],
      },
    }`,
  });
  const file = project.path("repo/.quoll/settings.json");
  const base = project.path("repo");
  expect(await load(project)).toEqual({
    settings: EMPTY,
    rules: [
      { rule: "Read(./.env)", decision: "deny", file, line: 6, base },
      { rule: "Bash(git push *)", decision: "ask", file, line: 8, base },
    ],
    warnings: [
      `${file}: ignored, since only permissions.deny and permissions.ask are read from a project: model, env, tools, permissions.allow, permissions.defaultMode, permissions.additionalDirectories. Put them into your own settings.`,
    ],
  });
});

test("deny and ask rules of a neighbouring tool's settings hold at once, its other parts are not looked at", async () => {
  await using project = await tempProject({
    "repo/.claude/settings.json":
      '{ "hooks": [1], "model": 7, "permissions": { "deny": ["Read(x)"], "allow": ["Bash"] } }',
    "repo/.claude/settings.local.json": '{ "permissions": { "ask": ["Bash(y)"], "defaultMode": "auto" } }',
  });
  const { settings, rules, warnings } = await load(project);
  expect([settings, warnings]).toEqual([EMPTY, []]);
  expect(rules.map(({ rule, decision, file }) => [rule, decision, file])).toEqual([
    ["Read(x)", "deny", project.path("repo/.claude/settings.json")],
    ["Bash(y)", "ask", project.path("repo/.claude/settings.local.json")],
  ]);
});

test("a neighbouring tool's file that can't be parsed stops the start: its deny rules could be lost", async () => {
  await using project = await tempProject({ "repo/.claude/settings.json": '{ "permissions": { "deny": [' });
  expect((await failure(load(project))).exitCode).toBe(2);
});

test.each([
  ['{\n  "model": "x"\n  "env": {}\n}', "3:3: expected a comma."],
  ['{ "model": x }', "1:12: expected a value (a word without quotes stands here)."],
  ['{ "model" "x" }', "1:11: expected a colon."],
  ['{ "permissions": { "deny": ["a" ', "1:33: expected a closing bracket ]."],
  ['{ "model": 7 }', '1:12: expected a string for "model".'],
  ["[]", "1:1: expected an object for the settings."],
  ['{ "model": "" }', '1:12: expected some text for "model".'],
  ['{\n "permissions": { "deny": ["a", 5] } }', '2:33: expected a string for "permissions.deny[1]".'],
  ['{ "permissions": { "deny": "Bash" } }', '1:28: expected a list for "permissions.deny".'],
  [
    '{ "permissions": { "defaultMode": "yolo" } }',
    '1:35: expected "default" or "acceptEdits" or "plan" or "dontAsk" or "bypassPermissions" for "permissions.defaultMode".',
  ],
  ['{ "tools": { "bashTimeoutMs": 1.5 } }', '1:31: expected a whole number for "tools.bashTimeoutMs".'],
  ['{ "tools": { "bashTimeoutMs": 0 } }', '1:31: expected at least 1 for "tools.bashTimeoutMs".'],
  ['{ "env": { "A": 1 } }', '1:17: expected a string for "env.A".'],
  [
    '{ "permissions": { "deny": ["Bash"] }, "permissions": {} }',
    '1:40: expected "permissions" once: join the two parts.',
  ],
  ["{} {}", "1:4: expected the end of the file."],
])("malformed settings %j are one line with file, line and column", async (text, problem) => {
  await using project = await tempProject({ "config/settings.json": text });
  expect(await failure(load(project))).toEqual({
    message: `${project.path("config/settings.json")}:${problem}`,
    exitCode: 2,
  });
});

test("comments, trailing commas, a byte order mark and an empty file are fine", async () => {
  await using project = await tempProject({
    "config/settings.json": '\uFEFF// mine\n{ "$schema": "x", "model": "m", /* and */ }',
    "managed.json": "\n",
  });
  expect(await load(project)).toEqual({ settings: { ...EMPTY, model: "m" }, rules: [], warnings: [] });
});

test("an unknown key is ignored with a warning that names the nearest known one", async () => {
  await using project = await tempProject({
    "config/settings.json":
      '{ "modle": "x",\n "permissions": { "alow": [], "zzz": 1 }, "tools": { "bashTimeoutMS": 3 } }',
  });
  const file = project.path("config/settings.json");
  expect((await load(project)).warnings).toEqual([
    `${file}:1:3: the setting "modle" is not known and ignored. Did you mean "model"?`,
    `${file}:2:19: the setting "permissions.alow" is not known and ignored. Did you mean "permissions.allow"?`,
    `${file}:2:31: the setting "permissions.zzz" is not known and ignored.`,
    `${file}:2:54: the setting "tools.bashTimeoutMS" is not known and ignored. Did you mean "tools.bashTimeoutMs"?`,
  ]);
});

test("--settings takes JSON text, and says what is wrong with it", async () => {
  await using project = await tempProject();
  const { settings, rules } = await load(project, {
    settings: ' { "model": "m", "permissions": { "allow": ["Read"] } }',
  });
  expect([settings.model, rules[0]?.file]).toEqual(["m", "--settings"]);
  expect((await failure(load(project, { settings: "{ x" }))).message).toStartWith("--settings:1:3: expected");
});

test("--settings with a missing file is one clear line", async () => {
  await using project = await tempProject();
  expect(await failure(load(project, { settings: "gone.json" }))).toEqual({
    message: '--settings: there is no file "gone.json": name a settings file, or give JSON that begins with {.',
    exitCode: 2,
  });
});

test("a settings file that is no file, or far too large, is one clear line", async () => {
  await using project = await tempProject({
    "config/settings.json/x": "",
    "managed.json": " ".repeat(4 * 1024 * 1024 + 1),
  });
  const { message, exitCode } = await failure(load(project));
  expect(message).toContain(`The settings file ${project.path("config/settings.json")} can't be read`);
  expect(exitCode).toBe(2);
});

test("the managed file stands where each system keeps such files", () => {
  const at = (platform: string) =>
    settingsPaths({ config: "/c", projectRoot: "/p", projectId: "id", platform }).managed;
  expect([at("linux"), at("darwin")]).toEqual([
    "/etc/quoll/managed-settings.json",
    "/Library/Application Support/Quoll/managed-settings.json",
  ]);
});
