import type { IncomingMessage } from "node:http";

/** The API's limit for one request. Source: Anthropic's API reference, "Request size limits". */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

type ReadBody = {
  /** The bytes as text; empty when they are not UTF-8. */
  readonly text: string;
  /** Parsed JSON; undefined for an empty body and when there is a problem. */
  readonly json: unknown;
  readonly problem?: string;
  /** The body is larger than the API accepts; the rest was read and discarded. */
  readonly isTooLarge: boolean;
  /** The client disconnected before it had sent the whole body. */
  readonly isCutOff: boolean;
};

function parse(bytes: Buffer): Omit<ReadBody, "isTooLarge" | "isCutOff"> {
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, json: text === "" ? undefined : JSON.parse(text), ...(text === "" && { problem: "it is empty" }) };
  } catch (error) {
    return { text, json: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads the complete body of a request. Never throws. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCutOff = false;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    isCutOff = true;
  }
  if (size > MAX_BODY_BYTES)
    return { text: "", json: undefined, problem: "it is too large", isTooLarge: true, isCutOff };
  return { ...parse(Buffer.concat(chunks)), isTooLarge: false, isCutOff };
}
