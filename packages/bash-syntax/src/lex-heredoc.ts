import { readDollar } from "./lex-expansion.ts";
import { substituteBackticks } from "./lex-substitution.ts";
import { newText, type Pending, type Reader, type Scan, unclear } from "./reader.ts";
import { newWordDraft } from "./word-draft.ts";

/**
 * Reads the body of a here-document at the reader's position, including its closing line. In an unquoted
 * here-document, substitutions are read as commands, and count as part of the delimiter.
 * @throws {NotUnderstood} the here-document isn't closed, or contains an unknown expansion.
 */
export function lexHeredocBody(reader: Reader, { delimiter, stripTabs }: Pending): void {
  const { source } = reader;
  const start = reader.at;
  const lines: string[] = [];
  for (;;) {
    if (reader.at >= source.length) throw unclear(reader, "a here-document is not closed", start, source.length);
    const text = readLine(reader, !delimiter.isQuoted);
    const line = stripTabs ? text.replace(/^\t+/, "") : text;
    if (line === delimiter.word.value) break;
    // In a substitution, newer versions of bash also end a here-document at `E)`.
    if (reader.line.nesting > 0 && line.startsWith(`${delimiter.word.value})`))
      throw unclear(reader, "a here-document may end before its closing line", start, reader.at);
    lines.push(line);
  }
  const end = source[reader.at - 1] === "\n" ? reader.at - 1 : reader.at;
  const body = lines.map((line) => `${line}\n`).join("");
  // In a body that expands, backslashes have a meaning too.
  if (delimiter.body && (delimiter.isQuoted || !/[$`\\]/.test(body))) delimiter.body.text = body;
  const openings = delimiter.isQuoted ? [] : readBody(reader, body, delimiter);
  const isExact = source.startsWith(body, start);
  reader.heredocs.push({
    start,
    end,
    openings: isExact ? openings.map((at) => at + start) : undefined,
    openingCount: openings.length,
  });
}

/** A line without its newline. If the body expands, a line that ends in a backslash continues in the next line. */
function readLine(reader: Reader, joins: boolean): string {
  const { source } = reader;
  const parts: string[] = [];
  for (;;) {
    const end = lineEnd(source, reader.at);
    const text = source.slice(reader.at, end);
    reader.at = Math.min(end + 1, source.length);
    const isJoined = joins && end < source.length && /(?<!\\)(?:\\\\)*\\$/.test(text);
    parts.push(isJoined ? text.slice(0, -1) : text);
    if (!isJoined) return parts.join("");
  }
}

/** @returns the offsets of every `$(` in the body. */
function readBody(reader: Reader, body: string, { inner, unknown }: Pending["delimiter"]): readonly number[] {
  const text = newText(reader.line, body, "heredoc");
  const scan: Scan = { text, source: body, line: reader.line, at: 0, expansions: [], hidden: 0 };
  const draft = { ...newWordDraft(), inner, unknown };
  while (scan.at < body.length) {
    const char = body[scan.at];
    if (char === "\\") scan.at += 2;
    else if (char === "$") readDollar(scan, draft, "heredoc");
    else if (char === "`") substituteBackticks(scan, draft, "heredoc");
    else scan.at += 1;
  }
  return text.openers.flatMap(({ at, kind }) => (kind === "$(" ? [at] : []));
}

export function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}
