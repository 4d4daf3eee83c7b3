import { nested, newText, type Opener, type Scan, unclear } from "./reader.ts";
import { type Context, remember, type WordDraft } from "./word-draft.ts";

/**
 * Reads `$(…)`, `<(…)` or `>(…)` at the current position: the commands by the complete grammar, up to the closing `)`.
 * @throws {NotUnderstood} the commands are not understood, or not closed.
 */
export function substitute(scan: Scan, draft: WordDraft, kind: "$(" | "<(" | ">(", maySplit: boolean): void {
  const start = scan.at;
  scan.text.openers.push({ at: start, kind });
  const level = nested(scan.line, scan.source.slice(start, start + 20), () =>
    scan.line.readInside(scan.text, start + 2, ")", scan.line),
  );
  scan.at = level.end + 1;
  draft.inner.push(level);
  remember(scan, draft, start, maySplit);
}

/**
 * Reads the inside backticks as a separate source, without the backslashes that only quote (bash manual, "Command
 * Substitution").
 * @throws {NotUnderstood} the backtick isn't closed, or shells remove its backslashes differently.
 */
export function substituteBackticks(scan: Scan, draft: WordDraft, context: Context): void {
  const { source } = scan;
  const start = scan.at;
  const opener: Opener = { at: start, kind: "`" };
  scan.text.openers.push(opener);
  let at = start + 1;
  while (at < source.length && source[at] !== "`") at += source[at] === "\\" ? 2 : 1;
  if (at >= source.length) throw unclear(scan, "a backtick is not closed", start, source.length);
  const raw = source.slice(start + 1, at);
  if (raw.includes("\\\n")) throw unclear(scan, "a line goes on within backticks", start, at + 1);
  if (context !== "plain" && (context === "heredoc" || scan.hidden > 0) && raw.includes('"'))
    throw unclear(scan, "quotes within backticks within quotes", start, at + 1);
  const body = raw.replace(context === "double" ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  scan.at = at + 1;
  const level = nested(scan.line, scan.source.slice(start, start + 20), () =>
    scan.line.readInside(newText(scan.line, body, "commands"), 0, "end", scan.line),
  );
  draft.inner.push(level);
  remember(scan, draft, start, context === "plain");
}
