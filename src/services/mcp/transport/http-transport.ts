import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { CONNECTION_LOST, CONNECTION_LOST_MESSAGE } from "./session-error.ts";
import { OversizedMessageError } from "./sized-fetch.ts";

/** After a stream has ended, its last events may still be in the parser. */
const DRAIN_MS = 50;
/** JSON-RPC: an internal error. */
const OVERSIZED = -32603;
const FAREWELL_MS = 1_000;
/** Settings for the stream of server messages, and for resumable answers. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 5,
};

export type HttpDeps = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly Inner: typeof StreamableHTTPClientTransport;
  readonly fetch: FetchLike;
};

/**
 * Streamable HTTP. Extends the library's transport: a request whose answer stream ends without an answer fails at once
 * (unless the server allows resuming), and the session is closed at the end.
 */
export class HttpTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: (error: Error) => void;
  onclose?: () => void;

  readonly #inner: StreamableHTTPClientTransport;
  /** Requests that have no answer yet. */
  readonly #open = new Set<RequestId>();
  readonly #resumable = new Set<RequestId>();
  #closed: Promise<void> | undefined;

  constructor({ url, headers, Inner, fetch }: HttpDeps) {
    this.#inner = new Inner(new URL(url), {
      requestInit: { headers: { ...headers } },
      reconnectionOptions: RECONNECTION,
      fetch: async (input, init) => this.#watched(await fetch(input, init), init),
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#deliver(message);
    this.#inner.onerror = (error) => {
      if (error.message.startsWith("Maximum reconnection attempts")) for (const id of this.#resumable) this.#fail(id);
      this.onerror?.(error);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (id === undefined) return this.#inner.send(message);
    this.#open.add(id);
    try {
      await this.#inner.send(message, { onresumptiontoken: () => void this.#resumable.add(id) });
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.onclose?.();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, FAREWELL_MS);
    await Promise.race([this.#inner.terminateSession().catch(() => undefined), late.promise]);
    clearTimeout(timer);
    await this.#inner.close();
  }

  #deliver(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.#forget(message.id);
    this.onmessage?.(message);
  }

  #forget(id: RequestId): void {
    this.#open.delete(id);
    this.#resumable.delete(id);
  }

  #fail(id: RequestId, error = { code: CONNECTION_LOST, message: CONNECTION_LOST_MESSAGE }): void {
    if (!this.#open.has(id) || this.#closed) return;
    this.#deliver({ jsonrpc: "2.0", id, error });
  }

  /** Wraps a response to detect its end, if it is the stream for an answer. */
  #watched(response: Response, init: RequestInit | undefined): Response {
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const id = init?.method === "POST" && isStream && response.ok ? requestId(init.body) : undefined;
    if (id === undefined || !response.body) return response;
    const onEnd = (error?: unknown) => {
      if (error instanceof OversizedMessageError) return this.#fail(id, { code: OVERSIZED, message: error.message });
      setTimeout(() => {
        if (!this.#resumable.has(id)) this.#fail(id);
      }, DRAIN_MS);
    };
    const { status, statusText, headers } = response;
    return new Response(noticingEnd(response.body, onEnd), { status, statusText, headers });
  }
}

function requestId(body: RequestInit["body"]): RequestId | undefined {
  const message: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
  if (typeof message !== "object" || message === null || !("id" in message)) return undefined;
  return typeof message.id === "number" || typeof message.id === "string" ? message.id : undefined;
}

function noticingEnd(body: ReadableStream<Uint8Array>, onEnd: (error?: unknown) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        onEnd();
      } catch (error) {
        controller.error(error);
        onEnd(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
