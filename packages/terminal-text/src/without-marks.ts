/** The marks of a heading at the start of a line; those of code and of bold text around their words. */
const HEADING = /^\s{0,3}#{1,6} +/;
const MARKED = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*/g;
/** A longer line keeps its marks: no screen shows the whole of it in one row. */
const MAX_CHARS = 1_000;

/** A line of Markdown without the marks of headings, code and bold text, for a place where they can't be drawn. */
export function withoutMarks(line: string): string {
  return line.length > MAX_CHARS ? line : unmarked(line.replace(HEADING, ""));
}

function unmarked(text: string): string {
  return text.replace(MARKED, (_, _ticks, code?: string, bold?: string) => code ?? unmarked(bold ?? ""));
}
