import { describe, expect, test } from "bun:test";
import type { SettingsFlags } from "../../../src/services/config/load-settings.ts";
import { settingsPaths } from "../../../src/services/config/settings-paths.ts";
import { tempProject } from "../../support/temp-project.ts";
import { EMPTY, failure, load } from "./support.ts";

test("without any file the settings are empty", async () => {
  await using project = await tempProject();
  expect(await load(project)).toEqual({ settings: EMPTY, rules: [], warnings: [], held: [], hooks: [] });
});

test("a file in which another agent keeps a person's own settings is named, with the file that Quoll reads", async () => {
  await using project = await tempProject({
    "repo/.quoll/settings.local.json": '{ "permissions": { "deny": ["Bash(rm *)"] } }',
  });
  const { rules, warnings } = await load(project);
  expect(rules).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/\.quoll\/settings\.local\.json is not read: .*\/config\/projects\/repo-1\.json\.$/),
  ]);
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
    ...EMPTY,
    additionalDirectories: [project.path("docs"), "/home/ann/notes", "/abs", project.path("repo/lib")],
    bypassDisabled: true,
    env: { A: "user", B: "given" },
    tools: { bashTimeoutMs: 9, bashMaxTimeoutMs: 2 },
  });
  const base = project.path("repo");
  expect(rules).toEqual([
    { rule: "Read", decision: "allow", file: project.path("config/settings.json"), layer: "user", line: 3, base },
    {
      rule: "Bash(own)",
      decision: "allow",
      file: project.path("config/projects/repo-1.json"),
      layer: "own",
      line: 1,
      base,
    },
    { rule: "Bash(x)", decision: "deny", file: project.path("managed.json"), layer: "managed", line: 1, base },
  ]);
  expect(warnings).toEqual([]);
});

