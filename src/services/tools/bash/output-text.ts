import { isUtf8 } from "node:buffer";
import { countSequences, decode as decodeWhole, detectEncoding, UTF_8 } from "../../../platform/files/encoding.ts";

/**
 * Terminal escape sequences (ECMA-48): CSI, complete strings (OSC, DCS and similar), then any other escape.
 * Each alternative has a limited length, so the time is linear in the text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|\x1b[ -/]{0,4}[0-~]|\x1b/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const UNUSUAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CONTROLS = /[\x01-\x06\x08\x0b-\x1f\x7f-\x9f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above. A bell, and shifts between character sets.
const SILENT = /[\x07\x0e\x0f]/g;
const PAGE_BREAKS = /[\f\v]+/g;
/** At most three unprintable characters in a row are shown. */
const LONG_JUNK = /\ufffd{4,}/g;

/**
 * Output in its final form on a screen: without colours and cursor movements, with the last state of lines rewritten with
 * `\r`, with backspaces applied, form feeds and vertical tabs as line breaks, and other control characters replaced. NUL
 * is shown as `␀`.
 */
export function cleanOutput(text: string): string {
  const junkless = text.includes("\ufffd\ufffd\ufffd\ufffd") ? text.replace(LONG_JUNK, "\ufffd\ufffd\ufffd") : text;
  if (!UNUSUAL.test(junkless)) return junkless;
  const plain = junkless.replace(ESCAPES, "").replace(/\r+\n/g, "\n").replace(PAGE_BREAKS, lineBreak);
  const lines = plain.includes("\r") || plain.includes("\b") ? plain.split("\n").map(lastState).join("\n") : plain;
  return lines
    .replaceAll("\x00", "␀")
    .replace(SILENT, "")
    .replace(CONTROLS, "\ufffd")
    .replace(LONG_JUNK, "\ufffd\ufffd\ufffd");
}

/** Ends a line for a form feed or vertical tab, unless one begins or ends there. */
function lineBreak(found: string, at: number, text: string): string {
  const [before = "\n", after = "\n"] = [text[at - 1], text[at + found.length]];
  return before === "\n" || after === "\n" ? "" : "\n";
}

function lastState(line: string): string {
  const written = line.includes("\r") ? (line.split("\r").findLast((part) => part.trim() !== "") ?? "") : line;
  return written.includes("\b") ? applyBackspaces(written) : written;
}

function applyBackspaces(line: string): string {
  const kept: string[] = [];
  for (const char of line) {
    if (char === "\b") kept.pop();
    else kept.push(char);
  }
  return kept.join("");
}

const LF = 0x0a;
/** Bytes that are not text, with at least this share of readable ones, are shown with the others replaced. */
const MIN_READABLE_SHARE = 0.7;

export type DecodedOutput = {
  readonly text: string;
  /**
   * True if some bytes are not UTF-8: they are shown as Latin-1 letters if their line has no other UTF-8, otherwise as
   * `\ufffd`.
   */
  readonly hasStray: boolean;
  /** Binary: NULs together with bytes that are not UTF-8, or many control characters. */
  readonly isBinary: boolean;
};

/** A command's output as text. Names that end in NUL (`find -print0`) are text. */
export function decodeOutput(bytes: Buffer): DecodedOutput {
  if (isUtf8(bytes)) {
    const encoding = bytes.includes(0) ? detectEncoding(bytes) : UTF_8;
    const isUtf16 = encoding !== "binary" && encoding.name.startsWith("utf-16") && bytes.length % 2 === 0;
    return { text: isUtf16 ? decodeWhole(bytes, encoding) : bytes.toString("utf8"), hasStray: false, isBinary: false };
  }
  const encoding = detectEncoding(bytes);
  if (encoding === "binary") {
    const isMostlyText = readableShare(bytes) >= MIN_READABLE_SHARE;
    return { text: isMostlyText ? bytes.toString("utf8") : "", hasStray: isMostlyText, isBinary: !isMostlyText };
  }
  if (encoding.name.startsWith("utf-16") && bytes.length % 2 === 0)
    return { text: decodeWhole(bytes, encoding), hasStray: false, isBinary: false };
  return { text: linesOf(bytes).map(decodedLine).join("\n"), hasStray: true, isBinary: false };
}

/** The share of the bytes that are printable ASCII or white space. */
function readableShare(bytes: Buffer): number {
  let readable = 0;
  for (const byte of bytes) if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x08 && byte <= 0x0d)) readable += 1;
  return readable / bytes.length;
}

/** Stray bytes become Latin-1 letters if the line has more of them than UTF-8 sequences. */
function decodedLine(line: Buffer): string {
  const { sequences, stray } = countSequences(line);
  return line.toString(stray > sequences ? "latin1" : "utf8");
}

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return [...lines, bytes.subarray(from)];
}
