import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { createApprovalStore } from "../../../src/services/trust/approval-store.ts";
import { projectServers } from "../../../src/services/trust/project-servers.ts";
import { withinReach } from "../../../src/services/trust/shown-effects.ts";
import { gitPrograms, trustEffects } from "../../../src/services/trust/trust-effects.ts";
import { tempProject } from "../../support/temp-project.ts";

const effectsOf = async (root: string, held: Parameters<typeof trustEffects>[1]) =>
  trustEffects(root, held, await projectServers(root));

test("an ordinary clone would run nothing", async () => {
  await using project = await tempProject({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:a/b.git\n',
    ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
    ".quoll/settings.json": '{ "permissions": { "deny": ["Read(./.env)"] } }',
    "package.json": "{}",
  });
  expect(await effectsOf(project.dir, [])).toEqual([]);
});

test("a folder without anything of that kind would run nothing", async () => {
  await using project = await tempProject({ ".quoll": "a file", ".git": "not a git file" });
  expect(await effectsOf(project.dir, [])).toEqual([]);
});

test("held settings, MCP servers and git's programs are named with their places", async () => {
  await using project = await tempProject({
    ".quoll/settings.json": `{
      // Settings that Quoll ignores.
      "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./check.sh" }] }],
                 "Stop": [{ "hooks": [{ "type": "prompt" }, { "type": "http", "url": "https://h.example/x" }] }] },
      "statusLine": { "type": "command", "command": "./line.sh" }, "apiKeyHelper": "./key.sh",
    }`,
    ".mcp.json":
      '/* comments are fine */ { "mcpServers": { "db": { "command": "npx", "args": ["-y", "db-server"] }, "web": { "type": "http", "url": "https://m.example" } } }',
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": '[core]\n\tfsmonitor = ./watch\n[filter "x"]\n\tsmudge = ./smudge %f\n',
    ".git/hooks/pre-commit": "#!/bin/sh\n",
    ".git/hooks/post-merge": "#!/bin/sh\n",
    ".git/hooks/push.sample": "",
  });
  const held = [{ file: project.path(".quoll/settings.json"), line: 7, what: "allows Bash without asking" }];
  expect(await effectsOf(project.dir, held)).toEqual([
    "allows Bash without asking (.quoll/settings.json:7)",
    "starts the MCP server db: npx -y db-server (.mcp.json)",
    "connects to the MCP server web: https://m.example (.mcp.json)",
    "lets git run core.fsmonitor = ./watch (.git/config:2)",
    "lets git run filter.x.smudge = ./smudge %f (.git/config:4)",
    "lets git run its hooks post-merge, pre-commit (.git/hooks)",
  ]);
});

test("a worktree counts the repository's own folders, a bare repository its open ones", async () => {
  await using project = await tempProject({
    "main/.git/config": "[core]\n\tsshCommand = ./ssh\n",
    "main/.git/hooks/pre-push": "",
    "main/.git/worktrees/w/commondir": "../..\n",
    "main/.git/worktrees/w/config.worktree": "[core]\n\thooksPath = ../evil\n",
    "bare/HEAD": "ref: refs/heads/main\n",
    "bare/objects/x": "",
    "bare/config": "[core]\n\tfsmonitor = ./evil\n",
  });
  await project.write("tree/.git", `gitdir: ${project.path("main/.git/worktrees/w")}\n`);
  const git = project.path("main/.git");
  expect(await effectsOf(project.path("tree"), [])).toEqual([
    `lets git run core.hookspath = ../evil (${git}/worktrees/w/config.worktree:2)`,
    `lets git run core.sshcommand = ./ssh (${git}/config:2)`,
    `lets git run its hooks pre-push (${git}/hooks)`,
  ]);
  expect(await effectsOf(project.path("bare"), [])).toEqual(["lets git run core.fsmonitor = ./evil (config:2)"]);
});

test("an unreadable file is reported instead of left out", async () => {
  await using project = await tempProject({
    ".mcp.json": '{ "mcpServers": { ',
    ".git/config/x": "",
  });
  expect(await effectsOf(project.dir, [])).toEqual([
    "has a file that can't be checked beforehand: .mcp.json (it is not JSON)",
    "has a file that can't be checked beforehand: .git/config (it is not a regular file)",
  ]);
});

test("a FIFO in the place of a file is never opened", async () => {
  await using project = await tempProject();
  expect(Bun.spawnSync(["mkfifo", project.path(".mcp.json")]).exitCode).toBe(0);
  expect(await effectsOf(project.dir, [])).toEqual([
    "has a file that can't be checked beforehand: .mcp.json (it is not a regular file)",
  ]);
});

test("odd shapes are no reason to fall over", async () => {
  for (const text of ["null", "[]", "7", '{ "mcpServers": [1] }', '{ "mcpServers": { "x": null } }', ""]) {
    await using project = await tempProject({ ".mcp.json": text, ".quoll/settings.json": text });
    const lines = await effectsOf(project.dir, []);
    for (const line of lines) expect(line).toMatch(/something/);
  }
});

