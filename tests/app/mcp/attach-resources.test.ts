import { expect, test } from "bun:test";
import { type AttachParts, attachResources } from "../../../src/app/mcp/attach-resources.ts";
import type { LeftOutServer } from "../../../src/contracts/mcp.ts";
import type { Clock } from "../../../src/contracts/ports.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { LIST_WAIT_MS } from "../../../src/services/mcp/mcp-limits.ts";
import { createRedactor } from "../../../src/services/redaction/create-redactor.ts";
import { mcpHarness, rawServer } from "../../services/mcp/mcp-harness.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const signal = new AbortController().signal;
const artifacts: AttachParts["artifacts"] = {
  directory: "/nowhere",
  save: async () => {
    throw new Error("Nothing is saved.");
  },
};

const redactor = () => createRedactor({ key: new Uint8Array(32) });

test("a resource waits one second for a starting server; a line reports a missing resource", async () => {
  const clock = fakeClock();
  // Only the second that the prompt waits is moved by hand: the end of the server takes its own time.
  const sleep: Clock["sleep"] = (ms, over) => (ms === LIST_WAIT_MS ? clock : systemClock).sleep(ms, over);
  await using mcp = await mcpHarness({ clock: { ...systemClock, sleep } });
  mcp.client.add([rawServer("slow", "never-answers")]);
  const said: string[] = [];
  const leftOut: readonly LeftOutServer[] = [
    { name: "team", scope: "project", reason: "new", why: "it waits for approval: /mcp approve team" },
  ];
  const parts = {
    client: mcp.client,
    artifacts,
    engine: { notify: (line: string) => void said.push(line) },
    leftOut: () => leftOut,
    redactor,
  };
  let isDone = false;
  const attaching = attachResources("@slow:a://b @team:x and @nobody:else", parts, signal);
  void attaching.finally(() => {
    isDone = true;
  });
  await clock.advance(999);
  expect(isDone).toBe(false);
  await clock.advance(1);
  const lines = [
    "@slow:a://b was not attached: the MCP server slow is still starting.",
    "@team:x was not attached: the MCP server team was not started: it waits for approval: /mcp approve team.",
  ];
  expect(await attaching).toEqual(lines.map((text) => ({ type: "text", text })));
  expect(said).toEqual(lines);
});

test("a prompt that names more than 20 resources says how many were left out", async () => {
  await using mcp = await mcpHarness();
  const said: string[] = [];
  const parts = { client: mcp.client, artifacts, engine: { notify: (line: string) => void said.push(line) } };
  const words = Array.from({ length: 23 }, (_, at) => `@shop:shop://${at}`).join(" ");
  await attachResources(words, { ...parts, leftOut: () => [], redactor }, signal);
  expect(said).toHaveLength(21);
  expect(said.at(-1)).toBe("A prompt attaches at most 20 resources: the other 3 resources did not fit.");
});

test("a template with a variable that has no value is not read, and the line names the variable", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(rawServer("shop"));
  const said: string[] = [];
  const parts = { client: mcp.client, artifacts, engine: { notify: (line: string) => void said.push(line) } };
  await attachResources("@shop:shop://orders/{id}/{+part}, please", { ...parts, leftOut: () => [], redactor }, signal);
  expect(said).toEqual([
    "@shop:shop://orders/{id}/{+part} was not attached: id has no value: replace {id} in the address.",
  ]);
});
