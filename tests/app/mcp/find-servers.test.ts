import { expect, test } from "bun:test";
import { findServers } from "../../../src/app/mcp/find-servers.ts";
import type { ServerEnvironment, ServerWishes } from "../../../src/app/mcp/names-servers.ts";
import { namesServers } from "../../../src/app/mcp/names-servers.ts";
import type { ApprovalState } from "../../../src/contracts/approval.ts";
import type { Settings } from "../../../src/contracts/settings.ts";
import { tempProject } from "../../support/temp-project.ts";

const WISHES = { mcp: { configs: [], inProcess: [] } };

type Place = {
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: ServerWishes;
  readonly settings?: Partial<Settings>;
  readonly approval?: ApprovalState;
  readonly isTrusted?: boolean;
};

function servers(...names: readonly string[]): string {
  return JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) });
}

/** A project in `work`, a configuration folder in `config` and an administrator's folder in `managed`. */
async function find({ files = {}, config = {}, settings = {}, approval = "approved", isTrusted = true }: Place) {
  await using folder = await tempProject(files);
  const place = { ...placeIn(folder, settings, approval), isTrusted };
  const wishes = { ...WISHES, ...config };
  const found = await findServers(wishes, place, new AbortController().signal);
  const folders = found.servers.map((server) => (server.kind === "stdio" && server.cwd === folder.dir ? "home" : ""));
  return {
    ...(!isTrusted && { folders }),
    isNamed: namesServers(wishes, place),
    starts: found.servers.map(({ name, scope = "flag" }) => `${scope} ${name}`),
    leftOut: found.leftOut.map(({ name, scope, why }) => `${scope} ${name}: ${why}`),
    warnings: found.warnings.map((line) => line.replaceAll(folder.dir, "")),
  };
}

function placeIn(
  folder: Awaited<ReturnType<typeof tempProject>>,
  settings: Partial<Settings>,
  approval: ApprovalState,
): ServerEnvironment {
  return {
    env: {},
    own: { config: folder.path("config"), home: folder.dir },
    project: { root: folder.path("work") },
    workspace: { cwd: folder.path("work") },
    settings,
    isTrusted: true,
    approvals: { state: () => approval },
    plugins: [],
    ownSettingsFile: folder.path("config/projects/work-1.json"),
    managedSettingsFile: folder.path("managed/managed-settings.json"),
  } as unknown as ServerEnvironment;
}

const FILES = {
  "config/mcp.json": servers("a", "u"),
  "config/projects/work-1.mcp.json": servers("a", "l"),
  "work/.mcp.json": servers("a", "p"),
};

test("the local scope is stronger than the project's, and the project's than the user's", async () => {
  const found = await find({ files: FILES });
  expect(found).toEqual({
    isNamed: true,
    starts: ["local a", "local l", "project p", "user u"],
    leftOut: [
      "project a: ~/config/projects/work-1.mcp.json has a server named a too",
      "user a: ~/config/projects/work-1.mcp.json has a server named a too",
    ],
    warnings: [],
  });
});

test("the user's programs start in the home folder while the folder is not trusted", async () => {
  expect((await find({ files: FILES, isTrusted: false })).folders).toEqual(["", "", "home"]);
});

test("options leave scopes out, and servers of options and of the program stay", async () => {
  const mcp = { configs: [servers("f")], inProcess: ["calc"] };
  const strict = await find({ files: FILES, config: { mcp: { ...mcp, isStrict: true } } });
  const bare = await find({ files: FILES, config: { mcp, isBare: true } });
  const some = await find({ files: FILES, config: { mcp, settingSources: ["user"] } });
  expect(strict.starts).toEqual(["program calc", "flag f"]);
  expect(bare.starts).toEqual(["program calc", "flag f"]);
  expect(some.starts).toEqual(["program calc", "flag f", "user a", "user u"]);
});

test("the administrator's file excludes every other source but the program itself", async () => {
  const files = { ...FILES, "managed/managed-mcp.json": servers("m") };
  const found = await find({ files, config: { mcp: { configs: [servers("f")], inProcess: ["calc"] } } });
  expect(found).toEqual({
    isNamed: true,
    starts: ["program calc", "managed m"],
    leftOut: [],
    warnings: ["--mcp-config is ignored: only the servers of /managed/managed-mcp.json are used."],
  });
});

test("a server that the administrator forbids, or that nobody approved, is left out with a reason", async () => {
  const found = await find({
    files: { "work/.mcp.json": servers("p"), "config/mcp.json": servers("u") },
    settings: { deniedMcpServers: [{ serverName: "u" }] },
    approval: "changed",
  });
  expect(found.starts).toEqual([]);
  expect(found.leftOut).toEqual([
    "project p: changed in .mcp.json since you approved it: approve it with /mcp approve p",
    "user u: deniedMcpServers in the managed settings forbids it",
  ]);
});

test("a file that can't be read leaves out only its own servers, and says where it is wrong", async () => {
  const found = await find({ files: { "work/.mcp.json": '{"mcpServers": {', "config/mcp.json": servers("u") } });
  expect(found.starts).toEqual(["user u"]);
  expect(found.warnings).toEqual([
    ".mcp.json: line 1, column 17: this is not JSON (CloseBraceExpected). Its MCP servers were left out.",
  ]);
});

test("a server of the project has changed when a file that it names has", async () => {
  await using folder = await tempProject({
    "work/.mcp.json": JSON.stringify({ mcpServers: { p: { command: "node", args: ["./server.js"] } } }),
    "work/server.js": "1",
  });
  const found = await findServers(WISHES, placeIn(folder, {}, "approved"), new AbortController().signal);
  const check = () => found.servers.map((server) => found.isChanged(server));
  expect(check()).toEqual([false]);
  await folder.write("work/server.js", "2");
  expect(check()).toEqual([true]);
});

test("a session without any of these files looks for no servers", async () => {
  expect(await find({})).toEqual({ isNamed: false, starts: [], leftOut: [], warnings: [] });
});
