import { expect, test } from "bun:test";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { McpLink } from "../../../src/contracts/mcp.ts";
import type { JsonObject } from "../../../src/contracts/message.ts";
import type { McpServerConfig } from "../../../src/services/mcp/config/server-config.ts";
import { SdkTransport } from "../../../src/services/mcp/transport/sdk-transport.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { callText, callTool, mcpHarness, programServer, SDK_SERVER, toolContext } from "./mcp-harness.ts";
import { PIXEL, toolServer } from "./servers/tool-server.ts";

function sdkServer(name: string): McpServerConfig {
  return { name, isDisabled: false, kind: "sdk", server: name };
}

/** The other program's side: its servers answer as over a control protocol, one message at a time. */
async function otherProgram(receive: (message: JsonObject) => void) {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  mine.onmessage = (message) => {
    const answer = "id" in message && !("method" in message) ? waiting.get(message.id) : undefined;
    if (answer) answer({ ...message });
    else receive({ ...message });
  };
  await toolServer().connect(theirs);
  await mine.start();
  const asked: string[] = [];
  const link: McpLink = async (server, message) => {
    asked.push(`${server} ${String(message["method"])}`);
    const answer = Promise.withResolvers<JsonObject | undefined>();
    if (message["id"] === undefined) answer.resolve({ jsonrpc: "2.0", result: {}, id: 0 });
    else waiting.set(message["id"], answer.resolve);
    await mine.send(message as JSONRPCMessage);
    return answer.promise;
  };
  return { link, asked };
}

test("a server of the program that drives us is reached through one callback, and may speak first", async () => {
  const late: { receive?: (message: JsonObject) => void } = {};
  const { link, asked } = await otherProgram((message) => late.receive?.(message));
  await using mcp = await mcpHarness({ link });
  late.receive = (message) => void mcp.client.receive("calc", message);
  await mcp.start(sdkServer("calc"));
  expect(mcp.state("calc")).toMatchObject({ kind: "sdk", status: "connected", tools: 5 });
  expect(await callText(mcp.tool("mcp__calc__add_numbers"), { a: 20, b: 22 })).toBe('{"sum":42}');
  expect(asked).toEqual(["calc initialize", "calc notifications/initialized", "calc tools/list", "calc tools/call"]);
  await callText(mcp.tool("mcp__calc__grow"));
  await until(() => mcp.client.tools().length === 6);
});

test("a program that does not know the server fails it, and an unknown server's messages are refused", async () => {
  await using mcp = await mcpHarness({ link: () => Promise.reject(new Error("there is no server calc")) });
  await mcp.start(sdkServer("calc"));
  expect(mcp.state("calc")).toMatchObject({ status: "failed", error: "error -32603: there is no server calc" });
  expect(mcp.client.receive("other", { jsonrpc: "2.0", method: "x" })).toBe(false);
});

test("without anybody at the other end the server fails at once", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(sdkServer("calc"));
  expect(mcp.state("calc").status).toBe("failed");
});

test("an abort ends a call that the other program never answers", async () => {
  const { link } = await otherProgram(() => undefined);
  const controller = new AbortController();
  const told: unknown[] = [];
  const silent: McpLink = (server, message, signal) => {
    if (message["method"] === "notifications/cancelled") told.push(message);
    if (message["method"] !== "tools/call") return link(server, message, signal);
    queueMicrotask(() => controller.abort(new Error("enough")));
    return new Promise(() => undefined);
  };
  await using mcp = await mcpHarness({ link: silent });
  await mcp.start(sdkServer("calc"));
  expect(await callTool(mcp.tool("mcp__calc__wait"), {}, { signal: controller.signal })).toMatchObject({
    isError: true,
  });
  expect(told.length).toBe(1);
});

test("the end of the connection tells whoever still answers", async () => {
  let seen: AbortSignal | undefined;
  const transport = new SdkTransport((_message, signal) => {
    seen = signal;
    return new Promise(() => undefined);
  });
  let closes = 0;
  transport.onclose = () => {
    closes += 1;
  };
  await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  await transport.close();
  await transport.close();
  expect({ closes, aborted: seen?.aborted }).toEqual({ closes: 1, aborted: true });
  await expect(transport.send({ jsonrpc: "2.0", id: 2, method: "ping" })).rejects.toThrow("The connection is closed.");
});

deepTest("a program made with the protocol's library: results of every kind", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(programServer("tools", [SDK_SERVER]));
  expect(await callTool(mcp.tool("mcp__tools__picture"), {})).toEqual({
    content: [
      { type: "text", text: "Here it is." },
      { type: "image", mediaType: "image/png", data: PIXEL },
    ],
  });
  expect(await callTool(mcp.tool("mcp__tools__fail"), {})).toEqual({
    content: "The colour is out of stock.",
    isError: true,
  });
  expect(mcp.state("tools").notes).toEqual(["the tool add.numbers is called mcp__tools__add_numbers"]);
});

deepTest("a server's annotations set a tool's level and order, never its subjects", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(programServer("tools", [SDK_SERVER]));
  const add = await mcp.tool("mcp__tools__add_numbers").prepare({ a: 1, b: 2 }, toolContext());
  const fail = await mcp.tool("mcp__tools__fail").prepare({}, toolContext());
  expect(
    [add, fail].map(({ level, concurrencySafe, subjects, title }) => ({ level, concurrencySafe, subjects, title })),
  ).toEqual([
    { level: "read", concurrencySafe: true, subjects: [], title: 'tools · add.numbers {"a":1,"b":2}' },
    { level: "execute", concurrencySafe: false, subjects: [], title: "tools · fail" },
  ]);
  expect(add.preview).toEqual({ kind: "text", text: 'tools: add.numbers\n{\n  "a": 1,\n  "b": 2\n}' });
});

deepTest("an input is sent in its corrected form, and the corrections are named", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(programServer("tools", [SDK_SERVER]));
  const call = await mcp.tool("mcp__tools__add_numbers").prepare({ a: "1", b: 2 }, toolContext());
  expect({ input: call.input, corrections: call.corrections }).toEqual({
    input: { a: 1, b: 2 },
    corrections: ["`a` was sent as a string and read as a number"],
  });
});

test("a server that is removed is gone with its tools", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(programServer("tools", [SDK_SERVER]));
  expect(await mcp.client.remove("tools")).toBe(true);
  expect([mcp.client.states, mcp.client.tools(), mcp.alive()]).toEqual([[], [], []]);
  expect(await mcp.client.remove("tools")).toBe(false);
});

test("an input that does not fit is refused before anything is sent", async () => {
  await using mcp = await mcpHarness();
  await mcp.start(programServer("tools", [SDK_SERVER]));
  await expect(mcp.tool("mcp__tools__add_numbers").prepare({ a: "one" }, toolContext())).rejects.toThrow(
    "The input of mcp__tools__add_numbers does not fit: input must have required property 'b', input/a must be number. Its fields are: a, b.",
  );
});
