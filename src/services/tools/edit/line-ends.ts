/** The line end of a whole text; `none` for a text without line ends. */
type LineEnds = "lf" | "crlf" | "mixed" | "none";

export function lineEndsOf(text: string): LineEnds {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text[at - 1] === "\r") crlf += 1;
    else lf += 1;
    if (crlf > 0 && lf > 0) return "mixed";
  }
  return crlf > 0 ? "crlf" : lf > 0 ? "lf" : "none";
}

export function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

export function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The text with the line ends of its surroundings: of the replaced section, else of the file. */
export function inStyleOf(text: string, replacedText: string, file: string): string {
  const style = lineEndsOf(replacedText);
  const ends = style === "none" || style === "mixed" ? lineEndsOf(file) : style;
  return ends === "crlf" ? toCrLf(text) : toLf(text);
}

/** The lines without their line ends. @param limit The greatest number of lines. */
export function linesOf(text: string, limit?: number): string[] {
  return text.split("\n", limit).map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** Offsets of line starts, the first 0. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The number, from 1, of the line that contains an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
