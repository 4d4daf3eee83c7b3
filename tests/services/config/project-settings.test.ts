import { describe, expect, test } from "bun:test";
import type { Settings } from "../../../src/contracts/settings.ts";
import { readSettings } from "../../../src/services/config/load-settings.ts";
import { projectMaySet, REFUSED_ENVIRONMENT } from "../../../src/services/config/refused-environment.ts";
import { tempProject } from "../../support/temp-project.ts";
import { EMPTY, load, read } from "./support.ts";

/** Everything that a project's file can say, one part a line. */
const EVERYTHING = `{
  "model": "theirs",
  "permissions": {
    "allow": ["Bash(npm test *)",
      { "rule": "Edit(/src/**)", "match": ["src/a.ts"] }],
    "ask": ["Bash(git push *)"],
    "deny": ["Read(./.env)"],
    "defaultMode": "acceptEdits",
    "additionalDirectories": ["../docs"],
  },
  "env": { "DATABASE_URL": "x" },
  "tools": { "bashTimeoutMs": 5 },
  "sandbox": { "enabled": true, "network": { "deniedDomains": ["evil.example"] }, "filesystem": { "denyWrite": ["dist"] } },
}`;

const tightened = (repo: string): Settings => ({
  ...EMPTY,
  sandbox: {
    enabled: true,
    network: { deniedDomains: ["evil.example"] },
    filesystem: { denyWrite: [`${repo}/dist`] },
  },
});

test("an untrusted folder's settings can only tighten; the others are held back with their lines", async () => {
  await using project = await tempProject({ "repo/.quoll/settings.json": EVERYTHING });
  const file = project.path("repo/.quoll/settings.json");
  const place = { file, layer: "project", base: project.path("repo") } as const;
  expect(await load(project)).toEqual({
    settings: tightened(project.path("repo")),
    rules: [
      { ...place, rule: "Read(./.env)", decision: "deny", line: 7 },
      { ...place, rule: "Bash(git push *)", decision: "ask", line: 6 },
    ],
    warnings: [],
    held: [
      { file, line: 2, what: "chooses the model theirs" },
      { file, line: 4, what: "allows Bash(npm test *) without asking" },
      { file, line: 5, what: "allows Edit(/src/**) without asking" },
      { file, line: 8, what: "starts in the mode acceptEdits" },
      { file, line: 9, what: "adds the folder ../docs to the workspace" },
      { file, line: 11, what: "sets DATABASE_URL for commands" },
      { file, line: 12, what: "sets tools.bashTimeoutMs to 5" },
    ],
    hooks: [],
  });
});

test("a yes applies to the shown settings, even if the file has changed since", async () => {
  await using project = await tempProject({
    "repo/.quoll/settings.json": '{ "permissions": { "allow": ["Bash(npm test *)"], "deny": ["Read(x)"] } }',
  });
  const settle = await read(project);
  expect(settle(false).held.map(({ what }) => what)).toEqual(["allows Bash(npm test *) without asking"]);
  await project.write("repo/.quoll/settings.json", '{ "permissions": { "allow": ["Bash"] } }');
  expect(settle(true).rules.map(({ decision, rule }) => `${decision} ${rule}`)).toEqual([
    "deny Read(x)",
    "allow Bash(npm test *)",
  ]);
});

