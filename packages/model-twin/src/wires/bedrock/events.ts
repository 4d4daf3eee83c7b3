import type { Reply } from "../../scenario.ts";
import { type Event, messageEvents } from "../anthropic/events.ts";
import type { RenderedMessage } from "../anthropic/render.ts";
import type { StreamFrames } from "../stream-steps.ts";
import { exceptionEvent } from "./api-error.ts";
import { encodeEvent } from "./event-stream.ts";

const HEADERS = { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" };
/** Each chunk is padded with random-length text, so that its size reveals nothing. */
const PADDING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/** The twin's own count of its answers. */
const LATENCY_MS = 1;

/** The fields that Bedrock adds to the last event. */
function withMetrics(event: Event, { usage }: RenderedMessage): Event {
  if (event.type !== "message_stop") return event;
  const metrics = {
    inputTokenCount: usage.inputTokens,
    outputTokenCount: usage.outputTokens,
    invocationLatency: LATENCY_MS,
    firstByteLatency: LATENCY_MS,
    ...(usage.cacheReadTokens > 0 && { cacheReadInputTokenCount: usage.cacheReadTokens }),
    ...(usage.cacheCreationTokens > 0 && { cacheWriteInputTokenCount: usage.cacheCreationTokens }),
  };
  return { ...event, "amazon-bedrock-invocationMetrics": metrics };
}

function chunk(event: Event, index: number): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(event), "utf8").toString("base64");
  return encodeEvent(HEADERS, { bytes, p: PADDING.slice(0, 1 + (index % PADDING.length)) });
}

/** The events of the Messages API, each in a binary chunk. Bedrock has no pings. */
export function streamFrames(message: RenderedMessage, reply: Reply): StreamFrames {
  return {
    frames: messageEvents(message, reply).map(({ event, isDelta }, index) => ({
      text: chunk(withMetrics(event, message), index),
      isDelta,
    })),
    ping: "",
    error: exceptionEvent,
  };
}
