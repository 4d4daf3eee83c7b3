/** Signs that mean something in a regular expression. `-` and `/` mean nothing outside of a class. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** A regular expression that matches just this text; a line break matches LF and CRLF. */
export function escapeRegexp(text: string): string {
  return text.replace(SPECIAL, "\\$&").replace(/\r?\n/g, "\\r?\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

/**
 * Says what is wrong with a regular expression for ripgrep, as far as can be seen without it: JavaScript's syntax is close
 * enough once `(?i)` and `(?P<name>` are set aside; look-around and back-references are valid there but not in ripgrep.
 */
export function regexpProblem(source: string): string | undefined {
  const bare = source.replaceAll("\\\\", "\\u005c");
  if (/\(\?<?[=!]/.test(bare)) return "the regular expression uses look-around, which the search does not have";
  if (/(?:^|[^\\])\\[1-9]/.test(bare))
    return "the regular expression uses a back-reference, which the search does not have";
  try {
    new RegExp(
      source
        .replace(/\(\?[imsux-]+\)/g, "")
        .replace(/\(\?[imsux-]+:/g, "(?:")
        .replaceAll("(?P<", "(?<"),
    );
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*?: /, "") : String(error);
    return `the regular expression is not valid (${reason})`;
  }
}
