import { HttpError, NoStreamError } from "./broken-stream.ts";
import { readErrorBody, streamOrAnswer } from "./no-stream.ts";
import { lastEvent, ownEvents, type StreamForm, streamOf, WholeEvents } from "./stream-form.ts";

type CheckedFetchOptions = {
  /** Undefined for the runtime's own fetch. */
  readonly fetch: typeof fetch | undefined;
  /** The API's events; everything else in a body is left out. */
  readonly form: StreamForm;
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
 * A `fetch` for the vendors' clients, who get nothing but the events of the API: a JSON answer becomes events, and every
 * other response is rejected before the client sees it, so that one reader handles every failure.
 * @throws {HttpError} the answer is an error.
 * @throws {NoStreamError} the answer is a page, or a JSON document of another kind.
 */
export function checkedFetch({
  fetch = globalThis.fetch,
  form,
  repair = (events) => events,
  touch,
  onBroken,
}: CheckedFetchOptions): typeof globalThis.fetch {
  const checked = async (input: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]): Promise<Response> => {
    const response = await fetch(input, { ...init, ...FETCH_OPTIONS });
    touch();
    if (!response.ok) throw new HttpError(response.status, await readErrorBody(response), response.headers);
    const { status, headers } = response;
    const body = await streamOrAnswer(response, touch);
    if (!body) return response;
    if (!("answer" in body)) return new Response(watched(body, { form, repair, touch, onBroken }), { status, headers });
    const events = streamOf(body.answer, form);
    if (events === undefined) throw new NoStreamError(headers.get("content-type") ?? "JSON");
    return new Response(repair(events), { status, headers });
  };
  return Object.assign(checked, { preconnect: fetch.preconnect });
}

function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  {
    form,
    repair,
    touch,
    onBroken,
  }: Required<Pick<CheckedFetchOptions, "form" | "touch" | "onBroken">> & { repair(events: string): string },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const whole = new WholeEvents();
  let isOver = false;
  /** @returns true if there was data to pass on. */
  const give = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>, text: string) => {
    const own = text === "" ? "" : repair(ownEvents(text, form));
    if (own !== "") controller.enqueue(encoder.encode(own));
    return own !== "";
  };
  const end = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    isOver = true;
    give(controller, whole.push(decoder.decode()) + lastEvent(whole.end(), form));
    controller.close();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        for (let isGiven = false; !isGiven && !isOver; ) {
          const { done, value } = await reader.read();
          touch();
          if (done) end(controller);
          else isGiven = give(controller, whole.push(decoder.decode(value, { stream: true })));
        }
      } catch (error) {
        onBroken(error);
        if (!isOver) end(controller);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
