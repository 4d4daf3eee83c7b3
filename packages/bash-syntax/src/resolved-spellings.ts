import { mayPrecede, nameOf } from "./command-parts.ts";
import type { ShellWord, SimpleCommand } from "./types.ts";

/** Flags that may stand before a program's own command; more than this is not ordinary. */
const MAX_SKIPPED = 16;

/**
 * A command in the words that the shell makes of it: quotes removed, braces spelled out; and again without the flags (and what
 * may be their values) before its own command, so that `$'git' -C . --no-pager push x` is also `git push x`. For rules that
 * forbid: it errs towards naming too much.
 */
export function resolvedSpellings({ words }: SimpleCommand): readonly string[] {
  const [head, ...args] = words;
  if (head === undefined) return [];
  const spelled = [text([head, ...args])];
  for (let at = 0; at < Math.min(args.length, MAX_SKIPPED) && mayPrecede(args, at); at += 1)
    spelled.push(`${nameOf(head) ?? head.source} ${text(args.slice(at + 1))}`.trim());
  return [...new Set(spelled)];
}

function text(words: readonly ShellWord[]): string {
  return words.map(({ value, source }) => value ?? source).join(" ");
}
