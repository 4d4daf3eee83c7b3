import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { callText, mcpHarness, rawServer } from "../mcp-harness.ts";

test("warnings that a server logs stand in its state, and everything goes to the debug log, if there is one", async () => {
  const logged: string[] = [];
  await using mcp = await mcpHarness({ onLog: (server, line) => logged.push(`${server}: ${line}`) });
  const log = mcp.project.path("received.jsonl");
  await mcp.start({ ...rawServer("loud", "logs"), env: { QUOLL_TEST_LOG: log } } as never);
  await callText(mcp.tool("mcp__loud__echo"));
  await callText(mcp.tool("mcp__loud__echo"));
  const warnings = ['warning: store: {"disk":"almost full"}', "error: store: it is full"];
  expect(mcp.state("loud").warnings).toEqual([...warnings, ...warnings]);
  expect(logged.slice(0, 3)).toEqual(["loud: info: store: all is well", ...warnings.map((line) => `loud: ${line}`)]);
  const levels = readFileSync(log, "utf8").match(/"logging\/setLevel","params":\{"level":"\w+"\}/g);
  expect(levels).toEqual(['"logging/setLevel","params":{"level":"debug"}']);
});

test("a structured result that does not fit the tool's own schema is marked", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(rawServer("odd", "structured"));
  expect(await callText(mcp.tool("mcp__odd__echo"), { text: "good" })).toBe('{"sum":4}');
  expect(await callText(mcp.tool("mcp__odd__echo"), { text: "bad" })).toBe(
    '{"sum":"four"}\n[The structured result does not fit the tool\'s own schema: output/sum must be number]',
  );
});
