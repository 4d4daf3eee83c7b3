import type { DiffHunk, DiffLine, ResultBody } from "./display.ts";

/** The maximum size of a body, and of a body that the result for the model contains too. */
const MAX_BODY_CHARS = 32_000;
const MAX_IN_RESULT_CHARS = 2_000;
const MAX_PARTS = 500;
const MAX_LINE_CHARS = 400;
const MAX_TABLE_COLUMNS = 12;

/** A text that the result for the model contains too, as a part of a result's display; nothing for a blank text. */
export function withTextBody(text: string): { readonly body?: ResultBody } {
  return text.trim() === "" ? {} : { body: { kind: "text", text, isInResult: true } };
}

/** Cuts a body to its limits: 32,000 characters; 500 items, rows or changed lines of at most 400 characters; 12 columns. */
export function cappedBody(body: ResultBody): ResultBody {
  switch (body.kind) {
    case "text":
      return cutText(body, body.isInResult ? MAX_IN_RESULT_CHARS : MAX_BODY_CHARS);
    case "list": {
      const items = fitting(body, body.items, ({ text, mark, note }) => ({
        text: cutLine(text),
        ...(mark && { mark }),
        ...(note !== undefined && { note: cutLine(note) }),
      }));
      return { ...body, items, ...totalOf(body.items, items, body.total) };
    }
    case "table": {
      const columns = body.columns.slice(0, MAX_TABLE_COLUMNS).map((column) => ({
        ...column,
        name: cutLine(column.name),
      }));
      const rows = fitting(body, body.rows, (row) => row.slice(0, columns.length).map(cutLine));
      return { ...body, columns, rows, ...totalOf(body.rows, rows, body.total) };
    }
    case "diff":
      return { ...body, path: cutLine(body.path), hunks: cutHunks(body.hunks) };
  }
}

/** Ends at a line's end where that keeps most of the text. */
function cutText(body: Extract<ResultBody, { kind: "text" }>, maxChars: number): ResultBody {
  const { text } = body;
  if (text.length <= maxChars) return body;
  const total = body.total ?? text.split("\n").filter((line) => line.trim() !== "").length;
  const head = text.slice(0, maxChars);
  const end = head.lastIndexOf("\n");
  return { ...body, text: (end > maxChars / 2 ? head.slice(0, end) : head).toWellFormed(), total };
}

/** Half of a character at the cut is replaced: strict readers of a log refuse it. */
function cutLine(text: string): string {
  return text.length <= MAX_LINE_CHARS ? text : text.slice(0, MAX_LINE_CHARS).toWellFormed();
}

/** The first parts, cut, that fit into the limits together. */
function fitting<Part>(
  { isInResult }: Pick<ResultBody, "isInResult">,
  parts: readonly Part[],
  cut: (part: Part) => Part,
): readonly Part[] {
  let left = isInResult ? MAX_IN_RESULT_CHARS : MAX_BODY_CHARS;
  const kept: Part[] = [];
  for (const part of parts.slice(0, MAX_PARTS).map(cut)) {
    left -= JSON.stringify(part).length;
    if (left < 0) break;
    kept.push(part);
  }
  return kept;
}

function totalOf(all: readonly unknown[], kept: readonly unknown[], total = all.length): { readonly total?: number } {
  return total > kept.length ? { total } : {};
}

function cutHunks(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  let left = MAX_PARTS;
  const cut = hunks.map((hunk): DiffHunk => {
    const lines = hunk.lines.slice(0, left).map(({ kind, text }): DiffLine => ({ kind, text: cutLine(text) }));
    left -= lines.length;
    return { ...hunk, lines };
  });
  return cut.filter(({ lines }) => lines.length > 0);
}