test("rules of a project count only in a trusted folder, otherwise they are held", async () => {
  await using project = await tempProject({ "s.json": '{ "permissions": { "allow": ["Bash"] } }' });
  const absent = project.path("absent.json");
  const paths = { user: absent, own: absent, managed: absent, project: project.path("s.json"), foreign: [] };
  const sources = { paths, projectRoot: project.dir, cwd: project.dir, home: "/home/ann" };
  const load = await readSettings(sources);
  expect(
    [false, true].map((isTrusted) => load(isTrusted)).map(({ rules, held }) => [rules.length, held.length]),
  ).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

test("once the folder is trusted all of that counts, and nothing is held", async () => {
  await using project = await tempProject({ "repo/.quoll/settings.json": EVERYTHING });
  const { settings, rules, warnings, held } = await load(project, {}, true);
  expect({ settings, warnings, held }).toEqual({
    settings: {
      ...tightened(project.path("repo")),
      model: "theirs",
      defaultMode: "acceptEdits",
      additionalDirectories: [project.path("docs")],
      env: { DATABASE_URL: "x" },
      tools: { bashTimeoutMs: 5 },
    },
    warnings: [],
    held: [],
  });
  expect(rules.map(({ decision, rule, line, match }) => [decision, rule, line, match])).toEqual([
    ["deny", "Read(./.env)", 7, undefined],
    ["ask", "Bash(git push *)", 6, undefined],
    ["allow", "Bash(npm test *)", 4, undefined],
    ["allow", "Edit(/src/**)", 5, ["src/a.ts"]],
  ]);
});

/** The project's own file, below the temporary folder. */
const FILE = "/repo/.quoll/settings.json";

describe.each([false, true])("with trust %p", (isTrusted) => {
  test.each([
    ['"permissions": { "defaultMode": "bypassPermissions" }', "permissions.defaultMode"],
    ['"permissions": { "defaultMode": "auto" }', "permissions.defaultMode"],
    ['"permissions": { "allowManagedPermissionRulesOnly": true }', "permissions.allowManagedPermissionRulesOnly"],
    ['"destructiveGuard": "off"', "destructiveGuard"],
    ['"env": { "pass": ["AWS_SECRET_ACCESS_KEY"] }', "env.pass"],
    ['"env": { "PATH": "/evil" }', "env.PATH"],
    ['"env": { "node_options": "--require ./x" }', "env.node_options"],
    ['"env": { "BASH_FUNC_ls%%": "() { evil; }" }', "env.BASH_FUNC_ls%%"],
    ['"sandbox": { "enabled": false }', "sandbox.enabled"],
    ['"sandbox": { "enabled": "auto" }', "sandbox.enabled"],
    ['"sandbox": { "autoAllowBashIfSandboxed": true }', "sandbox.autoAllowBashIfSandboxed"],
    [
      '"sandbox": { "agreed": { "writable": ["/"], "opened": [], "hosts": ["*"], "sockets": [], "strength": "weak" } }',
      "sandbox.agreed",
    ],
    ['"sandbox": { "allowUnsandboxedCommands": true }', "sandbox.allowUnsandboxedCommands"],
    ['"sandbox": { "failIfUnavailable": false }', "sandbox.failIfUnavailable"],
    ['"sandbox": { "excludedCommands": ["*"] }', "sandbox.excludedCommands"],
    ['"sandbox": { "network": { "allowedDomains": ["*"] } }', "sandbox.network.allowedDomains"],
    ['"sandbox": { "network": { "allowUnixSockets": ["/run/docker.sock"] } }', "sandbox.network.allowUnixSockets"],
    ['"sandbox": { "network": { "allowLocalBinding": true } }', "sandbox.network.allowLocalBinding"],
    ['"sandbox": { "filesystem": { "allowWrite": ["/"] } }', "sandbox.filesystem.allowWrite"],
    ['"sandbox": { "filesystem": { "allowRead": ["~/.ssh"] } }', "sandbox.filesystem.allowRead"],
  ])("a project's file can't say %s", async (part, name) => {
    await using project = await tempProject({ "repo/.quoll/settings.json": `{\n ${part} }` });
    const file = project.path("repo/.quoll/settings.json");
    expect(await load(project, {}, isTrusted)).toEqual({
      settings: EMPTY,
      rules: [],
      warnings: [
        `${file}:2: ignored, because project files may not set these keys: ${name}. Move them to your own settings if you want them.`,
      ],
      held: [],
      hooks: [],
    });
  });

  test.each([
    ['"permissions": { "disableBypassPermissionsMode": "disable" }', { bypassDisabled: true }],
    ['"permissions": { "disableAutoMode": "disable" }', { autoDisabled: true }],
    ['"destructiveGuard": "on"', { guardsDestruction: true }],
    ['"sandbox": { "enabled": true }', { sandbox: { enabled: true } }],
    ['"sandbox": { "failIfUnavailable": true }', { sandbox: { failIfUnavailable: true } }],
    ['"sandbox": { "autoAllowBashIfSandboxed": false }', { consent: { refusedBy: FILE, agreedBy: [] } }],
    ['"sandbox": { "allowUnsandboxedCommands": false }', { sandbox: { allowUnsandboxedCommands: false } }],
    [
      '"sandbox": { "network": { "allowLocalBinding": false } }',
      { sandbox: { network: { allowLocalBinding: false } } },
    ],
    ['"sandbox": { "filesystem": { "denyRead": ["/k"] } }', { sandbox: { filesystem: { denyRead: ["/k"] } } }],
    ['"sandbox": { "excludedCommands": [] }, "env": { "pass": [] }', {}],
  ])("%s only tightens and counts at once", async (part, expected) => {
    await using project = await tempProject({
      "repo/.quoll/settings.json": `{ ${part} }`,
      "config/settings.json": '{ "destructiveGuard": "off" }',
    });
    const { settings, warnings, held } = await load(project, {}, isTrusted);
    const named = JSON.parse(JSON.stringify(settings).replaceAll(project.dir, ""));
    expect({ settings: named, warnings, held }).toEqual({
      settings: { ...EMPTY, guardsDestruction: false, ...expected },
      warnings: [],
      held: [],
    });
  });
});

test("the ignored settings of one file give one warning that lists all their lines", async () => {
  await using project = await tempProject({
    "repo/.quoll/settings.json": `{
      "destructiveGuard": "off", "env": { "PATH": "/evil",
        "LD_PRELOAD": "x", "FINE": "y" },
      "sandbox": { "enabled": false } }`,
  });
  const { warnings, settings } = await load(project, {}, true);
  expect(warnings).toEqual([
    `${project.path("repo/.quoll/settings.json")}:2: ignored, because project files may not set these keys: env.PATH, destructiveGuard, env.LD_PRELOAD (line 3), sandbox.enabled (line 4). Move them to your own settings if you want them.`,
  ]);
  expect(settings).toEqual({ ...EMPTY, env: { FINE: "y" } });
});

test("a thousand refused names are reported in one short line", async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `"LD_${i}": ""`).join(",");
  await using project = await tempProject({ "repo/.quoll/settings.json": `{ "env": {${names}} }` });
  const [warning, ...more] = (await load(project, {}, true)).warnings;
  expect(more).toEqual([]);
  expect(warning).toEndWith(", env.LD_19, and 980 more. Move them to your own settings if you want them.");
});

