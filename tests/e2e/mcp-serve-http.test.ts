import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { deepTest } from "../support/deep.ts";
import { eventually, isRunning } from "../support/eventually.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { SERVED_TOKEN, serveHttp, textOf } from "../support/served-client.ts";

setDefaultTimeout(60_000);

const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** The status of a request with these headers; `fetch` would replace the host. */
function statusOf(url: URL, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: "POST", headers: { ...HEADERS, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
    request.end(JSON.stringify(INITIALIZE));
  });
}

test("HTTP needs the token and a host and origin of this machine, and knows no foreign session", async () => {
  await using place = await quollPlace();
  await using server = await serveHttp(place);
  const { url } = server;
  const authorization = `Bearer ${SERVED_TOKEN}`;
  const cases = [
    [{}, 401],
    [{ authorization: "Bearer another-token-here" }, 401],
    [{ authorization, host: "evil.example" }, 403],
    [{ authorization, host: `evil.example:${url.port}` }, 403],
    [{ authorization, origin: "http://evil.example" }, 403],
    [{ authorization, origin: "null" }, 403],
    [{ authorization, "mcp-session-id": "1" }, 404],
    [{ authorization, origin: "http://localhost:5173", host: "localhost" }, 200],
  ] as const;
  for (const [headers, status] of cases) expect([headers, await statusOf(url, headers)]).toEqual([headers, status]);
});

deepTest("one client more than 16 over HTTP ends the idle session that was used longest ago", async () => {
  await using place = await quollPlace();
  await using server = await serveHttp(place);
  const post = (message: object, session?: string) =>
    fetch(server.url, {
      method: "POST",
      headers: { ...HEADERS, authorization: `Bearer ${SERVED_TOKEN}`, ...(session && { "mcp-session-id": session }) },
      body: JSON.stringify(message),
    });
  const ids: string[] = [];
  for (let at = 0; at <= 16; at += 1) ids.push((await post(INITIALIZE)).headers.get("mcp-session-id") ?? "");
  const statuses = await Promise.all(
    ids.map(async (id) => (await post({ jsonrpc: "2.0", id: 2, method: "ping" }, id)).status),
  );
  expect(statuses).toEqual([404, ...Array.from({ length: 16 }, () => 200)]);
});

test("clients over HTTP share no grants and no files that were read, and a session ends for good", async () => {
  await using place = await quollPlace({ files: { "a.txt": "one\n" } });
  await using server = await serveHttp(place);
  await using first = await server.connect({ answer: () => ({ answer: "session" }) });
  await using second = await server.connect({ answer: () => "decline" });
  const log = { command: "echo line >> log", description: "Append" };
  expect((await first.call("Bash", log)).isError).toBeUndefined();
  expect((await first.call("Bash", log)).isError).toBeUndefined();
  expect(first.asked).toHaveLength(1);
  expect((await second.call("Bash", log)).isError).toBe(true);
  expect(readFileSync(join(place.project.dir, "log"), "utf8")).toBe("line\nline\n");
  await first.call("Read", { file_path: "a.txt" });
  const edit = { file_path: "a.txt", old_string: "one", new_string: "two" };
  expect(textOf(await second.call("Edit", edit))).toContain("Read");
  expect((await first.call("Edit", edit)).isError).toBeUndefined();
  const transport = second.client.transport as StreamableHTTPClientTransport;
  await transport.terminateSession();
  await expect(first.client.ping()).resolves.toEqual({});
});

deepTest("a signal ends the HTTP server with everything that its clients started", async () => {
  await using place = await quollPlace();
  await using server = await serveHttp(place, ["--allowed-tools", "Bash,Edit"]);
  await using client = await server.connect();
  const call = client.call("Bash", { command: "echo $$ > pid; exec sleep 60", description: "Wait" }).catch(String);
  const file = join(place.project.dir, "pid");
  const readPid = () => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
  await eventually("the command wrote its process id", () => readPid() > 0);
  server.child.kill("SIGTERM");
  expect(await server.child.exited).toBe(143);
  expect(isRunning(readPid())).toBe(false);
  await client.client.close();
  await call;
});

test("a wrong option of an HTTP server is reported at its start", async () => {
  await using place = await quollPlace();
  const { code, out, err } = await place.run(["mcp", "serve", "--http", "--tools", "Raed"]);
  expect({ code, out, err }).toEqual({
    code: 2,
    out: "",
    err: 'quoll: --tools: there is no tool "Raed"; did you mean Read?\n',
  });
});