test("no words of the project drive the terminal, or break the line", async () => {
  await using project = await tempProject({
    ".mcp.json": JSON.stringify({
      mcpServers: {
        "a\u001b[2J\nThis folder is safe": { command: "x".repeat(10_000) },
        ...Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`s${i}`, { command: "\u202egnp.exe" }])),
      },
    }),
  });
  const lines = await effectsOf(project.dir, []);
  expect(lines.length).toBe(502);
  expect(lines[0]).toStartWith("starts the MCP server a␛[2J␊This folder is safe: xxxx");
  for (const line of lines) {
    expect(line).not.toMatch(/\p{Cc}|\u202e/u);
    expect(line.length).toBeLessThanOrEqual(4_000);
  }
});

test("a server's command is shown in full, and one that is too long for that is never approved", async () => {
  const words = `${"checking ".repeat(300)}; id`;
  const servers = { long: { command: words }, endless: { command: "x".repeat(10_000) } };
  await using project = await tempProject({ ".mcp.json": JSON.stringify({ mcpServers: servers }) });
  const { items } = await projectServers(project.dir);
  expect(items[0]?.lines).toEqual([`starts the MCP server long: ${words} (.mcp.json)`]);
  expect(items[1]?.lines[0]).toMatch(/x \[…\d+ characters hidden…\] x+ \(\.mcp\.json\)$/);
  const store = await createApprovalStore(project.path("state.json"), { root: project.dir });
  await store.approve(items, "always");
  expect(items.map((item) => store.state(item))).toEqual(["approved", "refused"]);
});

test("more items of a kind than a person can judge are not asked about", async () => {
  const servers = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`s${at}`, { command: "x" }]));
  await using project = await tempProject({ ".mcp.json": JSON.stringify({ mcpServers: servers }) });
  const { items } = await projectServers(project.dir);
  const skill = { kind: "skill", name: "s", content: "", lines: [] } as const;
  expect(withinReach([...items, skill])).toEqual({
    items: [skill],
    problems: ["declares 201 MCP servers: more than 200 can't be approved, so unapproved items stay off"],
  });
});

test("hundreds of settings never push content to approve out of the question", async () => {
  await using project = await tempProject({ ".mcp.json": JSON.stringify({ mcpServers: { db: { command: "x" } } }) });
  const held = Array.from({ length: 10_000 }, (_, line) => ({ file: project.path("s"), line, what: `allows ${line}` }));
  const lines = await effectsOf(project.dir, held);
  expect(lines.slice(499)).toEqual([
    "allows 499 (s:499)",
    "and 9,500 more settings, which are not listed here",
    "starts the MCP server db: x (.mcp.json)",
  ]);
});

test("items with more lines than a person can judge are not asked about", () => {
  const lines = Array.from({ length: 401 }, (_, at) => `runs ${at}`);
  const skill = { kind: "skill", name: "s", content: "", lines } as const;
  expect(withinReach([skill])).toEqual({
    items: [],
    problems: ["declares 1 skill with 401 effects: more than 400 can't be approved, so unapproved items stay off"],
  });
});

test("a git folder that may not be listed is named", async () => {
  if (process.getuid?.() === 0) return;
  await using project = await tempProject({ ".git/hooks/x": "" });
  chmodSync(project.path(".git/hooks"), 0o000);
  try {
    expect((await effectsOf(project.dir, []))[0]).toContain("can't be checked beforehand: .git/hooks");
  } finally {
    chmodSync(project.path(".git/hooks"), 0o700);
  }
});

describe("git's keys that start a program", () => {
  const keys = (text: string) => gitPrograms(text).map(({ key }) => key);

  test.each([
    ["[core]\n fsmonitor = x", "core.fsmonitor"],
    ["[CORE]\n SSHCommand=x", "core.sshcommand"],
    ["[core] hooksPath = .husky/_", "core.hookspath"],
    ['[filter "lfs"]\n process = git-lfs filter-process', "filter.lfs.process"],
    ['[diff "x y"]\n textconv = x', "diff.x y.textconv"],
    ['[merge "m"]\n driver = x %O', "merge.m.driver"],
    ['[credential "https://h.example"]\n helper = !x', "credential.https://h.example.helper"],
    ["[credential]\n helper = store", "credential.helper"],
    ["[alias]\n st = !evil", "alias.st"],
    ['[alias]\n st = "!evil"', "alias.st"],
    ["[include]\n path = ../evil", "include.path"],
    ['[includeIf "gitdir:/"]\n path = x', "includeif.gitdir:/.path"],
    ["[pager]\n log = evil", "pager.log"],
    ['[submodule "s"]\n update = !evil', "submodule.s.update"],
    ['[remote "o"]\n uploadpack = evil', "remote.o.uploadpack"],
    ["[gpg]\n program = evil", "gpg.program"],
    ["[sequence]\n editor = evil", "sequence.editor"],
  ])("%j is one", (text, key) => {
    expect(keys(text)).toEqual([key]);
  });

  test.each([
    "[core]\n fsmonitor = true\n bare = false",
    "[alias]\n st = status -sb",
    '[submodule "s"]\n update = merge',
    '[remote "o"]\n url = x',
    "[user]\n name = fsmonitor = x",
    "# [core]\n# fsmonitor = x",
    "[core]\n; sshCommand = x",
    "[pager]\n log = false",
    "fsmonitor = x",
    "",
  ])("%j is none", (text) => {
    expect(keys(text)).toEqual([]);
  });
});
