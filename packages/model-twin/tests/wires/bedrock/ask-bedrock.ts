import { crc32 } from "node:zlib";
import type { Twin } from "../../../src/server.ts";
import { type Body, body } from "../../support/ask.ts";

export const MODEL = "anthropic.claude-test-v1:0";
export const STREAM = `/model/${encodeURIComponent(MODEL)}/invoke-with-response-stream`;
export const WHOLE = `/model/${encodeURIComponent(MODEL)}/invoke`;
export const COUNT = `/model/${encodeURIComponent(MODEL)}/count-tokens`;
export const BEARER: Record<string, string> = { "content-type": "application/json", authorization: "Bearer key" };

/** The smallest request that Bedrock accepts, overridden by `fields`; an undefined field is removed. */
export const bedrockBody = (fields: Body = {}): Body =>
  body({ model: undefined, anthropic_version: "bedrock-2023-05-31", ...fields });

/** A message of an event stream. `payload` is its JSON. */
export type AwsEvent = { headers: Record<string, string>; payload: Body };

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    if (bytes.readUInt8(nameEnd) !== 7) throw new Error("A header is not a string.");
    const valueEnd = nameEnd + 3 + bytes.readUInt16BE(nameEnd + 1);
    headers[bytes.toString("utf8", at + 1, nameEnd)] = bytes.toString("utf8", nameEnd + 3, valueEnd);
    at = valueEnd;
  }
  return headers;
}

/** Reads an event stream strictly: its lengths and both checksums of each message. */
export function parseEvents(bytes: Buffer): AwsEvent[] {
  const events: AwsEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const total = bytes.readUInt32BE(at);
    const headersEnd = at + 12 + bytes.readUInt32BE(at + 4);
    const end = at + total;
    if (end > bytes.length) throw new Error("The stream ends in the middle of a message.");
    if (bytes.readUInt32BE(at + 8) !== crc32(bytes.subarray(at, at + 8))) throw new Error("The prelude is damaged.");
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at, end - 4))) throw new Error("A message is damaged.");
    const payload = JSON.parse(bytes.toString("utf8", headersEnd, end - 4)) as Body;
    events.push({ headers: readHeaders(bytes.subarray(at + 12, headersEnd)), payload });
    at = end;
  }
  return events;
}

/** The events of the Messages API that a stream carries. */
export const messageEvents = (events: readonly AwsEvent[]): Body[] =>
  events.flatMap(({ headers, payload }) =>
    headers[":event-type"] === "chunk"
      ? [JSON.parse(Buffer.from(payload["bytes"] as string, "base64").toString("utf8")) as Body]
      : [],
  );

export type BedrockAnswer = { status: number; headers: Headers; bytes: Buffer; json: Body | undefined };
type AskOptions = { path?: string; headers?: Record<string, string>; method?: string };

export async function askBedrock(
  twin: Twin,
  content: unknown,
  { path = WHOLE, headers = BEARER, method = "POST" }: AskOptions = {},
): Promise<BedrockAnswer> {
  const payload = typeof content === "string" ? content : JSON.stringify(content);
  const response = await fetch(`${twin.url}${path}`, { method, headers, ...(method === "POST" && { body: payload }) });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get("content-type") === "application/json";
  const json = isJson ? (JSON.parse(bytes.toString("utf8")) as Body) : undefined;
  return { status: response.status, headers: response.headers, bytes, json };
}

export async function streamEvents(twin: Twin, fields: Body = {}): Promise<AwsEvent[]> {
  return parseEvents((await askBedrock(twin, bedrockBody(fields), { path: STREAM })).bytes);
}

/** The name of the exception and the words of an error answer. */
export const errorOf = ({ status, headers, json }: BedrockAnswer) => ({
  status,
  exception: headers.get("x-amzn-errortype"),
  message: json?.["message"] as string,
});