test("a project's restriction can't override a setting of a higher layer", async () => {
  await using project = await tempProject({
    "repo/.quoll/settings.json": '{ "sandbox": { "enabled": true } }',
    "config/projects/repo-1.json": '{ "sandbox": { "enabled": false } }',
  });
  expect((await load(project)).settings.sandbox).toEqual({ enabled: false });
});

test("no text of a project's file drives the terminal or breaks the line of the question", async () => {
  await using project = await tempProject({
    "repo/.quoll/settings.json": JSON.stringify({
      model: "a\u001b[2J\nTrusted already\u202e",
      permissions: { allow: [`Bash(${"x".repeat(5_000)})`] },
      env: { "X\nY": "1", "\u001b[31m": "2" },
    }),
  });
  const { held, warnings } = await load(project);
  expect(held[0]?.what).toBe("chooses the model a␛[2J␊Trusted already⟨U+202E⟩");
  const lines = [...held.map(({ what }) => what), ...warnings];
  for (const line of lines) expect(line).not.toMatch(/\p{Cc}|\u202e/u);
  for (const { what } of held) expect(what.length).toBeLessThan(200);
});

test("an allow rule is shown in full, and one that is too long for that never counts", async () => {
  const [long, endless] = [`Bash(make ${"check ".repeat(300)}*)`, `Bash(make ${"check ".repeat(900)}*)`];
  await using project = await tempProject({
    "repo/.quoll/settings.json": JSON.stringify({ permissions: { allow: [long, endless] } }),
  });
  const { held, warnings } = await load(project);
  expect(held.map(({ what }) => what)).toEqual([`allows ${long} without asking`]);
  expect(warnings.join()).toContain("permissions.allow");
});

test("a neighbour's file never allows, trusted or not", async () => {
  await using project = await tempProject({
    "repo/.claude/settings.json":
      '{ "permissions": { "allow": ["Bash"], "defaultMode": "bypassPermissions", "deny": ["Read(x)"] }, "env": { "A": "1" }, "sandbox": { "enabled": false } }',
  });
  for (const isTrusted of [false, true]) {
    const { settings, rules, held } = await load(project, {}, isTrusted);
    expect([settings, rules.map(({ decision }) => decision), held]).toEqual([EMPTY, ["deny"], []]);
  }
});

test("an empty list of a project's file replaces no list of the person or the administrator", async () => {
  const sparse = { worktree: { sparse: ["src"] } };
  await using project = await tempProject({
    "repo/.quoll/settings.json": JSON.stringify({ worktree: { sparse: [] }, allowedMcpServers: [], permissions: {} }),
    "config/settings.json": JSON.stringify(sparse),
  });
  for (const isTrusted of [false, true]) {
    const { settings, held, warnings } = await load(project, {}, isTrusted);
    expect({ settings, held, warnings }).toEqual({ settings: { ...EMPTY, ...sparse }, held: [], warnings: [] });
  }
});

test("an empty list of the administrator's allowed MCP servers stays, because it allows none", async () => {
  await using project = await tempProject({ "managed.json": '{ "allowedMcpServers": [] }' });
  expect((await load(project)).settings).toEqual({ ...EMPTY, allowedMcpServers: [] });
});

describe("variables that a project may not set", () => {
  test.each(REFUSED_ENVIRONMENT.map(({ why, names, examples }) => [why, names, examples] as const))(
    "%s",
    (_, names, examples) => {
      expect(examples.length).toBeGreaterThan(2);
      for (const name of examples) {
        expect([name, names.test(name.toUpperCase())]).toEqual([name, true]);
        for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
          expect(projectMaySet(spelling)).toBe(false);
      }
    },
  );

  test.each(["A=B", "A B", "", "9A", "A\nB", "A-B", "ÄB", "__proto__ ", "BASH_FUNC_x()"])(
    "nor %j, which is no plain name",
    (name) => {
      expect(projectMaySet(name)).toBe(false);
    },
  );

  test.each([
    "DATABASE_URL",
    "NODE_ENV",
    "CI",
    "DEBUG",
    "RUST_LOG",
    "RUST_BACKTRACE",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "GOMAXPROCS",
    "PORT",
    "TZ",
    "LANG",
    "MY_APP_CATEGORY",
    "TEST_SEED",
    "DJANGO_SETTINGS_MODULE",
  ])("an ordinary %s is fine", (name) => {
    expect(projectMaySet(name)).toBe(true);
  });
});

test("a file or a link that leads nowhere in the place of the settings' folder is no project's settings", async () => {
  await using project = await tempProject({ "repo/.quoll": "", "repo/.claude": "", config: "" });
  expect(await load(project, {}, true)).toEqual({ settings: EMPTY, rules: [], warnings: [], held: [], hooks: [] });
});
