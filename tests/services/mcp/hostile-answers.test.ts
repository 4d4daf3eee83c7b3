import { expect, test } from "bun:test";
import { MCP_LIMITS } from "../../../src/services/mcp/mcp-limits.ts";
import { sizedFetch } from "../../../src/services/mcp/transport/sized-fetch.ts";
import { callText, callTool, mcpHarness } from "./mcp-harness.ts";
import type { Seen } from "./servers/http-server.ts";
import { httpServer } from "./servers/http-server.ts";

const isCall = ({ body }: Seen) => body.includes('"tools/call"');
const answerTo = ({ body }: Seen, text: string) => {
  const { id } = JSON.parse(body);
  return JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
};
const EVENTS = { headers: { "content-type": "text/event-stream" } };

/** A body that never ends; `sent` counts its bytes. */
function endless(first: string) {
  const sent = { bytes: 0 };
  const piece = new TextEncoder().encode("x".repeat(65_536));
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(sent.bytes === 0 ? new TextEncoder().encode(first) : piece);
      sent.bytes += piece.length;
    },
  });
  return { body, sent };
}

test.each([
  ["a body", { headers: { "content-type": "application/json" } }, '{"a":"'],
  ["an event of a stream", EVENTS, "data: x"],
] as const)(
  "%s without end is not read to the limit of memory, and one line names the server",
  async (_, init, first) => {
    const { body, sent } = endless(first);
    await using web = httpServer({ intercept: (seen) => (isCall(seen) ? new Response(body, init) : undefined) });
    await using mcp = await mcpHarness({ limits: { ...MCP_LIMITS, maxMessageBytes: 1024 * 1024 } });
    await mcp.start(web.config("web"));
    const error = await callTool(mcp.tool("mcp__web__add_numbers"), { a: 1, b: 1 }).then(
      () => "",
      (reason: Error) => reason.message,
    );
    expect(error).toStartWith('The MCP server "web"');
    expect(error).toContain("it sent a message of more than 1 MB");
    expect(error).not.toContain("\n");
    expect(sent.bytes).toBeLessThan(16 * 1024 * 1024);
  },
);

test("a stream of many small events is read on, whatever their sum is", async () => {
  const text = `data: ${"x".repeat(90)}\n\ndata: ${"y".repeat(40)}\r\ndata: ${"y".repeat(40)}\r\n\r\n`.repeat(50);
  for (const size of [1, 7, 10_000]) {
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const served = async () => {
      const left = pieces.values();
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        const { value } = left.next();
        return value ? controller.enqueue(value) : controller.close();
      };
      return new Response(new ReadableStream({ pull }), EVENTS);
    };
    expect(await (await sizedFetch(served, 101)("http://a")).text()).toBe(text);
    const less = async () => (await sizedFetch(served, 60)("http://a")).text();
    // An event within one chunk is in memory already.
    if (size < 60) await expect(less()).rejects.toThrow("it sent a message of more than");
  }
});

test("an answer that comes a byte at a time is read", async () => {
  const slow = (seen: Seen) => {
    const bytes = new TextEncoder().encode(`event: message\ndata: ${answerTo(seen, "slowly · 日本")}\n\n`);
    let at = 0;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise(setImmediate);
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + 1));
        else controller.close();
        at += 1;
      },
    });
    return new Response(body, EVENTS);
  };
  await using web = httpServer({ intercept: (seen) => (isCall(seen) ? slow(seen) : undefined) });
  await using mcp = await mcpHarness();
  await mcp.start(web.config("web"));
  expect(await callText(mcp.tool("mcp__web__add_numbers"), { a: 1, b: 1 })).toBe("slowly · 日本");
});
