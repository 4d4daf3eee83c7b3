/** A fence and its indent are recognised within this many characters. */
const MAX_MARK_CHARS = 200;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A part of a Markdown text; `isCode`: a fenced block or a code span, with its marks. */
export type MarkdownPart = { readonly text: string; readonly isCode: boolean };

/**
 * Splits Markdown into code and other text; joining the parts gives the original text. An unclosed fence extends to the
 * end; indented code counts as text. HTML comments are text, regardless of the marks in them. Source: CommonMark 0.31,
 * sections 4.5 and 6.1.
 */
export function markdownParts(text: string): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const spans = codeSpans(text);
  const lastComment = text.lastIndexOf("-->");
  let plain = 0;
  let at = 0;
  const take = (end: number) => {
    if (at > plain) parts.push({ text: text.slice(plain, at), isCode: false });
    parts.push({ text: text.slice(at, end), isCode: true });
    at = end;
    plain = end;
  };
  while (at < text.length) {
    const isLineStart = at === 0 || text[at - 1] === "\n";
    const fence = isLineStart ? FENCE.exec(text.slice(at, at + MAX_MARK_CHARS))?.[1] : undefined;
    const span = spans.get(at);
    if (fence !== undefined) take(fenceEnd(text, at, fence));
    else if (text.startsWith("<!--", at) && at < lastComment) at = Math.max(at + 4, text.indexOf("-->", at + 4) + 3);
    else if (span?.end !== undefined) take(span.end);
    else at = nextMark(text, at + (span?.ticks ?? 1));
  }
  if (plain < text.length) parts.push({ text: text.slice(plain), isCode: false });
  return parts;
}

/** The next position at which a block, a code span or a comment can begin. */
function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === "`" || char === "<" || text[at - 1] === "\n") return at;
  }
  return text.length;
}

/** The end of a fenced block: after the line that closes it, or the end of the text. */
function fenceEnd(text: string, start: number, fence: string): number {
  const mark = fence[0] === "~" ? "~" : "`";
  const close = new RegExp(`^ {0,3}${mark}{${fence.length},}[ \\t]*$`, "m");
  const body = text.indexOf("\n", start);
  if (body < 0) return text.length;
  const found = close.exec(text.slice(body + 1));
  return found ? body + 1 + found.index + found[0].length : text.length;
}

type Run = { readonly ticks: number /** Undefined for a run that opens no span. */; readonly end: number | undefined };

/** Every run of backticks by its position: a span ends after the next run of the same length in the same paragraph. */
function codeSpans(text: string): ReadonlyMap<number, Run> {
  const runs = new Map<number, Run>();
  /** The next run that could close a span, by its length; cleared at each blank line. Reading from the end visits each run once. */
  const closing = new Map<number, number>();
  for (const { 0: mark, index } of [...text.matchAll(/`+|\n[ \t]*(?=\n)/g)].reverse()) {
    if (mark.startsWith("\n")) {
      closing.clear();
      continue;
    }
    runs.set(index, { ticks: mark.length, end: closing.get(mark.length) });
    closing.set(mark.length, index + mark.length);
  }
  return runs;
}
