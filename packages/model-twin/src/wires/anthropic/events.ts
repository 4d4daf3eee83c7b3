import type { Reply } from "../../scenario.ts";
import { DEFAULT_DELTA_CHARS, pieces } from "../pieces.ts";
import type { Frame, StreamFrames } from "../stream-steps.ts";
import { DEFAULT_STREAM_ERROR } from "./api-error.ts";
import { type RenderedMessage, stopDetails, wireMessage, wireUsage } from "./render.ts";
import type { RenderedBlock } from "./rendered-block.ts";

/** The API counts the first token in `message_start`; the true number comes last. */
const FIRST_OUTPUT_TOKENS = 1;

export type Event = { readonly type: string; readonly [field: string]: unknown };

/** One server-sent event, as the API writes it. Format: WHATWG HTML, "Server-sent events". */
function sse(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** An event before it is framed for a wire. */
type Placed = { readonly event: Event; readonly isDelta: boolean };

const placed = (event: Event, isDelta = false): Placed => ({ event, isDelta });

type BlockStream = { readonly start: Readonly<Record<string, unknown>>; readonly deltas: readonly Event[] };

/** The start of a block, and the deltas that fill it. */
function blockStream({ block, inputText = "" }: RenderedBlock, deltaChars: number, repeatFirst: boolean): BlockStream {
  const firstOf = (parts: readonly string[]) => (repeatFirst ? (parts[0] ?? "") : "");
  switch (block.type) {
    case "text": {
      const parts = pieces(block.text, deltaChars);
      const { citations } = block;
      return {
        start: { ...(citations && { citations: [] }), type: "text", text: firstOf(parts) },
        deltas: [
          ...(citations ?? []).map((citation) => ({ type: "citations_delta", citation })),
          ...parts.map((text) => ({ type: "text_delta", text })),
        ],
      };
    }
    case "thinking": {
      const parts = pieces(block.thinking, deltaChars);
      return {
        start: { type: "thinking", thinking: firstOf(parts), signature: "" },
        deltas: [
          ...parts.map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature },
        ],
      };
    }
    case "tool_use": {
      // The API's first input delta is empty; for a call without arguments it is the only one.
      const parts = ["", ...pieces(inputText, deltaChars)];
      return {
        start: { type: "tool_use", id: block.id, name: block.name, input: {} },
        deltas: parts.map((json) => ({ type: "input_json_delta", partial_json: json })),
      };
    }
    case "server_tool_use": {
      const parts = ["", ...pieces(inputText, deltaChars)];
      return {
        start: { ...block, input: {} },
        deltas: parts.map((json) => ({ type: "input_json_delta", partial_json: json })),
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

/** Every event of an answer, in order: start, blocks, the stop reason with the final usage, stop. */
export function messageEvents(message: RenderedMessage, { deltaChars, repeatFirstDelta }: Reply): readonly Placed[] {
  const { stopReason, stopSequence, usage } = message;
  const started = {
    ...wireMessage(message),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: wireUsage(usage, FIRST_OUTPUT_TOKENS),
  };
  const blocks = message.blocks.flatMap((rendered, index) => {
    const { start, deltas } = blockStream(rendered, deltaChars ?? DEFAULT_DELTA_CHARS, repeatFirstDelta ?? false);
    return [
      placed({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => placed({ type: "content_block_delta", index, delta }, true)),
      placed({ type: "content_block_stop", index }),
    ];
  });
  const end = { stop_reason: stopReason, stop_sequence: stopSequence, stop_details: stopDetails(stopReason) };
  return [
    placed({ type: "message_start", message: started }),
    ...blocks,
    placed({ type: "message_delta", delta: end, usage: wireUsage(usage, usage.outputTokens, message.searches) }),
    placed({ type: "message_stop" }),
  ];
}

export function streamFrames(message: RenderedMessage, reply: Reply, requestId: string): StreamFrames {
  return {
    frames: messageEvents(message, reply).map(({ event, isDelta }): Frame => ({ text: sse(event), isDelta })),
    ping: sse({ type: "ping" }),
    error: (type = DEFAULT_STREAM_ERROR, text = "Overloaded") =>
      sse({ type: "error", error: { type, message: text }, request_id: requestId }),
  };
}
