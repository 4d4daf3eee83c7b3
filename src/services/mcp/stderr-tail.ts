import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";

const MAX_LINES = 3;
const MAX_COLUMNS = 240;
/** Stack trace lines of JavaScript and Python: they show the location, not the error. */
const TRACE = /^\s*(?:at .+|File ".+", line \d+.*|\^+|~+|Node\.js v[\d.]+|\d+ \|.*)$/;

/** The end of a program's stderr, as one printable quoted line; undefined if it wrote nothing. */
export function stderrTail(text: string): string | undefined {
  const lines = plainText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !TRACE.test(line));
  const words = (telling.length > 0 ? telling : lines).slice(-MAX_LINES).join(" · ");
  return words === "" ? undefined : `"${truncateText(words, MAX_COLUMNS)}"`;
}
