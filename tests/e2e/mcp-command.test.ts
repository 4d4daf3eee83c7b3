import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { serverCommands } from "../../src/cli/mcp/server-arguments.ts";
import { checkEntry, entryOf, entryOfJson } from "../../src/cli/mcp/server-entry.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

const RAW_SERVER = join(import.meta.dir, "..", "services", "mcp", "servers", "raw-server.ts");
const PROGRAM = [process.execPath, RAW_SERVER];

/** The entry that `quoll mcp add` would write for these words. */
function added(...words: readonly string[]): unknown {
  const [add] = serverCommands(() => undefined);
  if (!add) throw new Error("There is no command.");
  add.exitOverride().parse([...words], { from: "user" });
  const [name, given] = add.processedArgs;
  const { scope, ...options } = add.opts();
  const entry = entryOf(given, options);
  checkEntry(name, entry);
  return { name, scope, entry };
}

describe("the words of quoll mcp add", () => {
  test("a program with variables and options of its own", () => {
    const wanted = { command: "npx", args: ["-y", "issues-server", "--rootDir", "."], env: { TOKEN: "a=b", N: "" } };
    const entry = { name: "issues", scope: "local", entry: wanted };
    const env = ["-e", "TOKEN=a=b", "--env", "N="];
    expect(added(...env, "issues", "--", "npx", "-y", "issues-server", "--rootDir", ".")).toEqual(entry);
    expect(added("issues", ...env, "npx", "-y", "issues-server", "--rootDir", ".")).toEqual(entry);
  });

  test("an address, with and without its transport", () => {
    const url = "https://mcp.example.com/v1";
    expect(added("--transport", "sse", "--scope", "user", "web", url)).toEqual({
      name: "web",
      scope: "user",
      entry: { type: "sse", url },
    });
    expect(added("web", url, "--header", "Authorization: Bearer a:b", "-s", "project")).toEqual({
      name: "web",
      scope: "project",
      entry: { type: "http", url, headers: { Authorization: "Bearer a:b" } },
    });
  });

  test.each([
    [["web", "https://a.example", "-e", "A=1"], "--env is for programs"],
    [["x", "-H", "A: b", "--", "run"], "--header needs an address"],
    [["x", "--scop", "user", "run"], "Unknown option '--scop'"],
    [["x", "-e", "A", "--", "run"], "--env takes NAME=value"],
    [["web", "-H", "nothing", "https://a.example"], "--header takes a name and a value"],
    [["web", "https://a.example", "more"], "one address and no arguments"],
    [["a b", "run"], "The name of a server has letters"],
    [["web", "wss://a.example/mcp"], "Quoll has no web sockets for MCP servers"],
    [["web", "-t", "http", "ftp://a.example"], "is not an http or https address"],
  ])("%p is refused", (words, problem) => {
    expect(() => added(...words)).toThrow(problem);
  });

  test("JSON is taken as it is, if it makes a server", () => {
    expect(entryOfJson('{"command":"x","timeout":5}')).toEqual({ command: "x", timeout: 5 });
    expect(() => entryOfJson('{"mcpServers":{"a":{}}}')).toThrow('without "mcpServers"');
    expect(() => entryOfJson("[1]")).toThrow("must be a JSON object");
    expect(() => checkEntry("x", { type: "ws", url: "wss://a.example" })).toThrow("no web sockets");
    expect(() => checkEntry("x", {})).toThrow('expected a "command" to start, or a "url" to reach');
    expect(checkEntry("x", { command: "y", arg: [] })).toEqual(['x.arg is unknown: did you mean "args"?']);
  });
});

const FILE = `{
\t// ours
\t"mcpServers": {
\t\t"kept": {
\t\t\t"command": "true"
\t\t}
\t},
\t"other": 1
}
`;

deepTest("a server is added, shown with its tools and removed, and the other content of its file stays", async () => {
  await using place = await quollPlace({
    files: { ".mcp.json": FILE, "elsewhere/.git/HEAD": "ref: refs/heads/main" },
  });
  const add = (...words: readonly string[]) => place.run(["mcp", "add", ...words]);
  expect((await add("shared", "--scope", "project", "-e", "API_KEY=s3cret-value-123", "--", "true")).out).toBe(
    "Added the MCP server shared to .mcp.json (scope project).\n" +
      ".mcp.json is for everybody, and now holds the value of API_KEY: write a reference to a variable of the environment instead, such as `$" +
      "{NAME}`.\n" +
      "The server starts when you trust this folder: start quoll here to decide.\n",
  );
  const [mine, , absent] = await Promise.all([
    add("mine", "--", ...PROGRAM),
    add("gone", "--scope", "user", "--", "false"),
    place.run(["mcp", "add", "absent", "-C", place.project.path("elsewhere"), "--", "no-such-program", "x"]),
  ]);
  expect(mine).toMatchObject({ code: 0, err: "" });
  expect(absent).toMatchObject({
    code: 0,
    err: 'quoll: the program "no-such-program" was not found: the server starts once it is installed.\n',
  });
  expect((await add("mine", "https://a.example")).err).toContain("has a server mine already. Remove it first");

  const shared = '"shared": {\n\t\t\t"command": "true",';
  expect(await place.project.read(".mcp.json")).toContain(shared);
  expect(statSync(place.project.path(".mcp.json")).mode & 0o044).toBe(0o044);

  const [list, names, get, missing] = await Promise.all([
    place.run(["mcp", "list"]),
    // A shell would run what stands in such a name.
    place.run(["mcp", "list", "--names", "--mcp-config", '{"mcpServers":{"$(touch x)":{"command":"true"}}}']),
    place.run(["mcp", "get", "mine", "--json"]),
    place.run(["mcp", "get", "mines"]),
  ]);
  expect(list.out.trimEnd().split("\n")).toEqual([
    "mine    local    connected: 1 tool, 33 tokens",
    "gone    user     failed: it exited with code 1",
    "kept    project  not started: this folder is not trusted",
    "shared  project  not started: this folder is not trusted",
  ]);
  expect(names.out).toBe("gone\nkept\nmine\nshared\n");
  const { tools, ...about } = JSON.parse(get.out);
  expect(about).toEqual({
    name: "mine",
    scope: "local",
    kind: "stdio",
    status: "connected",
    program: { name: "raw", version: "1.2.3" },
    target: expect.stringContaining("raw-server.ts"),
    tokens: 33,
  });
  expect(tools).toEqual([{ name: "echo", summary: "Says it again.", tokens: 33 }]);
  expect(missing).toEqual({ code: 1, out: "", err: "quoll: There is no MCP server mines: did you mean mine?\n" });

  expect(await place.run(["mcp", "remove", "shared"])).toEqual({
    code: 2,
    out: "",
    err: "quoll: shared is in .mcp.json, which is for everybody: add --scope project to remove it.\n",
  });
  expect((await place.run(["mcp", "remove", "shared", "--scope", "project"])).out).toBe(
    "Removed the MCP server shared from .mcp.json (scope project).\n",
  );
  expect(await place.project.read(".mcp.json")).toBe(FILE);
});

test("a command that needs no servers starts none in a run without a screen", async () => {
  await using place = await quollPlace();
  const server = { command: "bash", args: ["-c", "touch started; exec sleep 60"] };
  const config = JSON.stringify({ mcpServers: { slow: server } });
  expect((await place.run(["-p", "/cost", "--mcp-config", config])).code).toBe(0);
  expect(await Bun.file(place.project.path("started")).exists()).toBe(false);
});
