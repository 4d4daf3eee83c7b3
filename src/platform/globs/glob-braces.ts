/** The maximum length of a glob with all alternatives in braces written out, because matching time is proportional to it. */
export const MAX_WRITTEN_CHARS = 3_000;

/**
 * Writes the alternatives in braces out: `a.{ts,tsx}` → `a.ts`, `a.tsx`; also nested. Unclosed braces, and braces after
 * a backslash, are ordinary characters.
 * @returns undefined if the result becomes longer than `MAX_WRITTEN_CHARS` in total.
 */
export function writtenOut(glob: string): readonly string[] | undefined {
  const left = [glob];
  const plain: string[] = [];
  let chars = glob.length;
  while (chars <= MAX_WRITTEN_CHARS) {
    const one = left.pop();
    if (one === undefined) return plain.reverse();
    const group = firstGroup(one);
    if (!group) plain.push(one);
    else {
      const written = group.choices.map((choice) => one.slice(0, group.from) + choice + one.slice(group.to));
      chars += written.reduce((sum, { length }) => sum + length, 0) - one.length;
      left.push(...written);
    }
  }
  return undefined;
}

type Group = { readonly from: number; readonly to: number; readonly choices: readonly string[] };

function firstGroup(glob: string): Group | undefined {
  for (let from = 0; from < glob.length; from += 1) {
    if (glob[from] === "\\") from += 1;
    else if (glob[from] === "{") {
      const group = groupAt(glob, from);
      if (group) return group;
    }
  }
  return undefined;
}

/** The group that begins with this brace; undefined if it has no end or no content. */
function groupAt(glob: string, from: number): Group | undefined {
  const choices: string[] = [];
  let depth = 0;
  let start = from + 1;
  for (let at = from; at < glob.length; at += 1) {
    const char = glob[at];
    if (char === "\\") at += 1;
    // A comma in a class is a character: `{[,]}`.
    else if (char === "[") at = classEnd(glob, at);
    else if (char === "{") depth += 1;
    else if (char === "}") depth -= 1;
    if (depth === 0 || (char === "," && depth === 1)) {
      choices.push(glob.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) return at === from + 1 ? undefined : { from, to: at + 1, choices };
  }
  return undefined;
}

/** The end of the class of characters that begins here; the same place if it has no end in this part of the path. */
function classEnd(glob: string, from: number): number {
  const end = /^\[[!^]?[^/][^\]/]*\]/.exec(glob.slice(from));
  return end ? from + end[0].length - 1 : from;
}

/** The parts of a glob between slashes; slashes in braces don't count. */
export function partsOf(glob: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < glob.length; at += 1) {
    if (glob[at] === "\\") at += 1;
    else if (glob[at] === "{") at = (groupAt(glob, at)?.to ?? at + 1) - 1;
    else if (glob[at] === "/") {
      parts.push(glob.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, glob.slice(start)].filter((part) => part !== "" && part !== ".");
}
