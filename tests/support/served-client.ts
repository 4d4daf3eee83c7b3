import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { QUOLL, type quollPlace } from "./quoll-process.ts";

type Place = Awaited<ReturnType<typeof quollPlace>>;
export type Answer = ElicitResult["content"] | "decline" | "cancel";

type ClientOptions = {
  /** Answers questions; without it, the client can't show any. */
  readonly answer?: (message: string) => Answer;
  readonly roots?: readonly string[];
  /** The client also opens pages. */
  readonly opensPages?: true;
};

/** The published client, connected to `quoll mcp serve` over a transport. */
export async function servedClient(transport: Transport, { answer, roots, opensPages }: ClientOptions = {}) {
  const elicitation = opensPages ? { form: {}, url: {} } : {};
  const capabilities = { ...(answer && { elicitation }), ...(roots && { roots: {} }) };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  const asked: string[] = [];
  const logged: unknown[] = [];
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, ({ params }): ElicitResult => {
      asked.push(params.mode === "url" ? `${params.message} ${params.url}` : params.message);
      const content = answer(params.message);
      return typeof content === "string" ? { action: content } : { action: "accept", content };
    });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport);
  return {
    client,
    asked,
    logged,
    closed,
    call: (name: string, input: object) =>
      client.callTool({ name, arguments: { ...input } }) as Promise<CallToolResult>,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The same, with the real program as its child process. */
export async function stdioClient(place: Place, args: readonly string[] = [], options: ClientOptions = {}) {
  const transport = new StdioClientTransport({
    command: QUOLL[0],
    args: ["mcp", "serve", ...args],
    cwd: place.project.dir,
    env: definedOf(place.environmentOf({})),
    stderr: "pipe",
  });
  let err = "";
  transport.stderr?.on("data", (chunk) => {
    err += String(chunk);
  });
  return { ...(await servedClient(transport, options)), errSoFar: () => err };
}

/** The token of the servers of `serveHttp`. */
export const SERVED_TOKEN = "a-token-for-tests";

/** `quoll mcp serve --http` in a place, with its URL. The end of its scope ends it. */
export async function serveHttp(place: Place, args: readonly string[] = []) {
  const child = Bun.spawn([...QUOLL, "mcp", "serve", "--http", ...args], {
    cwd: place.project.dir,
    env: place.environmentOf({ env: { QUOLL_MCP_TOKEN: SERVED_TOKEN } }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const { value } = await child.stdout.getReader().read();
  const url = new URL(new TextDecoder().decode(value).split("\n")[0] ?? "");
  const connect = (options: ClientOptions = {}) => {
    const requestInit = { headers: { authorization: `Bearer ${SERVED_TOKEN}` } };
    return servedClient(new StreamableHTTPClientTransport(url, { requestInit }), options);
  };
  const dispose = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };
  return { child, url, connect, [Symbol.asyncDispose]: dispose };
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
