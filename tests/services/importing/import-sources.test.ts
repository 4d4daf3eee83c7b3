import { describe, expect, test } from "bun:test";
import { importFile, importFiles } from "../../../src/services/importing/import-sources.ts";
import { tempProject } from "../../support/temp-project.ts";

/** What the files of other programs become: `rule`, `setting = value`, `server name {…}`, or `read: reason`. */
async function imported(files: Readonly<Record<string, string>>) {
  await using place = await tempProject(files);
  const found = importFiles({ home: place.path("home"), projectRoot: place.path("repo"), env: {} });
  const read = await Promise.all(found.map(importFile));
  return read.flatMap(({ lines }) =>
    lines.map(({ read: text, part, why }) => {
      if (!part) return `- ${text}: ${why}`;
      if (part.kind === "server") return `server ${part.name} ${JSON.stringify(part.entry)}`;
      if (part.kind === "keys") return `keys ${part.contexts.join(",")} ${part.keys} ${part.action}`;
      const value = typeof part.value === "string" ? part.value : JSON.stringify(part.value);
      return `${part.path.join(".")} ${part.isItem ? "+" : "="} ${value}`;
    }),
  );
}

const json = JSON.stringify;
/** A reference to a variable, as Quoll writes it. */
const ref = (name: string) => `$${"{"}${name}}`;
const opencode = (permission: unknown) => imported({ "home/.config/opencode/opencode.json": json({ permission }) });

test("a bad entry of Claude Code's settings is left out alone, with the reason", async () => {
  const settings = {
    permissions: { allow: ["Bash(ls)", 7], deny: [{ a: 1 }, "Read(.env)"] },
    env: { GOOD: "1", BAD: { x: [1] } },
    hooks: { Stop: "text", PreToolUse: [{ matcher: { a: 1 }, hooks: [{ type: { b: 2 } }] }] },
    sandbox: { excludedCommands: ["docker", { c: 3 }] },
  };
  const lines = await imported({ "home/.claude/settings.json": json(settings) });
  expect(lines).toEqual(
    expect.arrayContaining([
      "permissions.allow + Bash(ls)",
      "permissions.deny + Read(.env)",
      "env.GOOD = 1",
      "sandbox.excludedCommands + docker",
      ...["- permissions.allow: 7: it is not a rule", '- permissions.deny: {"a":1}: it is not a rule'],
      '- env.BAD: {"x":[1]}: it is not a text',
    ]),
  );
});

test.each([
  ["home/.claude/settings.json", "respondToBashCommands", true, "terminal.respondToShell = true"],
  [
    "home/.claude/settings.json",
    "respondToBashCommands",
    "yes",
    "- respondToBashCommands: yes: it is not true or false",
  ],
  [
    "repo/.claude/settings.json",
    "respondToBashCommands",
    true,
    "- respondToBashCommands: true: only your own settings set it",
  ],
  ["home/.claude/settings.json", "prefersReducedMotion", true, "terminal.reducedMotion = true"],
  [
    "repo/.claude/settings.json",
    "prefersReducedMotion",
    true,
    "- prefersReducedMotion: true: only your own settings set it",
  ],
  ["home/.claude/settings.json", "cleanupPeriodDays", 99_999, "sessions.keepDays = 99999"],
  [
    "home/.claude/settings.json",
    "cleanupPeriodDays",
    0,
    "- cleanupPeriodDays: 0: it is not a number of days from 1 to 100000",
  ],
  ["repo/.claude/settings.json", "cleanupPeriodDays", 9, "- cleanupPeriodDays: 9: only your own settings set it"],
])("in %s, %s: %p becomes %s", async (file, name, value, line) => {
  expect(await imported({ [file]: json({ [name]: value }) })).toEqual([line]);
});

describe("permissions of opencode", () => {
  test("the last matching entry wins there, so an allow that a later entry replaces is left out", async () => {
    expect(await opencode({ bash: { "npm *": "allow", "*": "ask", "git *": "allow", "git push *": "deny" } })).toEqual([
      '- permission.bash "npm *": allow: a later entry replaces it',
      '- permission.bash "*": ask: Quoll asks without a rule',
      "permissions.allow + Bash(git *)",
      "permissions.deny + Bash(git push *)",
    ]);
    expect(await opencode({ bash: "allow", "*": "ask" })).toEqual([
      "- permission.bash: a later entry replaces it",
      "- permission.*: it concerns every call",
    ]);
  });

  test("a general deny with exceptions, a general allow and a rule for files are not widened", async () => {
    expect(await opencode({ bash: { "*": "deny", "ls *": "allow" }, edit: "allow", webfetch: "deny" })).toEqual([
      '- permission.bash "*": deny: a rule of Quoll would also deny the exceptions; Quoll asks about the other calls',
      "permissions.allow + Bash(ls *)",
      expect.stringContaining("- permission.edit: allow: a rule of Quoll would also apply outside"),
      "permissions.deny + WebFetch",
    ]);
    expect(await opencode("allow")).toEqual([expect.stringContaining("- permission: allow: it concerns every call")]);
  });
});

