import { crc32 } from "node:zlib";

/** Lengths of the framing, in bytes: two lengths and their checksum before the headers, a checksum after the payload. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const STRING_HEADER = 7;

export type EventHeaders = Readonly<Record<`:${string}`, string>>;

function encodeHeader(name: string, value: string): Uint8Array {
  const text = Buffer.from(value, "utf8");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([STRING_HEADER]), length, text]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** One message of an AWS event stream. Format: AWS, "Event stream encoding" (vnd.amazon.eventstream). */
export function encodeEvent(headers: EventHeaders, payload: unknown): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(JSON.stringify(payload), "utf8");
  const total = PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES;
  const lengths = Buffer.concat([uint32(total), uint32(head.length)]);
  const checked = Buffer.concat([lengths, uint32(crc32(lengths)), head, body]);
  return Buffer.concat([checked, uint32(crc32(checked))]);
}
