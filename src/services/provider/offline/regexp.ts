/** Signs that mean something in a regular expression. `-` and `/` mean nothing outside of a class. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** A regular expression that matches just this text; a line break matches LF and CRLF. */
export function escapeRegexp(text: string): string {
  return text.replace(SPECIAL, "\\$&").replace(/\r?\n/g, "\\r?\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

/**
 * Says what is wrong with a regular expression, as far as can be seen without ripgrep: JavaScript's syntax is close enough
 * once `(?i)` and `(?P<name>` are set aside.
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
