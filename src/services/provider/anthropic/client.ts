import { Anthropic } from "@anthropic-ai/sdk/client";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { refuseNoStream } from "../request/no-stream.ts";

/** The only file that loads the SDK; itself loaded at the first request. */

type ClientOptions = {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl: string;
  readonly fetch?: typeof fetch | undefined;
};

/** One event of the stream as it stands in the body. */
export type ServerEvent = { readonly event: string | null; readonly data: string };

/** Sends one request and gives the events of its answer, pings included. Aborting `signal` ends it and frees its connection. */
export type OpenStream = (body: MessageCreateParamsStreaming, signal: AbortSignal) => AsyncGenerator<ServerEvent, void>;

/** Longer than any silence that we bear: our own timers decide. */
const SDK_TIMEOUT_MS = 900_000;

/** A redirect is not followed: it would carry the key to another host. Bun's own limit of 5 minutes is off. */
const FETCH_OPTIONS = { redirect: "manual", timeout: false } as const;

/**
 * A client without retries, logs, telemetry and credentials of its own.
 * The raw events are read, not the SDK's parsed ones: those hide pings, and report broken JSON on the console.
 */
export function anthropicClient({ apiKey, authToken, baseUrl, fetch }: ClientOptions): OpenStream {
  const client = new Anthropic({
    apiKey: apiKey ?? null,
    authToken: apiKey === undefined ? (authToken ?? null) : null,
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    openTelemetry: false,
    fetchOptions: FETCH_OPTIONS,
    ...(fetch && { fetch }),
  });
  return async function* (body, signal) {
    // Not `messages.create`: it writes to the console that a model is old, in the middle of our screen.
    const request = { body, signal, stream: true, maxRetries: 0, timeout: SDK_TIMEOUT_MS };
    const response = await client.post("/v1/messages", request).asResponse();
    try {
      await refuseNoStream(response);
      yield* Stream.rawEvents(response);
    } finally {
      await response.body?.cancel().catch(() => {});
    }
  };
}
