import { isUtf8 } from "node:buffer";
import { lazy } from "@quoll/async/lazy";
import { ToolFailedError } from "../../contracts/errors.ts";
import { type Encoding, LEGACY_ENCODINGS, type LegacyEncoding } from "../../contracts/files.ts";

type LegacyText = typeof import("./legacy-text.ts");

/** The libraries for old encodings, loaded with the first text that is not UTF-8. */
const legacy = lazy(() => import("./legacy-text.ts"));
/** True if a text was read whose encoding only the libraries can tell. */
let isLegacyWanted = false;

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
const BEYOND_ASCII = /[^\0-\x7f\udc80-\udcff]/u;
const BEYOND_ASCII_BYTES = /[\x80-\xff]/;
/** UTF-8 with damaged bytes has at least this many more sequences than damaged bytes. */
const CLEAR_SHARE = 10;
/** The share of control characters above which bytes are binary. */
const MAX_CONTROL_SHARE = 0.1;

/**
 * Detects the encoding of bytes, like `detectEncoding`, and old encodings too: their libraries are loaded with the
 * first text that needs them. An encoding that is not certain is `unknown`.
 */
export async function detectText(bytes: Uint8Array): Promise<Encoding | "binary"> {
  const found = detectEncoding(bytes);
  if (found === "binary" || !(found.name === "unknown" || isMuchStray(bytes, found))) return found;
  await legacy();
  return detectEncoding(bytes);
}

/**
 * For code that reads files without waiting, with `detectEncoding`.
 * @returns true if such a file was read as `unknown` only because the libraries were not loaded: it is to be read again.
 */
export async function loadWantedEncodings(): Promise<boolean> {
  if (!isLegacyWanted || legacy.value) return false;
  await legacy();
  return true;
}

/**
 * Detects the encoding of bytes, or "binary": the first bytes of a known binary format, a NUL outside UTF-16, or many
 * control characters. Old encodings are detected only after `detectText` has loaded their libraries.
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
  const { sequences, stray } = countSequences(bytes);
  if (sequences > stray * CLEAR_SHARE || stray === 0) return UTF_8;
  if (!legacy.value) isLegacyWanted = true;
  const old = legacy.value?.detectLegacy(view(bytes));
  if (old !== undefined) return { name: old, bom: false };
  return sequences >= stray ? UTF_8 : { name: "unknown", bom: false };
}

/** True if the bytes may be in another encoding than UTF-8, although they look more like UTF-8. */
function isMuchStray(bytes: Uint8Array, { name, bom }: Encoding): boolean {
  if (name !== "utf-8" || bom) return false;
  const { sequences, stray } = countSequences(bytes);
  return stray > 0 && sequences <= stray * CLEAR_SHARE;
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
    case "unknown":
      return decodeUnknown(buffer);
    case "utf-16le":
    case "utf-16be":
      if (buffer.length % 2 === 1) {
        throw new ToolFailedError(
          "The file looks like UTF-16 but has an odd number of bytes; it can't be read as text.",
        );
      }
      return (encoding.name === "utf-16le" ? buffer : Buffer.from(buffer).swap16()).toString("utf16le");
    default:
      return loaded().decodeLegacy(buffer, encoding.name);
  }
}

/** @throws {ToolFailedError} the encoding has no place for a character of the text. */
export function encode(text: string, encoding: Encoding): Buffer {
  const mark = encoding.bom ? (BOMS.find(({ name }) => name === encoding.name)?.bytes ?? []) : [];
  return Buffer.concat([Buffer.from(mark), encodeBody(text, encoding)]);
}

function encodeBody(text: string, { name }: Encoding): Buffer {
  if (name === "utf-16le") return Buffer.from(text, "utf16le");
  if (name === "utf-16be") return Buffer.from(text, "utf16le").swap16();
  if (name === "utf-8") return STRAY_BYTE.test(text) ? encodeStray(text) : Buffer.from(text, "utf8");
  const missing = name === "unknown" ? BEYOND_ASCII.exec(text)?.[0] : loaded().missingIn(text, name);
  if (missing !== undefined) throw new ToolFailedError(noPlaceFor(missing, name));
  return name === "unknown" ? encodeStray(text) : loaded().encodeLegacy(text, name);
}

function noPlaceFor(char: string, name: "unknown" | LegacyEncoding): string {
  return name === "unknown"
    ? `The encoding of the file is unknown, so "${char}" can't be added. Use ASCII characters, or convert the file to UTF-8 first.`
    : `The file is ${LEGACY_ENCODINGS[name]}, which has no "${char}". Use plain characters, or convert the file to UTF-8 first.`;
}

function loaded(): LegacyText {
  if (!legacy.value) throw new Error("A text in an old encoding was used before its encoding was detected.");
  return legacy.value;
}

/** The number of bytes of a text in an encoding, without the byte order mark. */
export function encodedLength(text: string, { name }: Encoding): number {
  if (name === "unknown") return text.length;
  if (name === "utf-16le" || name === "utf-16be") return Buffer.byteLength(text, "utf16le");
  return name === "utf-8" ? Buffer.byteLength(text, "utf8") : loaded().encodeLegacy(text, name).length;
}

/** A line as people should see it: bytes without a certain meaning become �. */
export function decodeLine(bytes: Uint8Array, encoding: Encoding): { text: string; stray: boolean } {
  const buffer = view(bytes);
  const { name } = encoding;
  if (name === "unknown")
    return { text: decodeUnknown(buffer).toWellFormed(), stray: BEYOND_ASCII_BYTES.test(buffer.toString("latin1")) };
  // UTF-16 has been turned into UTF-8.
  if (name in LEGACY_ENCODINGS) return { text: decode(buffer, encoding), stray: false };
  return { text: buffer.toString("utf8"), stray: !isUtf8(buffer) };
}

/** A short name for people and models; undefined for plain UTF-8. */
export function encodingName({ name, bom }: Encoding): string | undefined {
  if (name === "utf-8") return bom ? "UTF-8 with a byte order mark" : undefined;
  if (name === "utf-16le" || name === "utf-16be") return name === "utf-16le" ? "UTF-16 LE" : "UTF-16 BE";
  return name === "unknown" ? "unknown" : LEGACY_ENCODINGS[name];
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

/** The real UTF-8 sequences beyond ASCII, and the bytes that belong to none. */
export function countSequences(bytes: Uint8Array): { readonly sequences: number; readonly stray: number } {
  if (isUtf8(bytes)) return { sequences: 0, stray: 0 };
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
  return { sequences, stray };
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

/** Every byte beyond ASCII as a lone surrogate. */
function decodeUnknown(buffer: Buffer): string {
  return buffer
    .toString("latin1")
    .replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(ESCAPE_BASE + byte.charCodeAt(0)));
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
