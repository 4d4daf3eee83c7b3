import { createParser } from "eventsource-parser";
import { BrokenStreamError } from "../request/broken.ts";

/** One event of the stream as it stands in the body. */
export type ServerEvent = { readonly event: string | null; readonly data: string };

/** An event that doesn't end within so much is none. */
const MAX_EVENT_CHARS = 128 * 1024 * 1024;

/**
 * The server-sent events of a body (https://html.spec.whatwg.org/multipage/server-sent-events.html) as they come together, pings
 * included. One that is cut off at the end is left out. Ending the generator cancels the body.
 * @throws {BrokenStreamError} an event is larger than any that makes sense; what the body fails with.
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
  const reader = body.getReader();
  let text = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text = decoder.decode(read.value, { stream: true });
      parser.feed(text);
      const complete = events;
      events = [];
      // Also when none is complete: whoever waits sees that something comes.
      yield complete;
    }
    // Behind this the parser waits for a line feed, which ends no other line.
    if (!text.endsWith("\r")) return;
    parser.feed("\n");
    yield events;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
