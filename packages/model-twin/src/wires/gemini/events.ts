import { pieces } from "../pieces.ts";
import type { Frame, StreamFrames } from "../stream-steps.ts";
import { errorBody, eventFault } from "./api-error.ts";
import { ending, envelope, type GeminiReply, promptFeedback } from "./render.ts";
import type { Part } from "./request.ts";

/** With `alt=sse` a stream is server-sent events, else one JSON array. */
export type Framing = "sse" | "array";

const sse = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\r\n\r\n`;
const SSE_PING = ": ping\r\n\r\n";
/** White space between the items of the array. */
const ARRAY_PING = "\r\n";

type Chunk = { readonly body: unknown; readonly isDelta: boolean };

/** The parts in the order of sending: text in pieces, each call in one piece. */
function sentParts({ parts }: GeminiReply, deltaChars: number): readonly Part[] {
  return parts.flatMap((part) => {
    const { text } = part;
    return text === undefined ? [part] : pieces(text, deltaChars).map((piece) => ({ ...part, text: piece }));
  });
}

/** Every chunk of an answer, in order; the finish reason with the final usage comes last, in a separate chunk. */
function chunksOf(reply: GeminiReply, deltaChars: number): readonly Chunk[] {
  const { blockReason, endSignature } = reply;
  if (blockReason !== undefined)
    return [{ body: { ...promptFeedback(blockReason), ...envelope(reply, true) }, isDelta: false }];
  const chunk = (part: Part, end: object, isFinal: boolean) => ({
    candidates: [{ content: { parts: [part], role: "model" }, ...end, index: 0 }],
    ...envelope(reply, isFinal),
  });
  const deltas = sentParts(reply, deltaChars).map((part) => ({ body: chunk(part, {}, false), isDelta: true }));
  const last: Part = { text: "", ...(endSignature !== undefined && { thoughtSignature: endSignature }) };
  // A fault strikes after the chunk that begins an answer, be it an empty one.
  const first = deltas.length === 0 ? [{ body: chunk({ text: "" }, {}, false), isDelta: false }] : [];
  return [...first, ...deltas, { body: chunk(last, ending(reply), true), isDelta: false }];
}

/** An item of the array as text: the text before it depends on its position, and the last item closes the array. */
function item(body: unknown, index: number, isLast: boolean): string {
  return `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(body)}${isLast ? "\r\n]" : ""}`;
}

function framesOf(chunks: readonly Chunk[], framing: Framing): readonly Frame[] {
  return chunks.map(({ body, isDelta }, index) => ({
    text: framing === "sse" ? sse(body) : item(body, index, index === chunks.length - 1),
    isDelta,
  }));
}

type StreamSettings = {
  readonly framing: Framing;
  readonly deltaChars: number;
  /** True if the scenario wants pings: the API itself sends none. */
  readonly hasPings: boolean;
};

export function streamFrames(reply: GeminiReply, { framing, deltaChars, hasPings }: StreamSettings): StreamFrames {
  const ping = framing === "sse" ? SSE_PING : ARRAY_PING;
  return {
    frames: framesOf(chunksOf(reply, deltaChars), framing),
    ping: hasPings ? ping : "",
    error: (type, message, sent) => {
      const body = errorBody(eventFault(type, message));
      return framing === "sse" ? sse(body) : item(body, sent, true);
    },
  };
}
