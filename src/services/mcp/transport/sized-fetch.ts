import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A remote server sent a message above the limit; the rest of it was not read. */
export class OversizedMessageError extends Error {
  override name = "OversizedMessageError";
}

/** A `fetch` whose answers are cut off when one message (a body or an event of a stream) is larger than `maxBytes`. */
export function sizedFetch(fetch: FetchLike, maxBytes: number): FetchLike {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const { status, statusText, headers } = response;
    const size = isStream ? new EventSize() : new BodySize();
    return new Response(limited(response.body, size, maxBytes), { status, statusText, headers });
  };
}

interface MessageSize {
  /** @returns the bytes of the message that the chunk leaves unfinished. */
  add(chunk: Uint8Array): number;
}

class BodySize implements MessageSize {
  #bytes = 0;

  add(chunk: Uint8Array): number {
    this.#bytes += chunk.length;
    return this.#bytes;
  }
}

/** An event ends with an empty line. */
class EventSize implements MessageSize {
  #bytes = 0;
  #lineBytes = 0;
  /** The last byte of the previous chunk. */
  #last: number | undefined;

  add(chunk: Uint8Array): number {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      const isReturn = (at > 0 ? chunk[at - 1] : this.#last) === CARRIAGE_RETURN;
      const line = this.#lineBytes + at - from - (isReturn ? 1 : 0);
      this.#bytes = line === 0 ? 0 : this.#bytes + at + 1 - from;
      this.#lineBytes = 0;
      from = at + 1;
    }
    this.#last = chunk.at(-1) ?? this.#last;
    this.#lineBytes += chunk.length - from;
    this.#bytes += chunk.length - from;
    return this.#bytes;
  }
}

function limited(body: ReadableStream<Uint8Array>, size: MessageSize, maxBytes: number): ReadableStream<Uint8Array> {
  const megabytes = Math.round(maxBytes / 1024 / 1024);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (size.add(chunk) <= maxBytes) controller.enqueue(chunk);
        else controller.error(new OversizedMessageError(`it sent a message of more than ${megabytes} MB`));
      },
    }),
  );
}
