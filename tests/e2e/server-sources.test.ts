import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const RAW_SERVER = join(import.meta.dir, "..", "services", "mcp", "servers", "raw-server.ts");

/** The text of a file with servers. Each is another program, because the same one starts once. */
function servers(names: readonly string[], more: object = {}): string {
  const entries = names.map((name) => [
    name,
    { command: process.execPath, args: [RAW_SERVER, "plain", name], ...more },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

function statesOf({ out }: { readonly out: string }): readonly unknown[] {
  return JSON.parse(out.split("\n")[0] ?? "").mcp_servers;
}

test("the user's servers start, those of the project only if trusted and approved, none with --strict-mcp-config", async () => {
  await using place = await quollPlace({ scenario: () => reply("Hello.") });
  await place.project.write(".mcp.json", servers(["shared"]));
  await place.home.write("own/config/mcp.json", servers(["mine"]));
  const args = ["-p", "hi", "--output-format", "stream-json", "--verbose"];
  const [untrusted, trusted, strict] = await Promise.all([
    place.run(args),
    place.run([...args, "--trust"]),
    place.run([...args, "--strict-mcp-config"]),
  ]);
  expect(statesOf(untrusted)).toEqual([{ name: "mine", status: "connected" }]);
  expect(statesOf(trusted)).toEqual([
    { name: "shared", status: "connected" },
    { name: "mine", status: "connected" },
  ]);
  expect(statesOf(strict)).toEqual([]);
});

test("a run continues without a slow server, and ends without a required server", async () => {
  await using place = await quollPlace({
    scenario: () => reply("Hello."),
    settings: { sandbox: { enabled: false }, mcp: { startWaitMs: 50 } },
  });
  const config = (entry: object) =>
    JSON.stringify({ mcpServers: { slow: { command: "sleep", args: ["60"], ...entry } } });
  const run = (entry: object) => place.run(["-p", "hi", "--mcp-config", config(entry)]);
  const [slow, required] = await Promise.all([run({}), run({ required: true, startupTimeout: 100 })]);
  expect(slow).toEqual({
    code: 0,
    out: "Hello.\n",
    err: 'quoll: the MCP server "slow" is still starting: the run continues without its tools until it answers\n',
  });
  expect(required).toEqual({
    code: 1,
    out: "",
    err: 'quoll: The required MCP server "slow" is not available: it did not answer within 0.1s. Without "required": true, the session continues without this server.\n',
  });
});

deepTest("a file of servers that changes during a session is named, and /mcp reload starts its servers", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Hello.")]) });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("one\r");
  await terminal.shows("● Hello.");
  await place.home.write("own/config/mcp.json", servers(["later"]));
  terminal.type("two\r");
  await terminal.shows("mcp.json has changed: /mcp reload uses it.");
  terminal.type("/mcp reload\r");
  await terminal.shows("The MCP server later is connected.");
});

const BROKEN = { "broken.json": '{"mcpServers":{"a":{}}}' };

test("-p names a server that does not exist, and the answer comes all the same", async () => {
  await using here = await quollPlace({ files: BROKEN, scenario: [reply("Hi.")] });
  const { code, out, err } = await here.run(["-p", "hi", "--mcp-config", "broken.json"]);
  expect({ code, out }).toEqual({ code: 0, out: "Hi.\n" });
  expect(err).toMatch(
    /^quoll: the MCP server "a" is not available: broken\.json: mcpServers\.a: expected a "command".*\n$/,
  );
});

deepTest("-p names a server that is lost in a call, once", async () => {
  const call = reply([toolUse("mcp__frail__echo", {})]);
  await using here = await quollPlace({ scenario: [call, reply("It died.")] });
  const args = [RAW_SERVER, "dies-in-call", here.project.path("died")];
  const config = JSON.stringify({ mcpServers: { frail: { command: process.execPath, args } } });
  const { code, out, err } = await here.run(["-p", "hi", "--mcp-config", config, "--allowed-tools", "mcp__frail__*"]);
  expect({ code, out }).toEqual({ code: 0, out: "It died.\n" });
  expect(err).toMatch(/^quoll: the MCP server "frail" was lost: it exited with code 3[^\n]*\n$/);
});

eachOrDeep(
  "with %j the servers of --mcp-config and of a trusted project are %j",
  1,
  [
    [[], ["a", "project"]],
    [["--strict-mcp-config"], ["a"]],
    [["--strictMcpConfig"], ["a"]],
  ],
  async (more, names) => {
    const own = { mcpServers: { project: { command: "touch", args: ["started"] } } };
    const files = { ".mcp.json": JSON.stringify(own), ...BROKEN };
    await using here = await quollPlace({ files, scenario: [reply("Hi.")] });
    const args = ["-p", "hi", "--output-format", "stream-json", "--mcp-config", "broken.json", "--trust", ...more];
    const { out } = await here.run(args);
    expect(JSON.parse(linesOf(out)[0] ?? "").mcp_servers).toEqual(names.map((name) => ({ name, status: "failed" })));
    const isStarted = await here.project.read("started").then(
      () => true,
      () => false,
    );
    expect(isStarted).toBe(names.includes("project"));
  },
);
