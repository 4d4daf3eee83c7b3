import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";

const MAX_LINES = 3;
const MAX_COLUMNS = 240;
/** Traces of JavaScript and Python: where, not what. */
const TRACE = /^\s*(?:at .+|File ".+", line \d+.*|\^+|~+|Node\.js v[\d.]+|\d+ \|.*)$/;

/** The end of what a program wrote, as one quoted line that is safe to print; undefined when it wrote nothing. */
export function lastWords(text: string): string | undefined {
  const lines = plainText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !TRACE.test(line));
  const words = (telling.length > 0 ? telling : lines).slice(-MAX_LINES).join(" · ");
  return words === "" ? undefined : `"${truncateText(words, MAX_COLUMNS)}"`;
}

/** A stranger's words as one line that is safe to print, cut at `columns`. */
export function oneLine(text: string, columns: number): string {
  return truncateText(plainText(text).replace(/\s+/g, " ").trim(), columns);
}
