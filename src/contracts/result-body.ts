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
        text: text.slice(0, MAX_LINE_CHARS),
        ...(mark && { mark }),
        ...(note !== undefined && { note: note.slice(0, MAX_LINE_CHARS) }),
      }));
      return { ...body, items, ...totalOf(body.items, items, body.total) };
    }
    case "table": {
      const columns = body.columns.slice(0, MAX_TABLE_COLUMNS).map((column) => ({
        ...column,
        name: column.name.slice(0, MAX_LINE_CHARS),
      }));
      const rows = fitting(body, body.rows, (row) =>
        row.slice(0, columns.length).map((cell) => cell.slice(0, MAX_LINE_CHARS)),
      );
      return { ...body, columns, rows, ...totalOf(body.rows, rows, body.total) };
    }
    case "diff":
      return { ...body, path: body.path.slice(0, MAX_LINE_CHARS), hunks: cutHunks(body.hunks) };
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
    const lines = hunk.lines
      .slice(0, left)
      .map(({ kind, text }): DiffLine => ({ kind, text: text.slice(0, MAX_LINE_CHARS) }));
    left -= lines.length;
    return { ...hunk, lines };
  });
  return cut.filter(({ lines }) => lines.length > 0);
}
