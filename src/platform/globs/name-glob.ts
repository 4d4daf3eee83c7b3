/** `*` matches any text; every other sign matches one character. */
type Sign = "*" | ((char: string) => boolean);

const SIGN = /\\([\s\S])|(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|([\s\S])/gu;

/**
 * Matches one name as ripgrep does: `*`, `?`, `[a-z]`, `[!a]`; a backslash makes the next character literal, and all
 * other characters match themselves, including parentheses, `+` and `@`. Matching takes time proportional to the
 * glob's length times the name's.
 */
export function nameGlob(glob: string): (name: string) => boolean {
  if (!/[*?[\\]/.test(glob)) return (name) => name === glob;
  const [start = "", end = "", ...others] = glob.split("*");
  // Most globs have one star and nothing else.
  if (others.length === 0 && !/[?[\\]/.test(glob))
    return (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  const signs = signsOf(glob);
  return (name) => {
    const chars = [...name];
    return matchesAll(signs, "*", chars.length, (sign, at) => sign !== "*" && sign(chars[at] ?? ""));
  };
}

/**
 * True if the pattern stands for all items. If items don't match, the last wildcard takes one more item: an earlier
 * wildcard never needs to be retried, because the last can take whatever the earlier would have left.
 */
export function matchesAll<Wanted>(
  pattern: readonly Wanted[],
  wildcard: Wanted,
  items: number,
  fits: (wanted: Wanted, at: number) => boolean,
): boolean {
  let last = -1;
  let taken = 0;
  let at = 0;
  let next = 0;
  for (;;) {
    const wanted = pattern[next];
    if (wanted === wildcard && next < pattern.length) {
      last = next;
      taken = at;
      next += 1;
    } else if (at >= items && wanted === undefined) return true;
    else if (at < items && wanted !== undefined && fits(wanted, at)) {
      at += 1;
      next += 1;
    } else if (last < 0 || taken >= items) return false;
    else {
      taken += 1;
      at = taken;
      next = last + 1;
    }
  }
}

function signsOf(part: string): readonly Sign[] {
  return [...part.matchAll(SIGN)].map(([, escaped, star, any, not, oneOf, plain]): Sign => {
    if (star !== undefined) return "*";
    if (any !== undefined) return () => true;
    if (oneOf === undefined || oneOf === "") return (char) => char === (escaped ?? plain);
    const ranges = [...oneOf.matchAll(/([\s\S])-([\s\S])|([\s\S])/gu)];
    const isIn = (char: string) =>
      ranges.some(([, from, to, one]) =>
        one === undefined ? (from ?? "") <= char && char <= (to ?? "") : one === char,
      );
    return not === "" ? isIn : (char) => !isIn(char);
  });
}