test("servers of opencode and Gemini CLI get references to variables in Quoll's form", async () => {
  const mcp = {
    a: { type: "local", command: ["run", "--key", "{env:K}"], environment: { T: "{env:TOK}" }, enabled: false },
    b: { type: "remote", url: "https://b.example", headers: { h: "{file:x}" } },
  };
  const mcpServers = { g: { httpUrl: "https://g.example", headers: { A: "$TOK" }, includeTools: ["x"], trust: true } };
  expect(
    await imported({
      "repo/opencode.json": json({ mcp }),
      "home/.gemini/settings.json": json({ mcpServers }),
    }),
  ).toEqual([
    `server g ${json({ type: "http", url: "https://g.example", headers: { A: ref("TOK") }, enabledTools: ["x"] })}`,
    "- mcpServers.g.trust: Quoll asks about its tools; allow them with the rule mcp__g",
    `server a ${json({ command: "run", args: ["--key", ref("K")], env: { T: ref("TOK") }, disabled: true })}`,
    "- mcp.b: b.example: it takes a value from a file",
  ]);
});

test("tools and policies of Gemini CLI become rules, conditions that a rule can't hold are left out", async () => {
  const policy = `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["npm test", "npm run"]
decision = "allow"
[[rule]]
toolName = "run_shell_command"
commandRegex = "^git .*"
decision = "allow"
[[rule]]
mcpName = "docs"
decision = "deny"
[[rule]]
toolName = "run_shell_command"
decision = "allow"
modes = ["yolo"]
`;
  const tools = { allowed: ["run_shell_command(git)", "read_file", "nope"], exclude: ["run_shell_command(rm -rf)"] };
  const general = { defaultApprovalMode: "yolo" };
  expect(
    await imported({
      "home/.gemini/settings.json": json({ tools, general }),
      "home/.gemini/policies/a.toml": policy,
      "home/.gemini/policies/b.toml": "[[",
    }),
  ).toEqual([
    "permissions.allow + Bash(git *)",
    expect.stringContaining("- tools.allowed: read_file: a rule of Quoll would also apply outside"),
    "- tools.allowed: nope: Quoll has no such tool",
    "permissions.deny + Bash(rm -rf *)",
    expect.stringContaining("- general.defaultApprovalMode: yolo: start with"),
    "permissions.allow + Bash(npm test *)",
    "permissions.allow + Bash(npm run *)",
    "- [[rule]] run_shell_command allow: a rule of Quoll can't hold its condition",
    "permissions.deny + mcp__docs",
    "- [[rule]] run_shell_command allow: it counts only in some modes",
    expect.stringContaining("- the file: it can't be read: "),
  ]);
});

test.each([
  ["on-request", "workspace-write", "acceptEdits"],
  ["untrusted", "workspace-write", "default"],
  ["never", "read-only", "dontAsk"],
  ["on-request", "read-only", "default"],
  ["never", "danger-full-access", undefined],
] as const)("Codex's approval %s with the sandbox %s becomes the mode %s", async (approval, sandbox, mode) => {
  const text = `approval_policy = "${approval}"\nsandbox_mode = "${sandbox}"\n`;
  const [line] = await imported({ "home/.codex/config.toml": text });
  if (mode) expect(line).toBe(`permissions.defaultMode = ${mode}`);
  else expect(line).toContain("start with --permission-mode");
});

test("servers and rules of Codex are taken over", async () => {
  const config = `
[mcp_servers.docs]
command = "docs"
env_vars = ["DOCS_KEY"]
startup_timeout_sec = 2.5
enabled = false
[mcp_servers.far]
url = "https://far.example"
bearer_token_env_var = "FAR"
`;
  const rules = `
# a comment with prefix_rule
prefix_rule(pattern = ["git", ["push", 'fetch']], decision = "prompt", match = ["git push"])
prefix_rule(pattern=["rm"], decision="forbidden", justification="say \\"no\\"")
prefix_rule(pattern=["ls"])
prefix_rule(pattern=["echo", "a b"])
prefix_rule(pattern=WORDS)
`;
  expect(await imported({ "home/.codex/config.toml": config, "home/.codex/rules/a.rules": rules })).toEqual([
    `server docs ${json({ command: "docs", env: { DOCS_KEY: ref("DOCS_KEY") }, startupTimeout: 2_500, disabled: true })}`,
    `server far ${json({ type: "http", url: "https://far.example", headers: { Authorization: `Bearer ${ref("FAR")}` } })}`,
    "permissions.ask + Bash(git push *)",
    "permissions.ask + Bash(git fetch *)",
    "permissions.deny + Bash(rm *)",
    "permissions.allow + Bash(ls *)",
    expect.stringContaining("words that a rule of Quoll can't hold"),
    "- prefix_rule: it is not made of plain texts and lists",
  ]);
});

test("a status line command is taken over without keys that Quoll does not know", async () => {
  const statusLine = { type: "command", command: "./line.sh", padding: 1, hideVimModeIndicator: true };
  const [line] = await imported({ "home/.claude/settings.json": json({ statusLine }) });
  expect(line).toBe(`statusLine = ${json({ type: "command", command: "./line.sh", padding: 1 })}`);
});
