import { describe, expect, test } from "bun:test";
import type { Progress } from "../../../src/contracts/display.ts";
import type { McpServerConfig } from "../../../src/services/mcp/config/server-config.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { callText, callTool, mcpHarness } from "./mcp-harness.ts";
import { httpServer, type Seen } from "./servers/http-server.ts";
import { sseServer } from "./servers/sse-server.ts";

function remote(name: string, url: string): McpServerConfig {
  return { name, isDisabled: false, kind: "http", url, headers: {} };
}

function isCall({ body }: Seen): boolean {
  return body.includes('"tools/call"');
}

describe("streamable HTTP", () => {
  test("tools are listed and called, with the headers of the configuration, and the session is given back", async () => {
    await using web = httpServer();
    {
      await using mcp = await mcpHarness();
      await mcp.start(web.config("web", { "X-Team": "quoll" }));
      expect(mcp.state("web")).toMatchObject({
        status: "connected",
        kind: "http",
        program: { name: "tools", version: "2.0.0" },
      });
      expect(await callText(mcp.tool("mcp__web__add_numbers"), { a: 2, b: 3 })).toBe('{"sum":5}');
      expect(web.seen.every(({ headers }) => headers.get("x-team") === "quoll")).toBe(true);
      expect(web.sessions.size).toBe(1);
    }
    expect(web.sessions.size).toBe(0);
  });

  test("progress is reported, and an abort reaches the server", async () => {
    await using web = httpServer();
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    const controller = new AbortController();
    const seen: Progress[] = [];
    const call = callTool(
      mcp.tool("mcp__web__wait"),
      {},
      { signal: controller.signal, report: (one) => seen.push(one) },
    );
    await until(() => seen.length >= 2);
    controller.abort(new Error("enough"));
    expect(await call).toMatchObject({ isError: true });
    await until(() => web.seen.some(({ body }) => body.includes("notifications/cancelled")));
  });

  test("nothing waits for a server that does not take the news about the roots", async () => {
    const ask = { jsonrpc: "2.0", id: 900, method: "roots/list" };
    const asking = (id: unknown) => [ask, { jsonrpc: "2.0", id, result: { content: [] } }];
    const stream = (messages: readonly object[]) =>
      new Response(messages.map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`).join(""), {
        headers: { "content-type": "text/event-stream" },
      });
    await using web = httpServer({
      intercept: (seen) => {
        if (isCall(seen)) return stream(asking(JSON.parse(seen.body).id));
        return seen.body.includes("roots/list_changed") ? new Promise(() => undefined) : undefined;
      },
    });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    await callTool(mcp.tool("mcp__web__wait"), {});
    await until(() => web.seen.some(({ body }) => body.includes('"roots":[')));
    const told: unknown = mcp.client.rootsChanged();
    expect(told).toBeUndefined();
    await until(() => web.seen.some(({ body }) => body.includes("roots/list_changed")));
  });

  deepTest("a list that changes is read again", async () => {
    await using web = httpServer();
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    await callText(mcp.tool("mcp__web__grow"));
    await until(() => mcp.client.tools().some(({ spec }) => spec.name === "mcp__web__grown"));
    expect(await callText(mcp.tool("mcp__web__grown"))).toBe("grown");
  });

  deepTest("a session that the server has forgotten is opened anew, and the call made once", async () => {
    await using web = httpServer();
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    web.sessions.clear();
    expect(await callText(mcp.tool("mcp__web__add_numbers"), { a: 1, b: 1 })).toBe('{"sum":2}');
    expect(web.seen.filter(isCall).length).toBe(2);
    expect(web.sessions.size).toBe(1);
  });

  test("an answer stream that ends without the answer fails the call at once", async () => {
    const cut = () =>
      new Response(new ReadableStream({ start: (controller) => controller.close() }), {
        headers: { "content-type": "text/event-stream" },
      });
    await using web = httpServer({ intercept: (seen) => (isCall(seen) ? cut() : undefined) });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    await expect(callTool(mcp.tool("mcp__web__add_numbers"), { a: 1, b: 1 })).rejects.toThrow(
      'The MCP server "web" was lost during this call (the connection was lost). A part may be done. The next call starts it again.',
    );
    expect(web.seen.filter(isCall).length).toBe(1);
  });

  test("an answer stream that can be resumed is resumed", async () => {
    let id: unknown;
    let resumed = 0;
    await using web = httpServer({
      intercept: (seen) => {
        const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });
        if (isCall(seen)) {
          id = JSON.parse(seen.body).id;
          return stream("id: e1\nretry: 5\ndata: \n\n");
        }
        if (seen.method !== "GET" || seen.headers.get("last-event-id") !== "e1") return undefined;
        resumed += 1;
        const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "after a break" }] } };
        return stream(`id: e2\ndata: ${JSON.stringify(answer)}\n\n`);
      },
    });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    expect(await callText(mcp.tool("mcp__web__add_numbers"), { a: 1, b: 1 })).toBe("after a break");
    expect(resumed).toBe(1);
  });

  test("an error status fails the call and is named; the connection is opened anew after three", async () => {
    let isBroken = true;
    await using web = httpServer({
      intercept: (seen) => (isBroken && isCall(seen) ? new Response("the disk\n is full", { status: 503 }) : undefined),
    });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    const tool = mcp.tool("mcp__web__add_numbers");
    for (let round = 0; round < 3; round += 1)
      await expect(callTool(tool, { a: 1, b: 1 })).rejects.toThrow(
        'The MCP server "web" failed: it answered 503: the disk is full. It may have done a part of the work.',
      );
    isBroken = false;
    const starts = () => web.seen.filter(({ body }) => body.includes('"initialize"')).length;
    expect(starts()).toBe(1);
    expect(await callText(tool, { a: 1, b: 1 })).toBe('{"sum":2}');
    expect(starts()).toBe(2);
  });

  test("a server that went away fails the call and is reached again when it is back", async () => {
    const web = httpServer();
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    const tool = mcp.tool("mcp__web__add_numbers");
    await web.stop();
    await expect(callTool(tool, { a: 1, b: 1 })).rejects.toThrow("it is unreachable (connection refused)");
    await using _ = httpServer({ port: Number(new URL(web.url).port) });
    expect(await callText(tool, { a: 1, b: 1 })).toBe('{"sum":2}');
  });
});

describe("failing to connect", () => {
  test("a server that needs a login has its own state, and is not asked again at each call", async () => {
    await using web = httpServer({ intercept: () => new Response("who are you?", { status: 401 }) });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    expect(mcp.state("web")).toMatchObject({
      status: "needs-auth",
      error: "it answered 401: check the Authorization header (headers in its configuration)",
    });
    expect(web.seen.length).toBe(1);
  });

  test("the error names a wrong address and the allowed forms", async () => {
    await using web = httpServer({ intercept: () => new Response("nothing here", { status: 404 }) });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    expect(mcp.state("web").error).toBe(
      'it answered 404: nothing here; if the address is correct, the server may need "type": "sse"',
    );
  });

  test("the error names a page that came instead of an answer", async () => {
    const page = () => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } });
    await using web = httpServer({ intercept: page });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web"));
    expect(mcp.state("web")).toMatchObject({ status: "failed", error: expect.stringContaining("text/html") });
  });

  test("the error names a closed port", async () => {
    const web = httpServer();
    await web.stop();
    await using mcp = await mcpHarness();
    await mcp.start(remote("web", web.url));
    expect(mcp.state("web")).toMatchObject({ status: "failed", error: "it is unreachable (connection refused)" });
  });

  test("a redirect is followed on the same host only, because headers may be credentials", async () => {
    await using other = httpServer();
    const to = (location: string) => new Response(null, { status: 307, headers: { location } });
    let isAway = false;
    await using web = httpServer({
      intercept: ({ url, method }) => {
        if (isAway && method === "POST") return to(other.url);
        return url.endsWith("/mcp") ? to("/moved") : undefined;
      },
    });
    await using mcp = await mcpHarness();
    await mcp.start(web.config("web", { "X-Key": "secret" }));
    expect(await callText(mcp.tool("mcp__web__add_numbers"), { a: 2, b: 3 })).toBe('{"sum":5}');
    isAway = true;
    await expect(callText(mcp.tool("mcp__web__add_numbers"), { a: 1, b: 1 })).rejects.toThrow(
      `it redirects to ${new URL(other.url).origin}`,
    );
    expect(other.seen).toEqual([]);
  });

  test("a server that never answers is given up", async () => {
    const never = new Promise<undefined>(() => undefined);
    await using web = httpServer({ intercept: () => never });
    const { MCP_LIMITS } = await import("../../../src/services/mcp/mcp-limits.ts");
    await using mcp = await mcpHarness({ limits: { ...MCP_LIMITS, startMs: 100 } });
    await mcp.start(web.config("web"));
    expect(mcp.state("web")).toMatchObject({ status: "failed", error: "it did not answer within 0.1s" });
  });
});

test("the older transport over server-sent events works, and its end is noticed", async () => {
  await using web = sseServer();
  await using mcp = await mcpHarness();
  await mcp.start(web.config);
  expect(mcp.state("old")).toMatchObject({ status: "connected", kind: "sse", tools: 2 });
  expect(await callText(mcp.tool("mcp__old__greet"))).toBe("hello");
  await expect(callTool(mcp.tool("mcp__old__hang"), {})).rejects.toThrow("was lost during this call");
});
