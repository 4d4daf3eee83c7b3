/** A part of a glob between slashes; `**` matches any number of parts. */
type Part = "**" | readonly Sign[];
/** `*` matches any text; every other sign matches one character. */
type Sign = "*" | ((char: string) => boolean);

/**
 * Matches a whole path: `*`, `?`, `[a-z]`, `[!a]`, and `**` as a whole part; a backslash makes the next character
 * literal, and all other characters match themselves, including parentheses and `+`. Matching takes time proportional
 * to the glob's length times the path's, whereas a regular expression could take exponentially long.
 * @param glob Relative, without alternatives in braces.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const parts = glob.split("/").map((part): Part => (part === "**" ? part : signsOf(part)));
  const fits = (part: Part, name: string) => part !== "**" && matchesAll(part, [...name], "*", isSign);
  return (path) => matchesAll<Part, string>(parts, path.split("/"), "**", fits);
}

function isSign(sign: Sign, char: string): boolean {
  return sign !== "*" && sign(char);
}

/**
 * True if the pattern stands for all items. If items don't match, the last wildcard takes one more item: an earlier
 * wildcard never needs to be retried, because the last can take whatever the earlier would have left.
 */
function matchesAll<Wanted, Item>(
  pattern: readonly Wanted[],
  items: readonly Item[],
  wildcard: Wanted,
  fits: (wanted: Wanted, item: Item) => boolean,
): boolean {
  let last = -1;
  let taken = 0;
  let at = 0;
  let next = 0;
  for (;;) {
    const wanted = pattern[next];
    const item = items[at];
    if (wanted === wildcard) {
      last = next;
      taken = at;
      next += 1;
    } else if (item === undefined && wanted === undefined) return true;
    else if (item !== undefined && wanted !== undefined && fits(wanted, item)) {
      at += 1;
      next += 1;
    } else if (last < 0 || taken >= items.length) return false;
    else {
      taken += 1;
      at = taken;
      next = last + 1;
    }
  }
}

const SIGN = /\\([\s\S])|(\*+)|(\?)|\[([!^]?)([^[\]]+)\]|([\s\S])/gu;

function signsOf(part: string): readonly Sign[] {
  return [...part.matchAll(SIGN)].map(([, escaped, star, any, not, oneOf, plain]): Sign => {
    if (star !== undefined) return "*";
    if (any !== undefined) return () => true;
    if (oneOf === undefined) return (char) => char === (escaped ?? plain);
    const ranges = [...oneOf.matchAll(/([\s\S])-([\s\S])|([\s\S])/gu)];
    const isIn = (char: string) =>
      ranges.some(([, from, to, one]) =>
        one === undefined ? (from ?? "") <= char && char <= (to ?? "") : one === char,
      );
    return not === "" ? isIn : (char) => !isIn(char);
  });
}
