import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { serveExchange } from "./exchange.ts";
import { type RecordedRequest, Recorder } from "./recorder.ts";
import type { Scenario } from "./scenario.ts";
import { scenarioCursor } from "./scenario-cursor.ts";
import { SentReplies } from "./wires/anthropic/sent-replies.ts";
import { type AnthropicOptions, AnthropicWire } from "./wires/anthropic/wire.ts";
import type { BedrockOptions } from "./wires/bedrock/options.ts";
import { BedrockWire } from "./wires/bedrock/wire.ts";
import type { GeminiOptions } from "./wires/gemini/options.ts";
import { GeminiWire } from "./wires/gemini/wire.ts";
import type { OpenAiOptions } from "./wires/openai/options.ts";
import { openAiWires } from "./wires/openai-wires.ts";
import type { VertexOptions } from "./wires/vertex/options.ts";
import { VertexWire } from "./wires/vertex/wire.ts";

const HOST = "127.0.0.1";

export type TwinOptions = AnthropicOptions & {
  readonly scenario: Scenario;
  /** The port; 0, the default, takes a free one. */
  readonly port?: number;
  /** True to restart a list of replies when it is used up; the second and later rounds add a suffix to the ids in the list. */
  readonly loop?: boolean;
  /** The number of latest requests whose bodies are kept; absent for all. */
  readonly keptBodies?: number;
  /** Options of OpenAI's wires; the twin's key, models and window are the defaults. */
  readonly openai?: OpenAiOptions;
  /** Options of the Gemini wire; the twin's key, models and window are the defaults. */
  readonly gemini?: GeminiOptions;
  /**
   * Options of Claude on Bedrock and on Vertex; the key is a bearer token there. The twin's options are the defaults.
   */
  readonly bedrock?: BedrockOptions;
  readonly vertex?: VertexOptions;
};

export interface Twin extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, the form for ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** All requests, including rejected ones, in the order in which their bodies were complete. */
  readonly requests: readonly RecordedRequest[];
  /** The nth request, from 0, as soon as it was judged. @throws {Error} the twin is closed before. */
  request(index: number): Promise<RecordedRequest>;
  /** The nth request, from 0, when its response has ended. @throws {Error} the twin is closed before. */
  answered(index: number): Promise<RecordedRequest>;
  /** Calls `listener` for each later request after it was judged. @returns a function that ends the subscription. */
  onRequest(listener: (request: RecordedRequest) => void): () => void;
  /** Ends every connection at once and stops. Resolves when the port is free; may be called again. */
  close(): Promise<void>;
}

/** Listens on the loopback address only. @throws {Error} the port is taken. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  return `http://${HOST}:${address.port}`;
}

/** Stops a server and breaks its open connections. */
function shutDown(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  });
}

/**
 * Starts a scripted model server on 127.0.0.1.
 *
 * Every request is judged as strictly as the real API would, and recorded; valid ones get the scenario's replies in turn.
 * When the scenario is used up, the answer is 500 with an error that says so.
 * @throws {Error} the port is taken.
 */
export async function startTwin(options: TwinOptions): Promise<Twin> {
  const recorder = new Recorder(options.keptBodies ?? Number.POSITIVE_INFINITY);
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  const { apiKey, models, contextWindowTokens, promptCache } = options;
  const shared = { apiKey, models, contextWindowTokens };
  const claude = { ...shared, promptCache };
  const sent = new SentReplies();
  const host = {
    recorder,
    wires: [
      new AnthropicWire(options, sent),
      ...openAiWires({ ...shared, ...options.openai }),
      new GeminiWire({ ...shared, ...options.gemini }),
      new BedrockWire({ ...claude, ...options.bedrock }, sent),
      new VertexWire({ ...claude, ...options.vertex }, sent),
    ] as const,
    next: scenarioCursor(options.scenario, options.loop ?? false),
    nextNumber: counter(),
    signal: closing.signal,
  };
  const server = createServer((request, response) => void serveExchange(request, response, host));
  // A scripted silence lasts as long as the client waits, and the server does not close idle connections, which a
  // client may be about to reuse.
  server.timeout = 0;
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const url = await listen(server, options.port ?? 0);

  let closed: Promise<void> | undefined;
  const close = () => {
    closing.abort();
    recorder.close();
    closed ??= shutDown(server, sockets);
    return closed;
  };
  return {
    url,
    requests: recorder.requests,
    request: (index) => recorder.whenReceived(index),
    answered: (index) => recorder.whenEnded(index),
    onRequest: (listener) => recorder.subscribe(listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function counter(): () => number {
  let last = 0;
  return () => ++last;
}
