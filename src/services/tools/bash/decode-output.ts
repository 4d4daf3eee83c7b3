import { isUtf8 } from "node:buffer";
import { countSequences, decode as decodeWhole, detectEncoding, UTF_8 } from "../../../platform/files/encoding.ts";

const LF = 0x0a;

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
  if (encoding === "binary") return { text: "", hasStray: false, isBinary: true };
  if (encoding.name.startsWith("utf-16") && bytes.length % 2 === 0)
    return { text: decodeWhole(bytes, encoding), hasStray: false, isBinary: false };
  return { text: linesOf(bytes).map(decodedLine).join("\n"), hasStray: true, isBinary: false };
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
