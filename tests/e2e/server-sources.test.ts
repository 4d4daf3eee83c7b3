import { expect, test } from "bun:test";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { quollPlace } from "../support/quoll-process.ts";

const RAW_SERVER = join(import.meta.dir, "..", "services", "mcp", "servers", "raw-server.ts");

/** The text of a file with servers. Each is another program, because the same one starts once. */
function servers(...names: readonly string[]): string {
  const entries = names.map((name) => [name, { command: process.execPath, args: [RAW_SERVER, "plain", name] }]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}

async function statesOf(run: { readonly out: string }): Promise<readonly unknown[]> {
  return JSON.parse(run.out.split("\n")[0] ?? "").mcp_servers;
}

test("servers of the user start, servers of the project only in a trusted folder, none with --strict-mcp-config", async () => {
  await using place = await quollPlace({ scenario: [reply("a"), reply("b"), reply("c")] });
  await place.project.write(".mcp.json", servers("shared"));
  await place.home.write("own/config/mcp.json", servers("mine"));
  const args = ["-p", "hi", "--output-format", "stream-json", "--verbose"];
  const untrusted = await place.run(args);
  expect(await statesOf(untrusted)).toEqual([{ name: "mine", status: "connected" }]);
  const strict = await place.run([...args, "--strict-mcp-config"]);
  expect(await statesOf(strict)).toEqual([]);
});
