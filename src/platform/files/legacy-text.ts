import chardet from "chardet";
import iconv from "iconv-lite";
import type { LegacyEncoding } from "../../contracts/files.ts";

/** The bytes that a guess uses. */
const SAMPLE_BYTES = 64 * 1024;
/** The bytes that a sample may hold of the letter in which it ends: a letter has at most four, in GB18030. */
const CUTS = [1, 2, 3] as const;
/** Encodings of two bytes a letter: the confidence of the detection, and its lead over other readings of the text. */
const SURE_PAIRS = { confidence: 70, lead: 10 };
/** Encodings of one byte a letter fit almost any text, so only a clear lead of a language counts. */
const SURE_LETTERS = { confidence: 45, lead: 15 };

const PAIRS: ReadonlySet<LegacyEncoding> = new Set(["shift_jis", "euc-jp", "gbk", "gb18030", "big5", "euc-kr"]);
/** The names of the detection. Windows extends the ISO encodings, except for ISO-8859-2. */
const NAMES: Readonly<Record<string, LegacyEncoding>> = {
  Shift_JIS: "shift_jis",
  "EUC-JP": "euc-jp",
  GB18030: "gb18030",
  Big5: "big5",
  "EUC-KR": "euc-kr",
  "ISO-8859-1": "windows-1252",
  "ISO-8859-2": "iso-8859-2",
  "ISO-8859-7": "windows-1253",
  "ISO-8859-9": "windows-1254",
  "windows-1250": "windows-1250",
  "windows-1251": "windows-1251",
  "windows-1252": "windows-1252",
  "windows-1253": "windows-1253",
  "windows-1254": "windows-1254",
  "windows-1256": "windows-1256",
  "windows-1257": "windows-1257",
  "KOI8-R": "koi8-r",
};
/** Encodings with the same meaning of the bytes of many texts: the first is named. */
const PREFERRED: Partial<Record<LegacyEncoding, LegacyEncoding>> = { gb18030: "gbk", "iso-8859-2": "windows-1250" };

/**
 * A capital letter after a small one, a sign or a fraction inside a word, or the sign for any currency, in the place of
 * which ISO-8859-15 has the euro: the bytes have another meaning.
 */
const ODD_WORD =
  /\p{Ll}(?=[^\0-\x7f])\p{Lu}|\p{L}(?=[^\0-\x7f])(?![\u2018\u2019\u00ad\u00b7])[\p{S}\p{P}\p{C}\p{No}]\p{L}|\u00a4/u;

/**
 * Detects the encoding of bytes that are not UTF-8.
 * @returns undefined if it is not certain, or if the text would not be written back byte for byte.
 */
export function detectLegacy(bytes: Buffer): LegacyEncoding | undefined {
  const sample = linesBeyondAscii(wholeLines(bytes.subarray(0, SAMPLE_BYTES)));
  const [best, ...others] = chardet.analyse(sample);
  const name = best && NAMES[best.name];
  if (!name) return undefined;
  const sure = PAIRS.has(name) ? SURE_PAIRS : SURE_LETTERS;
  if (best.confidence < sure.confidence) return undefined;
  const text = iconv.decode(sample, name);
  if (text.includes("\ufffd") || (!PAIRS.has(name) && ODD_WORD.test(text))) return undefined;
  const rivals = others.filter(({ confidence }) => best.confidence - confidence < sure.lead);
  if (rivals.some((rival) => readAs(sample, rival.name) !== text)) return undefined;
  const whole = wholeLines(bytes);
  const means = iconv.decode(whole, name);
  return [PREFERRED[name] ?? name, name].find((one) => iconv.decode(whole, one) === means && isKept(bytes, one));
}

/** True if all bytes are written back as they are, but for a letter that the end of a sample cuts. */
function isKept(bytes: Buffer, name: LegacyEncoding): boolean {
  const text = iconv.decode(bytes, name);
  if (iconv.encode(text, name).equals(bytes)) return true;
  const isCut = bytes.length === SAMPLE_BYTES && text.slice(-CUTS.length).includes("\ufffd");
  return isCut && CUTS.some((cut) => isKept(bytes.subarray(0, -cut), name));
}

/** The beginning of a file without its last line, which may be cut within a letter. */
function wholeLines(bytes: Buffer): Buffer {
  if (bytes.length !== SAMPLE_BYTES) return bytes;
  const end = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d));
  return bytes.subarray(0, end + 1);
}

export function decodeLegacy(bytes: Buffer, name: LegacyEncoding): string {
  return iconv.decode(bytes, name, { stripBOM: false });
}

export function encodeLegacy(text: string, name: LegacyEncoding): Buffer {
  return iconv.encode(text, name);
}

/** The first character of a text that an encoding lacks. */
export function missingIn(text: string, name: LegacyEncoding): string | undefined {
  if (decodeLegacy(iconv.encode(text, name), name) === text) return undefined;
  return [...text].find((char) => decodeLegacy(iconv.encode(char, name), name) !== char);
}

/** The detection counts letters of languages, which the words of a program would hide. */
function linesBeyondAscii(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.subarray(from).findIndex((byte) => byte === 0x0a || byte === 0x0d);
    const end = found < 0 ? bytes.length : from + found + 1;
    const line = bytes.subarray(from, end);
    if (line.some((byte) => byte >= 0x80)) lines.push(line);
    from = end;
  }
  return Buffer.concat(lines);
}

function readAs(bytes: Buffer, found: string): string | undefined {
  const name = NAMES[found];
  return name && iconv.decode(bytes, name);
}
