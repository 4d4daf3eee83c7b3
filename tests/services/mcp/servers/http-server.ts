import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { McpServerConfig } from "../../../../src/services/mcp/config/server-config.ts";
import { toolServer } from "./tool-server.ts";

export type Seen = { readonly method: string; readonly url: string; readonly headers: Headers; readonly body: string };

type Options = {
  /** Answers in place of the server; undefined lets the server answer. */
  readonly port?: number;
  readonly intercept?: (seen: Seen) => Response | undefined | Promise<Response | undefined>;
};

/** The tool server over streamable HTTP, on 127.0.0.1, with a session for each client. */
export function httpServer({ intercept, port = 0 }: Options = {}) {
  const sessions = new Map<string, { server: McpServer; transport: WebStandardStreamableHTTPServerTransport }>();
  const seen: Seen[] = [];
  const open = async () => {
    const server = toolServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  };
  const http = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.clone().text();
      const one = { method: request.method, url: request.url, headers: request.headers, body };
      seen.push(one);
      const other = await intercept?.(one);
      if (other) return other;
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await open() : sessions.get(id)?.transport;
      if (!transport) return new Response("no such session", { status: 404 });
      return transport.handleRequest(request);
    },
  });
  const url = `http://127.0.0.1:${http.port}/mcp`;
  return {
    url,
    seen,
    sessions,
    config: (name: string, headers: Readonly<Record<string, string>> = {}): McpServerConfig => ({
      name,
      isDisabled: false,
      kind: "http",
      url,
      headers,
    }),
    stop: () => http.stop(true),
    [Symbol.asyncDispose]: async () => {
      await http.stop(true);
    },
  };
}
