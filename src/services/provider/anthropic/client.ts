import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { MessageCountTokensParams, MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { isEventStream, NoStreamError } from "../request/broken-stream.ts";
import { answerEvents, type ServerEvent, serverEvents } from "./server-events.ts";

/** Only this file and those of the two clouds load the SDK; it is itself loaded at the first request. */

type ClientOptions = {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
};

/** Without a key and without a token, no `Authorization` is sent, unless it is among the headers. */
const NO_KEY = { Authorization: null } as const;

/** A body with the betas that it requires. */
export type ClaudeRequest<Body = MessageCreateParamsStreaming> = {
  readonly body: Body;
  readonly betas: readonly string[];
};

/** Sends one request and yields its events in groups, pings included. Aborting `signal` ends the request and frees its connection. */
export type OpenStream = (request: ClaudeRequest, signal: AbortSignal) => AsyncGenerator<readonly ServerEvent[], void>;

export type ClaudeClient = {
  readonly open: OpenStream;
  /** Undefined if the vendor can't count tokens. */
  readonly countTokens:
    | ((request: ClaudeRequest<MessageCountTokensParams>, signal: AbortSignal) => Promise<number>)
    | undefined;
};

/** The parts of the SDK that all vendors' clients share. */
type Poster = Pick<BaseAnthropic, "post">;

/** The timeout is longer than any allowed silence, because Quoll's own timers decide. */
const SDK_TIMEOUT_MS = 900_000;
/** A slow count is useless. */
const COUNT_TIMEOUT_MS = 30_000;

/** Redirects are not followed, because they would send the key to another host. Bun's own 5-minute limit is off. */
const FETCH_OPTIONS = { redirect: "manual", timeout: false } as const;

/** Disables the SDK's own retries, logs and telemetry. */
export const QUIET_OPTIONS = {
  maxRetries: 0,
  timeout: SDK_TIMEOUT_MS,
  logLevel: "off",
  openTelemetry: false,
  fetchOptions: FETCH_OPTIONS,
} as const;

/** A client without its own credentials. */
export function anthropicClient({ apiKey, authToken, baseUrl, headers, fetch }: ClientOptions): ClaudeClient {
  const isKeyless = apiKey === undefined && authToken === undefined;
  const client = new BaseAnthropic({
    apiKey: apiKey ?? null,
    authToken: apiKey === undefined ? (authToken ?? null) : null,
    baseURL: baseUrl,
    ...QUIET_OPTIONS,
    defaultHeaders: { ...(isKeyless && NO_KEY), ...headers },
    ...(fetch && { fetch }),
  });
  return { open: openStream(client), countTokens: countTokens(client) };
}

/** Reads the raw events instead of the SDK's parsed ones, which hide pings and report broken JSON on the console. */
export function openStream(client: Poster): OpenStream {
  return async function* ({ body, betas }, signal) {
    // `messages.create` is not used, because it prints warnings about old models to the console and so onto the screen.
    const headers = betaHeader(betas);
    const request = { body, signal, stream: true, maxRetries: 0, timeout: SDK_TIMEOUT_MS, headers };
    const response = await client.post("/v1/messages", request).asResponse();
    try {
      const answer = isEventStream(response) ? response.body : await otherAnswer(response);
      // The server has accepted the request, before its first event.
      yield [];
      if (answer && "answer" in answer) yield wholeAnswer(answer.answer, response);
      else if (answer) yield* serverEvents(answer);
    } finally {
      await response.body?.cancel().catch(() => {});
    }
  };
}

/** Servers that follow the API never need this code. */
async function otherAnswer(response: Response) {
  const { streamOrAnswer } = await import("../request/no-stream.ts");
  return streamOrAnswer(response);
}

/** @throws {NoStreamError} the JSON is not a message. */
function wholeAnswer(answer: unknown, { headers }: Response): readonly ServerEvent[] {
  const events = answerEvents(answer);
  if (events === undefined) throw new NoStreamError(headers.get("content-type") ?? "JSON");
  return events;
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
