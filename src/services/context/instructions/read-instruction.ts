import { decode, detectEncoding } from "../../../platform/files/encoding.ts";
import { type ReadProblem, readOrProblem } from "../../../platform/read-small-file.ts";
import { type RuleHeader, readHeader, withoutComments } from "./read-header.ts";

/** The maximum number of characters of an instruction file that the model gets. */
export const MAX_INSTRUCTION_CHARS = 40_000;
/** Size limit: a larger file is not opened. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** The maximum number of characters that are parsed: comments and a header may precede the kept text. */
const MAX_PARSED_CHARS = 10 * MAX_INSTRUCTION_CHARS;

/** An instruction file as it was read. */
export type ReadInstruction = {
  /** The text for the model: without comments and header, cut if it is too long. */
  readonly body: string;
  readonly header: RuleHeader;
  /** Characters of the whole file. */
  readonly chars: number;
  readonly isCut: boolean;
};

const PROBLEMS: Readonly<Record<ReadProblem, string>> = {
  missing: "it does not exist",
  refused: "it can't be read",
  "not a file": "it is not a regular file",
  "too large": `it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`,
};

/**
 * Reads one instruction file.
 * @param isRule True if the file begins with a header that is not for the model.
 * @param redact Removes credentials from the text, before anything is cut from it.
 * @returns the content, or one phrase with the reason why the file can't be used.
 */
export function readInstruction(
  path: string,
  isRule: boolean,
  redact: (text: string) => string,
): ReadInstruction | { readonly problem: string } {
  const read = readOrProblem(path, MAX_FILE_BYTES);
  if ("problem" in read) return { problem: PROBLEMS[read.problem] };
  const encoding = detectEncoding(read.bytes);
  if (encoding === "binary") return { problem: "it is not text" };
  const text = decode(read.bytes, encoding).toWellFormed().replaceAll("\r\n", "\n");
  const safe = redact(text.slice(0, MAX_PARSED_CHARS));
  const { header, body } = readHeader(safe);
  const whole = withoutComments(isRule ? body : safe)
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  const isCut = whole.length > MAX_INSTRUCTION_CHARS || text.length > MAX_PARSED_CHARS;
  const kept = whole.slice(0, MAX_INSTRUCTION_CHARS).toWellFormed().trimEnd();
  return { body: kept, header, chars: text.length, isCut };
}

/** Texts that differ only in line ends, blank lines and spaces at the end of lines are the same. */
export function sameText(body: string): string {
  return body
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