test("flags outrank files, and the managed file outranks flags", async () => {
  await using project = await tempProject({ "config/settings.json": '{ "model": "user" }' });
  const flags: SettingsFlags = { model: "flag", permissionMode: "plan", allow: ["Read"], deny: ["Bash(rm *)"] };
  const before = await load(project, flags);
  expect([before.settings.model, before.settings.defaultMode]).toEqual(["flag", "plan"]);
  expect(before.rules).toEqual([
    { rule: "Bash(rm *)", decision: "deny", file: "--disallowed-tools", layer: "flag", base: project.path("repo") },
    { rule: "Read", decision: "allow", file: "--allowed-tools", layer: "flag", base: project.path("repo") },
  ]);
  await project.write("managed.json", '{ "model": "managed", "permissions": { "defaultMode": "default" } }');
  const after = await load(project, flags);
  expect([after.settings.model, after.settings.defaultMode]).toEqual(["managed", "default"]);
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

test.each([
  ["a ban of another form", '"permissions":{"deny":["Read(x)"],"disableAutoMode":true}', 1],
  ["a key twice in a part that Quoll does not read", '"permissions":{"deny":["Read(x)"]},"env":{"A":"1","A":"2"}', 0],
  ["an allow rule that is a number", '"permissions":{"deny":["Read(x)"],"allow":[1]}', 0],
  ["hooks of another form", '"permissions":{"deny":["Read(x)"]},"hooks":7', 0],
])("a bad entry of another tool's settings drops that entry only: %s", async (_, content, warnings) => {
  await using project = await tempProject({ "repo/.claude/settings.json": `{${content}}` });
  const loaded = await load(project);
  expect(loaded.rules.map(({ rule }) => rule)).toEqual(["Read(x)"]);
  expect(loaded.warnings).toHaveLength(warnings);
});

test.each([
  '"permissions":{"deny":["Read(x)",1]}',
  '"permissions":{"ask":"Read(x)"}',
  '"permissions":{"deny":[]},"permissions":{"deny":["Read(x)"]}',
])("an invalid deny or ask rule of another tool's settings stops the start: %s", async (content) => {
  await using project = await tempProject({ "repo/.claude/settings.json": `{${content}}` });
  expect((await failure(load(project))).exitCode).toBe(2);
});

test("a neighbouring tool's file that can't be parsed stops the start: its deny rules could be lost", async () => {
  await using project = await tempProject({ "repo/.claude/settings.json": '{ "permissions": { "deny": [' });
  expect((await failure(load(project))).exitCode).toBe(2);
});

test.each([
  ['{\n  "model": "x"\n  "env": {}\n}', "3:3: expected a comma."],
  ['{ "model": x }', "1:12: expected a value, not a word without quotes."],
  ['{ "model" "x" }', "1:11: expected a colon."],
  ['{ "permissions": { "deny": ["a" ', "1:33: expected a closing bracket ]."],
  ['{ "model": 7 }', '1:12: expected a string for "model".'],
  ["[]", "1:1: expected an object for the settings."],
  ['{ "model": "" }', '1:12: expected some text for "model".'],
  ['{\n "permissions": { "deny": ["a", 5] } }', '2:33: expected a string or an object for "permissions.deny[1]".'],
  ['{ "permissions": { "deny": "Bash" } }', '1:28: expected a list for "permissions.deny".'],
  [
    '{ "permissions": { "defaultMode": "yolo" } }',
    '1:35: expected "default" or "acceptEdits" or "plan" or "auto" or "dontAsk" or "bypassPermissions" for "permissions.defaultMode".',
  ],
  ['{ "tools": { "bashTimeoutMs": 1.5 } }', '1:31: expected a whole number for "tools.bashTimeoutMs".'],
  ['{ "tools": { "bashTimeoutMs": 0 } }', '1:31: expected at least 1 for "tools.bashTimeoutMs".'],
  ['{ "env": { "A": 1 } }', '1:17: expected a string for "env.A".'],
  [
    '{ "permissions": { "deny": ["Bash"] }, "permissions": {} }',
    '1:40: expected "permissions" once: merge the two parts.',
  ],
  ['{ "permissions": { "deny": [{ "rule": 7 }] } }', '1:39: expected a string for "permissions.deny[0].rule".'],
  ['{ "permissions": { "deny": [{ "match": [] }] } }', '1:29: expected a string for "permissions.deny[0].rule".'],
  ['{ "sandbox": { "enabled": "yes" } }', '1:27: expected true or false or "auto" for "sandbox.enabled".'],
  ['{ "env": { "pass": "GH_TOKEN" } }', '1:20: expected a list for "env.pass".'],
  ['{ "permissions": { "__proto__": { "deny": [] } } }', '1:20: expected another name than "__proto__".'],
  ["[".repeat(300_000), "1:1: expected settings, not brackets nested this deeply."],
  ["{} {}", "1:4: expected the end of the file."],
])("malformed settings %# are one line with file, line and column", async (text, problem) => {
  await using project = await tempProject({ "config/settings.json": text });
  expect(await failure(load(project))).toEqual({
    message: `${project.path("config/settings.json")}:${problem}`,
    exitCode: 2,
  });
});

test("each invalid setting of a file has a line, in the order of the file, and of many the first ten", async () => {
  const wrong = '{ "tools": { "bashTimeoutMs": 0 },\n "permissions": { "deny": [5], "ask": "Bash" },\n "model": 7 }';
  const many = `{ "permissions": { "deny": [${"1,".repeat(14)}] } }`;
  const twice = '{ "model": "a",\n "model": "b", "env": { "A": "1", "A": "2" } }';
  await using project = await tempProject({ "wrong.json": wrong, "many.json": many, "twice.json": twice });
  const linesOf = async (name: string) =>
    (await failure(load(project, { settings: project.path(name) }))).message
      .replaceAll(project.path(name), "")
      .split("\n");
  expect(await linesOf("wrong.json")).toEqual([
    ':1:31: expected at least 1 for "tools.bashTimeoutMs".',
    ':2:28: expected a string or an object for "permissions.deny[0]".',
    ':2:39: expected a list for "permissions.ask".',
    ':3:11: expected a string for "model".',
  ]);
  expect(await linesOf("twice.json")).toEqual([
    ':2:2: expected "model" once: merge the two parts.',
    ':2:35: expected "A" once: merge the two parts.',
  ]);
  const first = await linesOf("many.json");
  expect([first.length, first.at(-1)]).toEqual([11, "and 4 more"]);
});

test("comments, trailing commas, a byte order mark and an empty file are fine", async () => {
  await using project = await tempProject({
    "config/settings.json": '\uFEFF// mine\n{ "$schema": "x", "model": "m", /* and */ }',
    "managed.json": "\n",
  });
  expect(await load(project)).toEqual({
    settings: { ...EMPTY, model: "m" },
    rules: [],
    warnings: [],
    held: [],
    hooks: [],
  });
});

test("an unknown key is ignored with a warning that names the nearest known one", async () => {
  await using project = await tempProject({
    "config/settings.json":
      '{ "modle": "x",\n "permissions": { "alow": [], "zzz": 1 }, "tools": { "bashTimeoutMS": 3 }, "theme": "dark" }',
  });
  const file = project.path("config/settings.json");
  expect((await load(project)).warnings).toEqual([
    `${file}:1:3: the setting "modle" is unknown and ignored. Did you mean "model"?`,
    `${file}:2:19: the setting "permissions.alow" is unknown and ignored. Did you mean "permissions.allow"?`,
    `${file}:2:31: the setting "permissions.zzz" is unknown and ignored.`,
    `${file}:2:54: the setting "tools.bashTimeoutMS" is unknown and ignored. Did you mean "tools.bashTimeoutMs"?`,
    `${file}:2:76: the setting "theme" is unknown and ignored. Did you mean "terminal.theme"?`,
  ]);
});

test("--settings accepts JSON text, and reports an error in it", async () => {
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
    message: '--settings: there is no file "gone.json": use the path of a settings file, or JSON that begins with {.',
    exitCode: 2,
  });
});

