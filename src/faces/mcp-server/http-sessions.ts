import { createHash, timingSafeEqual } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { MAX_MESSAGE_BYTES, type ServedConnection, type ServePorts, serveConnection } from "./serve-connection.ts";

/** Clients at the same time. A new client ends the least recently used idle session. */
export const MAX_HTTP_SESSIONS = 16;
/** Proxies and clients drop a stream that is silent for a minute. */
const KEEP_ALIVE_MS = 15_000;
const SESSION_HEADER = "mcp-session-id";

type HttpSession = {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly connection: ServedConnection;
};

type HttpPorts = ServePorts & { readonly token: string };

/** The clients of an HTTP server, each with a separate session. */
export class HttpSessions {
  readonly #ports: HttpPorts;
  /** The sessions by id, sorted by last use. */
  readonly #sessions = new Map<string, HttpSession>();

  constructor(ports: HttpPorts) {
    this.#ports = ports;
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const refused = refusalOf(request, this.#ports.token);
    if (refused) return refused;
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return this.#open(request);
    const session = this.#sessions.get(id);
    if (!session) return refusal(404, "There is no such session: it has ended. Initialize a new one.");
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request);
  };

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ connection }) => connection.close()));
  }

  /** Only an initialize request opens a session; the library refuses other requests. */
  async #open(request: Request): Promise<Response> {
    if (this.#isFull && !this.#idle) return refusal(503, `${MAX_HTTP_SESSIONS} clients are busy: try again later.`);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => this.#ports.newId(),
      onsessioninitialized: (id) => this.#keep(id, { transport, connection }),
      keepAliveMs: KEEP_ALIVE_MS,
      maxRequestBodySize: MAX_MESSAGE_BYTES,
    });
    const connection = await serveConnection(transport, this.#ports);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await connection.close();
    return response;
  }

  #keep(id: string, session: HttpSession): void {
    if (this.#isFull) this.#endIdle();
    this.#sessions.set(id, session);
    void session.connection.ended.then(() => this.#sessions.delete(id));
  }

  #endIdle(): void {
    const idle = this.#idle;
    if (!idle) return;
    this.#sessions.delete(idle.transport.sessionId ?? "");
    void idle.connection.close();
  }

  get #isFull(): boolean {
    return this.#sessions.size >= MAX_HTTP_SESSIONS;
  }

  /** The least recently used session without a running call. */
  get #idle(): HttpSession | undefined {
    return [...this.#sessions.values()].find(({ connection }) => !connection.isBusy);
  }
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const PATH = "/mcp";

/** JSON-RPC's code for an error that the protocol does not name. */
const SERVER_ERROR = -32_000;

/**
 * Refuses requests that were not sent by one of the person's programs. A web page whose name resolves to this machine
 * (DNS rebinding) sends its own name as host, and its origin; neither is a name of this machine.
 * @returns undefined if the request is allowed.
 */
function refusalOf(request: Request, token: string): Response | undefined {
  if (!isLoopback(`http://${request.headers.get("host")}`))
    return refusal(403, "The host is not a name of this machine.");
  const origin = request.headers.get("origin");
  if (origin !== null && !isLoopback(origin)) return refusal(403, "The origin is not on this machine.");
  if (!hasToken(request, token))
    return refusal(401, "The token is missing or wrong: send it as `Authorization: Bearer …`.", {
      "WWW-Authenticate": "Bearer",
    });
  if (new URL(request.url).pathname !== PATH) return refusal(404, `There is nothing here: the path is ${PATH}.`);
  return undefined;
}

function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: SERVER_ERROR, message }, id: null }, { status, headers });
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK_NAMES.has(new URL(url).hostname);
}

/** The comparison takes the same time for every wrong token. */
function hasToken({ headers }: Request, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(hashOf(given), hashOf(token));
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
