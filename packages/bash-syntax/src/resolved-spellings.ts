import { mayPrecede, nameOf } from "./command-parts.ts";
import type { ShellWord, SimpleCommand } from "./types.ts";

/** The maximum number of flags before a program's subcommand in an ordinary command. */
const MAX_SKIPPED = 16;

/**
 * The spellings of a command after the shell has removed quotes and expanded braces: with, and without the flags
 * (and their possible values) before its subcommand, so that `$'git' -C . --no-pager push x` is also `git push x`.
 * Deny rules use these spellings, so too many of them do no harm.
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