test("a settings file that is no file, or far too large, is one clear line", async () => {
  await using project = await tempProject({
    "config/settings.json/x": "",
    "managed.json": " ".repeat(4 * 1024 * 1024 + 1),
  });
  const { message, exitCode } = await failure(load(project));
  expect(message).toContain(`The settings file ${project.path("config/settings.json")} cannot be read`);
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

test("the parts of the sandbox merge: scalars by layer, lists joined, paths absolute", async () => {
  await using project = await tempProject({
    "config/settings.json": `{ "sandbox": {
      "enabled": true, "autoAllowBashIfSandboxed": false, "excludedCommands": ["docker *"],
      "network": { "allowedDomains": ["a.example"], "allowUnixSockets": ["/run/x.sock", "s.sock"], "allowLocalBinding": true },
      "filesystem": { "allowWrite": ["~/cache", "out"], "denyRead": ["/srv"] } },
      "env": { "A": "1", "pass": ["GH_TOKEN"] } }`,
    "config/projects/repo-1.json": `{ "sandbox": { "autoAllowBashIfSandboxed": true,
      "network": { "allowedDomains": ["a.example", "b.example"], "allowLocalBinding": false },
      "filesystem": { "allowWrite": ["./out", "~"] } }, "env": { "pass": ["NPM_TOKEN", "GH_TOKEN"] } }`,
    "managed.json": '{ "sandbox": { "enabled": "auto", "failIfUnavailable": true }, "destructiveGuard": "off" }',
  });
  const { settings, warnings } = await load(project);
  expect({ settings, warnings }).toEqual({
    settings: {
      ...EMPTY,
      env: { A: "1" },
      passedVariables: ["GH_TOKEN", "NPM_TOKEN"],
      guardsDestruction: false,
      // A no of the user's own settings outranks the yes of the higher layer.
      consent: {
        refusedBy: project.path("config/settings.json"),
        agreedBy: [{ layer: "own", file: project.path("config/projects/repo-1.json") }],
      },
      sandbox: {
        enabled: "auto",
        failIfUnavailable: true,
        excludedCommands: ["docker *"],
        network: {
          allowedDomains: ["a.example", "b.example"],
          allowUnixSockets: ["/run/x.sock", project.path("repo/s.sock")],
          allowLocalBinding: false,
        },
        filesystem: { allowWrite: ["/home/ann/cache", project.path("repo/out"), "/home/ann"], denyRead: ["/srv"] },
      },
    },
    warnings: [],
  });
});

test("a rule with examples keeps them and the line on which its own text stands", async () => {
  await using project = await tempProject({
    "config/settings.json": `{ "permissions": { "allow": [
      "Read",
      {
        "match": ["npm test -- a"], "notMatch": ["npm testx"],
        "rule": "Bash(npm test *)",
      },
    ] } }`,
  });
  const file = project.path("config/settings.json");
  const place = { decision: "allow", file, layer: "user", base: project.path("repo") } as const;
  expect((await load(project)).rules).toEqual([
    { ...place, rule: "Read", line: 2 },
    { ...place, rule: "Bash(npm test *)", match: ["npm test -- a"], notMatch: ["npm testx"], line: 5 },
  ]);
});

test("unknown keys are found inside of rules too, and every name is known to env", async () => {
  await using project = await tempProject({
    "config/settings.json": `{ "permissions": { "deny": ["Bash", { "rule": "Read", "mtach": [] }] },
      "env": { "anything": "goes" }, "sandbox": { "network": { "allowedDomain": [] }, "filesistem": {} } }`,
  });
  const file = project.path("config/settings.json");
  expect((await load(project)).warnings).toEqual([
    `${file}:1:55: the setting "permissions.deny[1].mtach" is unknown and ignored. Did you mean "permissions.deny[1].match"?`,
    `${file}:2:64: the setting "sandbox.network.allowedDomain" is unknown and ignored. Did you mean "sandbox.network.allowedDomains"?`,
    `${file}:2:87: the setting "sandbox.filesistem" is unknown and ignored. Did you mean "sandbox.filesystem"?`,
  ]);
});

test("a file full of unknown keys is reported in a few lines, with any characters in the keys", async () => {
  const keys = Array.from({ length: 5_000 }, (_, i) => `"k${i}\\u001b[2J\\n": 1`).join(",");
  await using project = await tempProject({ "repo/.quoll/settings.json": `{${keys}}` });
  const { warnings } = await load(project);
  expect(warnings.length).toBe(21);
  expect(warnings[0]).toContain('the setting "k0␛[2J␊" is unknown');
  for (const warning of warnings) expect(warning).not.toMatch(/\p{Cc}/u);
});

test("a long file with many rules is read in a time that grows with its length", async () => {
  const rules = Array.from({ length: 40_000 }, (_, i) => `"Bash(cmd${i} *)"`);
  await using project = await tempProject({
    "config/settings.json": `{ "permissions": { "deny": [\n${rules.join(",\n")}] } }`,
  });
  const loaded = await load(project);
  expect([loaded.rules.length, loaded.rules.at(-1)?.line]).toEqual([40_000, 40_001]);
});

test("any file, also one of a similar tool, can forbid the modes without questions", async () => {
  for (const file of [
    "config/settings.json",
    "repo/.quoll/settings.json",
    "repo/.claude/settings.json",
    "managed.json",
  ]) {
    await using project = await tempProject({
      [file]: '{ "permissions": { "disableBypassPermissionsMode": "disable", "disableAutoMode": "disable" } }',
    });
    const { settings, warnings, held } = await load(project);
    expect({ settings, warnings, held }).toEqual({
      settings: { ...EMPTY, bypassDisabled: true, autoDisabled: true },
      warnings: [],
      held: [],
    });
  }
});

describe("allowManagedPermissionRulesOnly", () => {
  const files = {
    "config/settings.json": '{ "permissions": { "allow": ["Bash(a)"], "deny": ["Bash(b)"] } }',
    "repo/.quoll/settings.json": '{ "permissions": { "allow": ["Bash(c)"], "ask": ["Bash(d)"] } }',
    "config/projects/repo-1.json": '{ "permissions": { "allow": ["Bash(e)"] } }',
  };
  const flags: SettingsFlags = { allow: ["Bash(f)"], settings: '{ "permissions": { "allow": ["Bash(g)"] } }' };
  const rulesOf = (loaded: Awaited<ReturnType<typeof load>>) =>
    loaded.rules.map(({ decision, rule }) => `${decision} ${rule}`);

  test("in the managed file leaves only its allow rules, and every deny and ask", async () => {
    await using project = await tempProject({
      ...files,
      "managed.json": '{ "permissions": { "allow": ["Read"], "allowManagedPermissionRulesOnly": true } }',
    });
    const loaded = await load(project, flags, true);
    expect(rulesOf(loaded).sort()).toEqual(["allow Read", "ask Bash(d)", "deny Bash(b)"]);
    expect(loaded.settings.managedRulesOnly).toBe(true);
    expect(loaded.warnings).toEqual([
      `${project.path("managed.json")}: only its own allow rules apply: 5 allow rules of other files and flags ignored.`,
    ]);
  });

  test("anywhere else does nothing and says so", async () => {
    await using project = await tempProject({
      ...files,
      "config/settings.json": '{ "permissions": {\n"allowManagedPermissionRulesOnly": true, "allow": ["Bash(a)"] } }',
    });
    const loaded = await load(project, flags, true);
    expect(rulesOf(loaded)).toContain("allow Bash(a)");
    expect(loaded.settings.managedRulesOnly).toBe(false);
    expect(loaded.warnings).toEqual([
      `${project.path("config/settings.json")}:2: ignored, because only the managed file may set it: permissions.allowManagedPermissionRulesOnly.`,
    ]);
  });
});

describe("a settings file that changes while the program runs", () => {
  test("changes nothing that was loaded, whatever is written into it", async () => {
    await using project = await tempProject({
      "config/settings.json": '{ "permissions": { "deny": ["Bash(rm *)"] } }',
      "repo/.quoll/settings.json": '{ "permissions": { "ask": ["Bash"] } }',
    });
    const loaded = await load(project);
    const before = structuredClone(loaded);
    for (const text of ['{ "permissions": { "allow": ["Bash"], "defaultMode": "auto" } }', "{ broken", "", "\0\xff"]) {
      await project.write("config/settings.json", text);
      await project.write("repo/.quoll/settings.json", text);
      expect(loaded).toEqual(before);
    }
  });

  test("is read only after a writer has refilled it, so that its rules aren't lost", async () => {
    await using project = await tempProject({ "managed.json": "" });
    const loading = load(project);
    await project.write("managed.json", '{ "permissions": { "deny": ["Bash(rm *)"] } }');
    expect((await loading).rules.map(({ rule }) => rule)).toEqual(["Bash(rm *)"]);
  });

  test("and is found half written stops the start", async () => {
    const whole = '{ "permissions": { "deny": ["Bash(rm *)"] } } // end';
    for (let length = 1; length <= whole.indexOf("/") - 2; length += 1) {
      await using project = await tempProject({ "config/settings.json": whole.slice(0, length) });
      expect((await failure(load(project))).exitCode).toBe(2);
    }
  });
});
