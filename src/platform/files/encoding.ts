import { isUtf8 } from "node:buffer";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Encoding } from "../../contracts/files.ts";

export const UTF_8: Encoding = { name: "utf-8", bom: false };

/** Bytes at the start of a file used to detect its encoding. */
export const SAMPLE_BYTES = 64 * 1024;

const BOMS = [
  { name: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { name: "utf-16le", bytes: [0xff, 0xfe] },
  { name: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

/** PDF, PNG, JPEG, GIF, ZIP, gzip, zstd, xz, ELF: first bytes that no text has. */
const BINARY_MAGIC = [
  "%PDF-",
  "\x89PNG\r\n\x1a\n",
  "\xff\xd8\xff",
  "GIF87a",
  "GIF89a",
  "PK\x03\x04",
  "\x1f\x8b",
  "\x28\xb5\x2f\xfd",
  "\xfd7zXZ\0",
  "\x7fELF",
];
const ESCAPE_BASE = 0xdc00;
const STRAY_BYTE = /[\udc80-\udcff]/;
/** The share of control characters above which bytes are binary. */
const MAX_CONTROL_SHARE = 0.1;

/**
 * Detects the encoding of bytes, or "binary": the first bytes of a known binary format, a NUL outside UTF-16, or many
 * control characters.
 * @param bytes The file, or its start.
 */
export function detectEncoding(bytes: Uint8Array): Encoding | "binary" {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (hasBinaryMagic(sample)) return "binary";
  const utf32 = sample[0] === 0xff && sample[1] === 0xfe && sample[2] === 0 && sample[3] === 0;
  const bom = utf32 ? undefined : BOMS.find(({ bytes: mark }) => mark.every((byte, at) => sample[at] === byte));
  if (bom?.name === "utf-16le" || bom?.name === "utf-16be") return { name: bom.name, bom: true };
  if (sample.includes(0)) return utf16WithoutBom(sample) ?? "binary";
  if (isControlHeavy(sample)) return "binary";
  if (bom) return { name: "utf-8", bom: true };
  return { name: looksLatin1(bytes) ? "latin-1" : "utf-8", bom: false };
}

/** The rest of a damaged file may look like Latin-1, and a PDF starts as text does. */
function hasBinaryMagic(sample: Uint8Array): boolean {
  return BINARY_MAGIC.some((magic) => Buffer.from(magic, "latin1").every((byte, at) => sample[at] === byte));
}

/** The length of the byte order mark in bytes. */
export function bomLength({ name, bom }: Encoding): number {
  if (!bom) return 0;
  return name === "utf-8" ? 3 : 2;
}

/** The text of a whole file without its byte order mark. `encode` restores the same bytes. */
export function decode(bytes: Uint8Array, encoding: Encoding): string {
  const buffer = view(bytes).subarray(bomLength(encoding));
  switch (encoding.name) {
    case "utf-8":
      return isUtf8(buffer) ? buffer.toString("utf8") : decodeStray(buffer);
    case "latin-1":
      return buffer.toString("latin1");
    case "utf-16le":
    case "utf-16be":
      if (buffer.length % 2 === 1) {
        throw new ToolFailedError(
          "The file looks like UTF-16 but has an odd number of bytes; it can't be read as text.",
        );
      }
      return (encoding.name === "utf-16le" ? buffer : Buffer.from(buffer).swap16()).toString("utf16le");
  }
}

/** @throws {ToolFailedError} Latin-1 has no place for a character of the text. */
export function encode(text: string, encoding: Encoding): Buffer {
  const mark = encoding.bom ? (BOMS.find(({ name }) => name === encoding.name)?.bytes ?? []) : [];
  return Buffer.concat([Buffer.from(mark), encodeBody(text, encoding)]);
}

function encodeBody(text: string, { name }: Encoding): Buffer {
  if (name === "utf-16le") return Buffer.from(text, "utf16le");
  if (name === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  if (name === "utf-8") return STRAY_BYTE.test(text) ? encodeStray(text) : Buffer.from(text, "utf8");
  const outside = /[\u0100-\u{10ffff}]/u.exec(text);
  if (outside) {
    throw new ToolFailedError(
      `The file is Latin-1, which has no "${outside[0]}". Use plain characters, or convert the file to UTF-8 first.`,
    );
  }
  return Buffer.from(text, "latin1");
}

/** The number of bytes of a text in an encoding, without the byte order mark. */
export function encodedLength(text: string, { name }: Encoding): number {
  if (name === "latin-1") return text.length;
  return Buffer.byteLength(text, name === "utf-8" ? "utf8" : "utf16le");
}

/** A line as people should see it: stray bytes become Latin-1 letters if the line looks like Latin-1, otherwise �. */
export function decodeLine(bytes: Uint8Array, encoding: Encoding): { text: string; stray: boolean } {
  const buffer = view(bytes);
  if (encoding.name === "latin-1") return { text: buffer.toString("latin1"), stray: false };
  if (isUtf8(buffer)) return { text: buffer.toString("utf8"), stray: false };
  return { text: buffer.toString(looksLatin1(buffer) ? "latin1" : "utf8"), stray: true };
}

/** A short name for people and models; undefined for plain UTF-8. */
export function encodingName({ name, bom }: Encoding): string | undefined {
  if (name === "utf-8") return bom ? "UTF-8 with a byte order mark" : undefined;
  if (name === "latin-1") return "Latin-1";
  return name === "utf-16le" ? "UTF-16 LE" : "UTF-16 BE";
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * UTF-16 text that is mostly ASCII has a NUL in nearly every second byte, and line ends; `abc\\0def\\0` is a list,
 * not UTF-16.
 */
function utf16WithoutBom(sample: Uint8Array): Encoding | undefined {
  const counts = [0, 0];
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) counts[at % 2] = (counts[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = counts;
  const pairs = sample.length / 2;
  if (pairs < 2) return undefined;
  const name =
    odd > pairs * 0.7 && even < pairs * 0.02
      ? "utf-16le"
      : even > pairs * 0.7 && odd < pairs * 0.02
        ? "utf-16be"
        : undefined;
  if (!name) return undefined;
  const text = decode(sample.subarray(0, sample.length - (sample.length % 2)), { name, bom: false });
  const isText = text.includes("\n") && !text.includes("\0") && !isControlHeavy(Buffer.from(text));
  return !isText ? undefined : { name, bom: false };
}

function isControlHeavy(sample: Uint8Array): boolean {
  let controls = 0;
  // Counts with indexOf, ten times as fast as iterating, since every Read runs this.
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] ?? 0;
    // These control characters occur in text: tab, line ends, form feed, backspace and escape.
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) controls += 1;
  }
  return controls > sample.length * MAX_CONTROL_SHARE;
}

/** True for bytes that are not UTF-8 and contain fewer real UTF-8 sequences than stray bytes. */
function looksLatin1(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return false;
  // The end of a sample may cut a sequence.
  const isSample = bytes.length === SAMPLE_BYTES;
  let sequences = 0;
  let stray = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 1) sequences += 1;
    else if (length === 0 && !(isSample && at >= bytes.length - 3)) stray += 1;
    at += length || 1;
  }
  return stray > sequences;
}

/** Length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = at + 2; next < at + length; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

function decodeStray(buffer: Buffer): string {
  const parts: string[] = [];
  let clean = 0;
  for (let at = 0; at < buffer.length; ) {
    const length = sequenceLength(buffer, at);
    if (length === 0) {
      parts.push(buffer.toString("utf8", clean, at), String.fromCharCode(ESCAPE_BASE + (buffer[at] ?? 0)));
      clean = at + 1;
    }
    at += length || 1;
  }
  parts.push(buffer.toString("utf8", clean));
  return parts.join("");
}

function encodeStray(text: string): Buffer {
  const parts: Buffer[] = [];
  let clean = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at += 1;
    else if (unit >= 0xdc80 && unit <= 0xdcff) {
      parts.push(Buffer.from(text.slice(clean, at), "utf8"), Buffer.from([unit - ESCAPE_BASE]));
      clean = at + 1;
    }
  }
  parts.push(Buffer.from(text.slice(clean), "utf8"));
  return Buffer.concat(parts);
}
