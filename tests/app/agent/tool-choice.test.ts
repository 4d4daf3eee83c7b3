import { expect, test } from "bun:test";
import { join } from "node:path";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { ROOT } from "../../support/built.ts";
import { tempProject } from "../../support/temp-project.ts";

/** It starts in a fraction of the time that a server with the protocol's library takes. */
const SERVER = join(ROOT, "tests/services/mcp/servers/raw-server.ts");
const server = { command: process.execPath, args: [SERVER, "resources"] };
const mcp = { configs: [JSON.stringify({ mcpServers: { one: server, two: server } })], inProcess: [] };
const RESOURCES = ["ListMcpResources", "ReadMcpResource"];

/** The tools that a session with two servers gives to its model, to ToolSearch and to a child agent. */
async function offeredIn(config: Partial<SessionConfig>, defer: "always" | "never") {
  await using here = await oneProcess();
  const definition =
    "---\nname: narrow\ndescription: d\ndisallowedTools: mcp__two, Grep, ReadMcpResource\n---\nWork.\n";
  await using project = await tempProject({ "a.txt": "", ".claude/agents/narrow.md": definition });
  const settings = JSON.stringify({ tools: { defer } });
  const { session } = await sessionIn(here.app, project.dir, { mcp, settings, ...config });
  await session.servers.open();
  await session.servers.client?.settled();
  const { main } = session;
  await main.engine.submit({ prompt: call("Read", { file_path: "a.txt" }) });
  const child = await main.spawn({});
  await child.run("hello");
  const sent = here.twin.requests.flatMap(({ body }) => (body as { tools: { name: string }[] }).tools);
  const found = main.registry.findables().map(({ name }) => name);
  const names = [...main.offered.entries.map(({ name }) => name), ...sent.map(({ name }) => name), ...found];
  await session.close();
  return new Set(names);
}

const CASES: readonly (readonly [
  string,
  Partial<SessionConfig>,
  hidden: readonly string[],
  shown: readonly string[],
])[] = [
  ["deny rules", { deny: ["mcp__two", "Grep", "ListMcpResources"] }, ["Grep", "ListMcpResources"], ["ReadMcpResource"]],
  ["disallowed tools of an agent", { agent: "narrow" }, ["Grep", "ReadMcpResource"], ["ListMcpResources"]],
  ["options that name a server", { tools: ["Read", "mcp__one"] }, ["Grep", "Bash"], RESOURCES],
];

for (const defer of ["always", "never"] as const) {
  for (const [source, config, hidden, shown] of CASES)
    test(`a tool that ${source} hide reaches no list of an agent, with tool search: ${defer}`, async () => {
      const names = await offeredIn(config, defer);
      expect([...names].filter((name) => name.startsWith("mcp__two") || hidden.includes(name))).toEqual([]);
      for (const name of ["Read", "mcp__one__echo", ...shown]) expect(names).toContain(name);
    });
}

test("a list without a server hides all servers, and a program's list hides none", async () => {
  const alone = await offeredIn({ tools: ["Read"] }, "never");
  expect([...alone]).toEqual(["Read"]);
  const driven = await offeredIn({ tools: ["Read"], skipsUnknownTools: true }, "never");
  expect([...driven]).toEqual(expect.arrayContaining(["Read", "mcp__one__echo", "mcp__two__echo", ...RESOURCES]));
  expect(driven).not.toContain("Grep");
});
