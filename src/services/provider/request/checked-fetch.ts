import { HttpError } from "./broken-stream.ts";
import { DeltaJoiner } from "./delta-joiner.ts";
import { readErrorBody, refuseNoStream } from "./no-stream.ts";

type CheckedFetchOptions = {
  /** Undefined for the runtime's own fetch. */
  readonly fetch: typeof fetch | undefined;
  /** Applied to the complete events of a body. */
  readonly repair?: ((events: string) => string) | undefined;
  /** Called for each chunk of a body, to show that the connection is alive. */
  readonly touch: () => void;
  /** Called when a response body ends early. The body then ends normally, so that its earlier content is not lost. */
  readonly onBroken: (error: unknown) => void;
};

/** Redirects are not followed, because they would send the key to another host. Bun's own 5-minute limit is off. */
const FETCH_OPTIONS = { redirect: "manual", timeout: false } as const;

/**
 * A `fetch` for the vendors' clients. Rejects every response that is not an event stream before the client sees it, so
 * that one reader handles every failure.
 * @throws {HttpError} the answer is an error.
 * @throws {NoStreamError} the answer is a page or a JSON document.
 */
export function checkedFetch({
  fetch = globalThis.fetch,
  repair = (events) => events,
  touch,
  onBroken,
}: CheckedFetchOptions): typeof globalThis.fetch {
  const checked = async (input: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]): Promise<Response> => {
    const response = await fetch(input, { ...init, ...FETCH_OPTIONS });
    touch();
    if (!response.ok) throw new HttpError(response.status, await readErrorBody(response), response.headers);
    await refuseNoStream(response);
    if (!response.body) return response;
    const { status, headers } = response;
    return new Response(watched(response.body, { repair, touch, onBroken }), { status, headers });
  };
  return Object.assign(checked, { preconnect: fetch.preconnect });
}

function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  {
    repair,
    touch,
    onBroken,
  }: Required<Pick<CheckedFetchOptions, "touch" | "onBroken">> & { repair(events: string): string },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const joiner = new DeltaJoiner();
  let isOver = false;
  /** @returns true if there was data to pass on. */
  const give = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>, text: string) => {
    if (text !== "") controller.enqueue(encoder.encode(repair(text)));
    return text !== "";
  };
  const end = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    isOver = true;
    give(controller, joiner.push(decoder.decode()) + joiner.end());
    controller.close();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        for (let isGiven = false; !isGiven && !isOver; ) {
          const { done, value } = await reader.read();
          touch();
          if (done) end(controller);
          else isGiven = give(controller, joiner.push(decoder.decode(value, { stream: true })));
        }
      } catch (error) {
        onBroken(error);
        if (!isOver) end(controller);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
