import { createParser } from "eventsource-parser";
import { isJsonObject, type JsonObject } from "../../../contracts/message.ts";
import { parsedObject } from "../../../contracts/parsed-json.ts";
import { BrokenStreamError } from "../request/broken-stream.ts";

/** No line of an event begins so. */
const DOCUMENT = /^\s*\{/;

/** One event of the stream, as in the body. */
export type ServerEvent = { readonly event: string | null; readonly data: string };

/** A longer event is invalid. */
const MAX_EVENT_CHARS = 128 * 1024 * 1024;

/**
 * The server-sent events of a body (https://html.spec.whatwg.org/multipage/server-sent-events.html) in groups as they arrive, pings
 * included. An incomplete event at the end is left out; a last event without its empty line counts if its data is complete JSON. Ending
 * the generator cancels the body.
 * @throws {BrokenStreamError} an event is too large; the error of the body.
 */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly ServerEvent[], void> {
  let events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = null, data }) => events.push({ event, data }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new BrokenStreamError("The server sent an event without end.");
    },
    maxBufferSize: MAX_EVENT_CHARS,
  });
  const decoder = new TextDecoder();
  let text = "";
  /** The body so far, while it may be a JSON document that a server sent as a stream. */
  let document: string | undefined = "";
  for await (const bytes of body) {
    text = decoder.decode(bytes, { stream: true });
    parser.feed(text);
    document = document === undefined || !DOCUMENT.test(document + text) ? undefined : document + text;
    const complete = events;
    events = [];
    // Yields even without a complete event, so that the reader sees activity.
    yield complete;
  }
  // After a carriage return, the parser waits for a line feed.
  if (text.endsWith("\r")) parser.feed("\n");
  const complete = events;
  events = [];
  parser.feed("\n\n");
  const last = [...complete, ...events.filter(({ data }) => parsedObject(data))];
  if (last.length > 0) yield last;
  else if (document !== undefined && parsedObject(document)) yield [{ event: null, data: document }];
}

/** The events that say the same as a message without a stream; undefined if the value is not a message. */
export function answerEvents(answer: unknown): readonly ServerEvent[] | undefined {
  if (!isJsonObject(answer) || !Array.isArray(answer["content"])) return undefined;
  const { content, usage, stop_reason, stop_sequence, ...about } = answer;
  const blocks = (content as readonly unknown[]).filter(isJsonObject);
  return [
    event("message_start", { message: { ...about, content: [], usage } }),
    ...blocks.flatMap((block, index) => [
      event("content_block_start", { index, content_block: block }),
      ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason, stop_sequence }, usage }),
    event("message_stop", {}),
  ];
}

/** Screens show deltas. */
function deltasOf({ type, text, thinking, input }: JsonObject): readonly JsonObject[] {
  if (type === "text") return [{ type: "text_delta", text }];
  if (type === "thinking") return [{ type: "thinking_delta", thinking }];
  return type === "tool_use" ? [{ type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) }] : [];
}

function event(type: string, fields: JsonObject): ServerEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

/** The events of a Messages stream. Servers differ, so every field is optional and checked where it is read. */

export type WireUsage = {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  /** The cost, as routers add it. */
  readonly cost?: unknown;
  readonly server_tool_use?: unknown;
};

export type WireBlock = { readonly type?: unknown; readonly [field: string]: unknown };

export type WireEvent = {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly message?: { readonly model?: unknown; readonly usage?: WireUsage | null } | null;
  readonly content_block?: WireBlock | null;
  readonly delta?: { readonly type?: unknown; readonly [field: string]: unknown } | null;
  readonly usage?: WireUsage | null;
  readonly error?: { readonly type?: unknown; readonly message?: unknown } | null;
};

/** @throws {SyntaxError} the data is not a JSON object. */
export function parseWireEvent(data: string): WireEvent {
  const event: unknown = JSON.parse(data);
  if (typeof event !== "object" || event === null) throw new SyntaxError("an event of the stream is not a JSON object");
  return event;
}
