import chardet from "chardet";
import { orUndefined } from "../../contracts/or-undefined.ts";

/** Where a page may name its encoding (HTML, 13.2.3.2, prescan), and a little more, because large comments precede it. */
const PRESCAN_BYTES = 4_096;
/** Enough of a text to tell its encoding. */
const SAMPLE_BYTES = 64 * 1024;
const META = /<meta[^>]{0,300}charset\s*=\s*["']?\s*([\w:.-]+)/i;
const XML = /^<\?xml[^>]{0,200}encoding\s*=\s*["']([\w:.-]+)/i;

/**
 * Decodes a text: by its byte order mark, else by the header, else by what the text says of itself, else by its bytes.
 * A name that no decoder knows counts as none.
 * @param header The `charset` of the content type.
 */
export function decodeText(bytes: Uint8Array, header: string | undefined, isMarkup: boolean): string {
  const named = markOf(bytes) ?? known(header) ?? (isMarkup ? known(charsetInside(bytes)) : undefined);
  return new TextDecoder(named ?? guessed(bytes)).decode(bytes);
}

function markOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function charsetInside(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString("latin1");
  const name = (META.exec(head) ?? XML.exec(head))?.[1];
  // A page that says this in ASCII is not in UTF-16 (HTML, 13.2.3.2).
  return name !== undefined && /^utf-16/i.test(name) ? "utf-8" : name;
}

function known(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return orUndefined(() => new TextDecoder(name.trim()).encoding);
}

function guessed(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (isUtf8(sample)) return "utf-8";
  return known(chardet.detect(sample) ?? undefined) ?? "windows-1252";
}

/** A cut at the end of the sample may split one character. */
function isUtf8(sample: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
