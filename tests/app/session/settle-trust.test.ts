import { describe, expect, test } from "bun:test";
import { processEnvironment } from "../../../src/app/process-environment.ts";
import { unapprovedLines, untrustedLines } from "../../../src/app/session/notices/left-out-lines.ts";
import { openProjectEnvironment } from "../../../src/app/session/project-environment.ts";
import type { ProjectPorts } from "../../../src/app/session/settle-trust.ts";
import { StartupCancelledError } from "../../../src/app/session/startup-cancelled.ts";
import type { ProjectConfig } from "../../../src/contracts/session-config.ts";
import { tempProject } from "../../support/temp-project.ts";

type Project = Awaited<ReturnType<typeof tempProject>>;
type Answers = { readonly trust?: "trust" | "session" | "no" | "exit"; readonly approval?: "approve" | "no" | "exit" };

const servers = (command: string) => JSON.stringify({ mcpServers: { db: { command }, web: { url: "https://w" } } });
const setup = () => tempProject({ "repo/.git/HEAD": "", "repo/.mcp.json": servers("one") });

/** Opens the folder as a new start would, and notes the questions and lines that the person gets. */
async function start(project: Project, answers: Answers | undefined, part: Partial<ProjectConfig> = {}) {
  const said: string[] = [];
  const place = await open(project, answers, part, said);
  const item = { kind: "mcp-server", name: "db", content: "other", lines: [] } as const;
  return { said, unapproved: place.unapproved.map(({ name }) => name), other: place.approvals.state(item) };
}

function open(project: Project, answers: Answers | undefined, part: Partial<ProjectConfig>, said: string[] = []) {
  const ports: ProjectPorts = {
    startupWarning: (line) => void said.push(line.replaceAll(project.dir, "~")),
    ...(answers && {
      askTrust: async ({ reasons, idleHooks = [] }) => {
        said.push("trust?", ...reasons, ...idleHooks.map((file) => `idle hooks: ${file}`));
        return answers.trust ?? "exit";
      },
      askApproval: async ({ reasons }) => {
        said.push("approve?", ...reasons);
        return answers.approval ?? "exit";
      },
    }),
  };
  const around = processEnvironment({ HOME: project.path("home"), XDG_STATE_HOME: project.path("state") });
  return openProjectEnvironment(around, { cwd: project.path("repo"), ...part }, ports);
}

const DB = "starts the MCP server db: one (.mcp.json)";
const WEB = "connects to the MCP server web: https://w (.mcp.json)";

describe("the trust question", () => {
  test("lists a project's servers, and trust approves exactly these", async () => {
    await using project = await setup();
    expect(await start(project, { trust: "trust" })).toEqual({
      said: ["trust?", DB, WEB],
      unapproved: [],
      other: "changed",
    });
    expect((await start(project, {})).said).toEqual([]);
  });

  test("names files of another agent whose hooks don't run", async () => {
    await using project = await setup();
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "touch ran" }] }] };
    await project.write("repo/.claude/settings.json", JSON.stringify({ hooks }));
    await project.write("repo/.claude/settings.local.json", JSON.stringify({ hooks: {} }));
    expect((await start(project, { trust: "no" })).said).toContain("idle hooks: .claude/settings.json");
    expect((await start(project, { trust: "no" })).said.join()).not.toContain("settings.local.json");
  });

  test("names the person's own rules that would allow tools of a project's server", async () => {
    await using project = await setup();
    const allow = ["mcp__db__query", "mcp__db_other__x", "mcp__web", "mcp__w*", "Bash(ls)"];
    await project.write("home/.config/quoll/settings.json", JSON.stringify({ permissions: { allow } }));
    expect((await start(project, { trust: "no" })).said).toEqual([
      "trust?",
      DB,
      "runs tools of db without a question, by your own rules: mcp__db__query",
      WEB,
      "runs tools of web without a question, by your own rules: mcp__web, mcp__w*",
    ]);
  });

  test("approves for the session with `session`, and nothing with `no`", async () => {
    await using project = await setup();
    expect(await start(project, { trust: "session" })).toMatchObject({ unapproved: [], other: "changed" });
    expect(await start(project, { trust: "no" })).toMatchObject({ said: ["trust?", DB, WEB], other: "new" });
  });

  test("without a person the servers are left out with one line, unless the run has --trust", async () => {
    await using project = await setup();
    expect((await start(project, undefined)).said).toEqual([
      'this folder is not trusted, so 2 MCP servers do not start: "db", "web". To let all this take effect in this run, add --trust.',
    ]);
    expect(await start(project, undefined, { isTrusted: true })).toEqual({
      said: [],
      unapproved: [],
      other: "changed",
    });
  });
});

