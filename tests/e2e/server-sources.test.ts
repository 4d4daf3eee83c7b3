import { expect, test } from "bun:test";
import { join } from "node:path";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

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
