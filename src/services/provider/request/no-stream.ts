import { HttpError, isEventStream, NoStreamError } from "./broken-stream.ts";
import { errorWords } from "./error-body.ts";

const PAGE_TYPE = /^text\/html\b/i;
/** Maximum size of an error body. */
const MAX_BODY_BYTES = 65_536;
/** Maximum size of an answer without a stream. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const JSON_START = /^\s*[[{]/;

/** An answer that a server sent as one JSON document although a stream was requested. */
export type WholeAnswer = { readonly answer: unknown };

/**
 * The body of an event stream, or a JSON document. A server may send either with a wrong content type, so the first
 * character decides.
 * @param touch Called for each chunk of a JSON document.
 * @throws {HttpError} the body is an error despite the status.
 * @throws {NoStreamError} the body is a page, or JSON that is too large or broken.
 */
export async function streamOrAnswer(
  response: Response,
  touch: () => void = () => undefined,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | WholeAnswer | undefined> {
  const contentType = response.headers.get("content-type") ?? "";
  if (PAGE_TYPE.test(contentType)) {
    await response.body?.cancel().catch(() => {});
    throw new NoStreamError(contentType);
  }
  if (!response.body || isEventStream(response)) return response.body ?? undefined;
  const { start, body } = await peeked(response.body);
  if (!JSON_START.test(start)) return body;
  const answer = parsed(await textUpTo(body, MAX_ANSWER_BYTES, touch));
  if (typeof answer === "string") throw new NoStreamError(contentType || "JSON that cannot be read");
  if (isError(answer)) throw new HttpError(response.status, answer, response.headers);
  return { answer };
}

/** An answer has no message about an error; a list of answers may begin with one that has. */
function isError(answer: unknown): boolean {
  return errorWords(answer).text !== undefined;
}

/** The first characters of a body, and the whole body. */
async function peeked(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<{ readonly start: string; readonly body: ReadableStream<Uint8Array<ArrayBuffer>> }> {
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let start = "";
  let isOver = false;
  while (start.trim() === "" && !isOver) {
    const { done, value } = await reader.read();
    isOver = done;
    if (!value) continue;
    chunks.push(value);
    start += new TextDecoder().decode(value);
  }
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = chunks.shift() ?? (isOver ? undefined : (await reader.read()).value);
      if (next) controller.enqueue(next);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { start, body: whole };
}

/** The start of a body: parsed if it is JSON, otherwise as text. */
export async function readErrorBody(response: Response): Promise<unknown> {
  return response.body ? parsed(await textUpTo(response.body, MAX_BODY_BYTES)) : "";
}

/** The text itself if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text of a body, or of its first `maxBytes` bytes. */
export async function textUpTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  touch?: () => void,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    touch?.();
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= maxBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
}
