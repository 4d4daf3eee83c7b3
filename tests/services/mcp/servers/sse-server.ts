import type { McpServerConfig } from "../../../../src/services/mcp/config/server-config.ts";

const TOOLS = ["hang", "greet"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** A server of the older transport over server-sent events. Its tool `hang` ends the stream. `intercept` answers in its place. */
export function sseServer(intercept: (request: Request) => Response | undefined = () => undefined) {
  let push: ((text: string) => void) | undefined;
  let hangUp: (() => void) | undefined;
  const event = (name: string, data: unknown) =>
    `event: ${name}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  const web = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const other = intercept(request);
      if (other) return other;
      if (request.method === "GET") {
        const stream = new ReadableStream({
          start(controller) {
            push = (text) => controller.enqueue(new TextEncoder().encode(text));
            hangUp = () => controller.close();
            push(event("endpoint", "/messages"));
          },
        });
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      }
      const { id, method, params } = await request.json();
      const serverInfo = { name: "old", version: "1" };
      const results: Record<string, object> = {
        initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo },
        "tools/list": { tools: TOOLS },
        "tools/call": { content: [{ type: "text", text: "hello" }] },
      };
      if (method === "tools/call" && params.name === "hang") hangUp?.();
      else if (id !== undefined) push?.(event("message", { jsonrpc: "2.0", id, result: results[method] }));
      return new Response("", { status: 202 });
    },
  });
  const url = `http://127.0.0.1:${web.port}/sse`;
  const config: McpServerConfig = { name: "old", isDisabled: false, kind: "sse", url, headers: {} };
  return {
    config,
    url,
    async [Symbol.asyncDispose]() {
      await web.stop(true);
    },
  };
}
