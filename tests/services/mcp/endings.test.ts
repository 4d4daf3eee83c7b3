import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { processesWithTag } from "../../../src/platform/processes/process-table.ts";
import { deepTest, isDeep, testOrDeep } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";
import { callTool, mcpHarness, programServer, rawServer, SDK_SERVER } from "./mcp-harness.ts";
import { httpServer } from "./servers/http-server.ts";

const SOURCES = join(import.meta.dir, "../../../src");

/** How many clients are closed, each a little later in its start than the one before. */
const ROUNDS = isDeep ? 12 : 2;
const STEP_MS = 108 / ROUNDS;

testOrDeep(!isDeep)("whenever a client is closed, nothing is left and nothing is thrown", async () => {
  const rounds = Array.from({ length: ROUNDS }, async (_, round) => {
    await using mcp = await mcpHarness();
    mcp.client.add([rawServer("a"), rawServer("b", "leaks"), programServer("c", ["--no-such-file"])]);
    await new Promise((resolve) => setTimeout(resolve, round * STEP_MS));
    const calls = mcp.client.tools().map((tool) => callTool(tool, { text: "x" }).catch((error: Error) => error));
    await mcp.client.close();
    expect((await Promise.all(calls)).length).toBe(calls.length);
    expect(mcp.alive().map((row) => row.command())).toEqual([]);
  });
  await Promise.all(rounds);
});

test("servers end when we are killed, whatever signals they ignore", async () => {
  await using project = await tempProject();
  const config = rawServer("leaky", "leaks");
  const from = (path: string) => JSON.stringify(join(SOURCES, path));
  const script = await project.write(
    "owner.ts",
    `import { McpClient } from ${from("services/mcp/mcp-client.ts")};
     import { MCP_LIMITS } from ${from("services/mcp/mcp-limits.ts")};
     import { OrphanWatch } from ${from("platform/processes/orphan-watch.ts")};
     import { childEnvironment } from ${from("platform/processes/child-environment.ts")};
     import { systemClock } from ${from("platform/clock.ts")};
     const client = new McpClient({
       clock: systemClock, limits: MCP_LIMITS, cwd: "/", version: "0",
       orphans: new OrphanWatch({}), withheld: () => [], roots: () => [],
       environment: async (tag) => {
         console.log(tag);
         return childEnvironment(process.env, { path: process.env.PATH ?? "", tag });
       },
     });
     client.add([${JSON.stringify(config)}]);
     await client.settled();
     setInterval(() => undefined, 60_000);`,
  );
  const owner = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "inherit" });
  const { value } = await owner.stdout.getReader().read();
  const tag = Buffer.from(value ?? new Uint8Array())
    .toString()
    .trim();
  try {
    await until(() => processesWithTag(tag).length === 3);
    owner.kill("SIGKILL");
    await until(() => processesWithTag(tag).length === 0);
  } finally {
    owner.kill("SIGKILL");
    await owner.exited;
    for (const { pid } of processesWithTag(tag)) process.kill(pid, "SIGKILL");
  }
});

deepTest("many calls over one signal leave no listener on it, and answers are not mixed up", async () => {
  await using web = httpServer();
  await using mcp = await mcpHarness();
  await mcp.start(programServer("local", [SDK_SERVER]), web.config("web"));
  const controller = new AbortController();
  for (const server of ["local", "web"]) {
    const tool = mcp.tool(`mcp__${server}__add_numbers`);
    const sums = Array.from({ length: 60 }, (_, a) => callTool(tool, { a, b: 1_000 }, { signal: controller.signal }));
    const contents = (await Promise.all(sums)).map(({ content }) => content);
    expect(contents).toEqual(Array.from({ length: 60 }, (_, a) => `{"sum":${a + 1_000}}`));
  }
  expect(getEventListeners(controller.signal, "abort").length).toBe(0);
});

deepTest("calls that are aborted at any moment end at once, and the server continues", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(programServer("local", [SDK_SERVER]));
  const tool = mcp.tool("mcp__local__wait");
  const calls = Array.from({ length: 20 }, async (_, index) => {
    const controller = new AbortController();
    const call = callTool(tool, {}, { signal: controller.signal });
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, index * 3));
    controller.abort(new Error("enough"));
    return (await call).isError;
  });
  expect(await Promise.all(calls)).toEqual(Array(20).fill(true));
  expect(await callTool(mcp.tool("mcp__local__add_numbers"), { a: 1, b: 1 })).toEqual({ content: '{"sum":2}' });
});
