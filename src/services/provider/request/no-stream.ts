import { HttpError, NoStreamError } from "./broken-stream.ts";
import { errorWords } from "./error-body.ts";

/** Content types of web pages, captive portals and servers that cannot stream. */
const NO_STREAM = /^(text\/html|application\/json)\b/i;
const JSON_TYPE = /^application\/json\b/i;
/** Maximum size of an error body. */
const MAX_BODY_BYTES = 65_536;

/**
 * Passes an event stream through unchanged.
 * @throws {HttpError} the body is an error despite the status.
 * @throws {NoStreamError} the body is anything else.
 */
export async function refuseNoStream(response: Response): Promise<void> {
  const contentType = response.headers.get("content-type") ?? "";
  if (!NO_STREAM.test(contentType)) return;
  const body = JSON_TYPE.test(contentType) ? await readErrorBody(response) : undefined;
  if (typeof body === "object" && errorWords(body).text !== undefined) {
    throw new HttpError(response.status, body, response.headers);
  }
  throw new NoStreamError(contentType);
}

/** The start of a body: parsed if it is JSON, otherwise as text. */
export async function readErrorBody(response: Response): Promise<unknown> {
  const text = await startOf(response);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function startOf({ body }: Response): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < MAX_BODY_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES));
}
