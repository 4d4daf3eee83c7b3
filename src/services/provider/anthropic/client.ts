import { Anthropic } from "@anthropic-ai/sdk/client";
import type { MessageCountTokensParams, MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { refuseNoStream } from "../request/no-stream.ts";
import { requestBytes } from "./request-bytes.ts";
import { type ServerEvent, serverEvents } from "./server-events.ts";

/** With the files of the two clouds the only one that loads the SDK; itself loaded at the first request. */

type ClientOptions = {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
};

/** A body, and the betas that it needs. */
export type ClaudeRequest<Body = MessageCreateParamsStreaming> = {
  readonly body: Body;
  readonly betas: readonly string[];
};

/** Sends one request and gives the events of its answer as they come together, pings included. Aborting `signal` ends it and frees its connection. */
export type OpenStream = (request: ClaudeRequest, signal: AbortSignal) => AsyncGenerator<readonly ServerEvent[], void>;

export type ClaudeClient = {
  readonly open: OpenStream;
  /** Undefined where the vendor counts none. */
  readonly countTokens:
    | ((request: ClaudeRequest<MessageCountTokensParams>, signal: AbortSignal) => Promise<number>)
    | undefined;
};

/** What the clients of all vendors have of the SDK's. */
type Poster = Pick<Anthropic, "post">;

/** Longer than any silence that we bear: our own timers decide. */
const SDK_TIMEOUT_MS = 900_000;
/** Counting is quick, or of no use. */
const COUNT_TIMEOUT_MS = 30_000;

/** A redirect is not followed: it would carry the key to another host. Bun's own limit of 5 minutes is off. */
const FETCH_OPTIONS = { redirect: "manual", timeout: false } as const;

/** With it the SDK sends a text as it stands. */
const JSON_HEADER = { "content-type": "application/json" } as const;

/** Without retries, logs and telemetry of the SDK's own. */
export const QUIET_OPTIONS = {
  maxRetries: 0,
  timeout: SDK_TIMEOUT_MS,
  logLevel: "off",
  openTelemetry: false,
  fetchOptions: FETCH_OPTIONS,
} as const;

/** A client without credentials of its own. */
export function anthropicClient({ apiKey, authToken, baseUrl, headers, fetch }: ClientOptions): ClaudeClient {
  const client = new Anthropic({
    apiKey: apiKey ?? null,
    authToken: apiKey === undefined ? (authToken ?? null) : null,
    baseURL: baseUrl,
    ...QUIET_OPTIONS,
    ...(headers && { defaultHeaders: headers }),
    ...(fetch && { fetch }),
  });
  return { open: openStream(client, (bytes) => bytes), countTokens: countTokens(client) };
}

/**
 * The raw events are read, not the SDK's parsed ones: those hide pings, and report broken JSON on the console.
 * @param bodyOf What the client takes as a body that is written already.
 */
export function openStream(client: Poster, bodyOf: (bytes: Uint8Array) => Uint8Array | string): OpenStream {
  return async function* ({ body, betas }, signal) {
    // Not `messages.create`: it writes to the console that a model is old, in the middle of our screen.
    const headers = { ...JSON_HEADER, ...betaHeader(betas) };
    const written = bodyOf(requestBytes(body));
    const request = { body: written, signal, stream: true, maxRetries: 0, timeout: SDK_TIMEOUT_MS, headers };
    const response = await client.post("/v1/messages", request).asResponse();
    try {
      await refuseNoStream(response);
      // The server has taken the request, whenever its first event comes.
      yield [];
      if (response.body) yield* serverEvents(response.body);
    } finally {
      await response.body?.cancel().catch(() => {});
    }
  };
}

/** A cloud's SDK changes the body, which it takes apart for that: only a text can be. */
export function cloudStream(client: Poster): OpenStream {
  return openStream(client, (bytes) => new TextDecoder().decode(bytes));
}

export function countTokens(client: Poster): NonNullable<ClaudeClient["countTokens"]> {
  return async ({ body, betas }, signal) => {
    const request = { body, signal, maxRetries: 0, timeout: COUNT_TIMEOUT_MS, headers: betaHeader(betas) };
    const { input_tokens: tokens } = await client.post<{ input_tokens: number }>("/v1/messages/count_tokens", request);
    return tokens;
  };
}

function betaHeader(betas: readonly string[]): Record<string, string> {
  return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") };
}
