/** Special characters of regular expressions. `-` and `/` are ordinary outside a class. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** A regular expression that matches exactly this text; a line break matches LF and CRLF. */
export function escapeRegexp(text: string): string {
  return text.replace(SPECIAL, "\\$&").replace(/\r?\n/g, "\\r?\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

/**
 * Describes an error in a regular expression without ripgrep. JavaScript's syntax is close enough
 * after `(?i)` and `(?P<name>` are removed.
 */
export function regexpProblem(source: string): string | undefined {
  const plain = source
    .replace(/\(\?[imsux-]+\)/g, "")
    .replace(/\(\?[imsux-]+:/g, "(?:")
    .replaceAll("(?P<", "(?<");
  try {
    new RegExp(plain);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
    return `the regular expression /${source.slice(0, 60)}/ is not valid (${reason})`;
  }
}