test("without a person, each kind of content that has no effect in an untrusted folder has one line", () => {
  const held = [1, 2].map((line) => ({ file: "/r/.quoll/settings.json", line, what: `allows ${line}` }));
  const hooks = ["a", "b", "c", "d", "e", "f"].map((name) => ({ kind: "hook", name, content: "", lines: [] }) as const);
  const skill = { kind: "skill", name: "s", content: "", lines: [] } as const;
  const lines = untrustedLines("/r", held, [...hooks, skill]);
  const [start, end] = ["this folder is not trusted, so ", " To let all this take effect in this run, add --trust."];
  expect(lines.map((line) => line.replace(start, "").replace(end, ""))).toEqual([
    "2 settings are ignored: allows 1 (.quoll/settings.json:1), allows 2 (.quoll/settings.json:2).",
    '6 hooks do not run: "a", "b", "c", "d", "e" and 1 more.',
    '1 skill runs no commands and allows no calls: "s".',
  ]);
});

describe("content that changed in a trusted folder", () => {
  test("is asked about alone, is said to have changed, and is approved until it changes again", async () => {
    await using project = await setup();
    await start(project, { trust: "trust" });
    await project.write("repo/.mcp.json", servers("two"));
    const changed = "has changed: starts the MCP server db: two (.mcp.json)";
    expect(await start(project, { approval: "no" })).toMatchObject({ said: ["approve?", changed], unapproved: ["db"] });
    expect(await start(project, { approval: "approve" })).toMatchObject({
      said: ["approve?", changed],
      unapproved: [],
    });
    expect((await start(project, {})).said).toEqual([]);
    await project.write("repo/.mcp.json", servers("three"));
    await expect(start(project, { approval: "exit" })).rejects.toThrow(StartupCancelledError);
  });

  test("is left out without a person, who gets one line, and counts with --trust", async () => {
    await using project = await setup();
    await start(project, { trust: "trust" });
    await project.write("repo/.mcp.json", servers("two"));
    expect(await start(project, undefined)).toMatchObject({ said: [], unapproved: ["db"] });
    expect((await start(project, undefined, { isTrusted: true })).unapproved).toEqual([]);
    const hook = { kind: "hook", name: "a\nb", content: "", lines: [] } as const;
    const end = '1 hook ("a␊b"). Start quoll without -p to see it, or add --trust.';
    expect(unapprovedLines([hook], { state: () => "new" })).toEqual([
      `left out, because you have not approved this content: ${end}`,
    ]);
    expect(unapprovedLines([hook], { state: () => "changed" })).toEqual([
      expect.stringMatching(/^what these hooks guard is refused, .*: 1 hook \("a␊b"\)\./),
    ]);
  });

  test("is not read with --bare or without the project's settings", async () => {
    await using project = await setup();
    await start(project, { trust: "trust" });
    await project.write("repo/.mcp.json", servers("two"));
    expect((await start(project, {}, { isBare: true })).said).toEqual([]);
    expect((await start(project, {}, { settingSources: ["user"] })).said).toEqual([]);
  });
});
