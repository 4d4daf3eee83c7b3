import { basename, join } from "node:path";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { kindAt } from "../../../platform/files/kind-at.ts";

/** The arguments of a git command, classified as far as possible. */
export type GitArguments = {
  readonly sub: string;
  /** After the subcommand, up to `--`. */
  readonly before: readonly string[];
  /** The command's folder: absolute. */
  readonly folder: string;
  /** Words that are certainly not values of flags, in order: a pattern, revisions. */
  readonly operands: readonly string[];
  /** Words that select files: those after `--`, and operands that exist as files. */
  readonly pathspecs: readonly string[];
};

const VALUE_GLOBALS = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--attr-source)$/;
/** Flags without a value. After any other flag, a word may be its value and is ignored. */
const ALONE =
  /^(?:--[a-z-]+=.*|-[pubwszamr]+|-[UnLSGMCB]\S+|-\d+|--(?:patch|cached|staged|stat|shortstat|numstat|name-only|name-status|oneline|graph|all|follow|reverse|summary|raw|check|quiet|text|no-[a-z-]+|color|decorate|full-diff|first-parent|merges|word-diff|color-words|function-context|minimal|patience|histogram|exit-code|ignore-[a-z-]+))$/;
const GREP_ALONE =
  /^(?:--[a-z-]+=.*|-[acEFGhHiIlLnopPqvwWz]+|-[ABC]\d+|-\d+|--(?:all-match|break|cached|color|column|count|extended-regexp|files-with-matches|files-without-match|fixed-strings|full-name|heading|ignore-case|invert-match|line-number|name-only|null|only-matching|perl-regexp|quiet|show-function|text|untracked|word-regexp))$/;
const PATTERN_FLAG = /^(?:-e|-f|-[acEFGhHiIlLnopPqvwWz]+[ef]|-e.+|-f.+)$/;

/**
 * Classifies the arguments of a git command.
 * @param command The command without its wrappers.
 * @param cwd The command's folder: absolute.
 * @returns undefined if the command is not git, or a word is unknown.
 */
export function readGitArguments({ words }: SimpleCommand, cwd: string): GitArguments | undefined {
  const [head, ...args] = words.map(({ value }) => value);
  if (head === undefined || basename(head) !== "git") return undefined;
  let folder = cwd;
  let at = 0;
  for (; args[at]?.startsWith("-"); at += 1) {
    const flag = args[at] ?? "";
    if (flag === "-C") folder = join(args[at + 1]?.startsWith("/") ? "/" : folder, args[at + 1] ?? "");
    if (VALUE_GLOBALS.test(flag)) at += 1;
  }
  const [sub, ...rest] = args.slice(at);
  if (sub === undefined || rest.includes(undefined)) return undefined;
  const known = rest.filter((word) => word !== undefined);
  const dashes = known.indexOf("--");
  const before = dashes < 0 ? known : known.slice(0, dashes);
  const after = dashes < 0 ? [] : known.slice(dashes + 1);
  const found = operandsOf(before, sub === "grep" ? GREP_ALONE : ALONE);
  const hasPattern = sub === "grep" && !before.some((word) => PATTERN_FLAG.test(word));
  const others = hasPattern ? found.slice(1) : found;
  // git reads an operand as a file only if the file exists and no revision has this name.
  const isPath = (word: string) => dashes < 0 && /^[^:*?[\\]+$/.test(word) && kindAt(join(folder, word)) !== undefined;
  return {
    sub,
    before,
    folder,
    operands: others.filter((word) => !isPath(word)),
    pathspecs: [...others.filter(isPath), ...after],
  };
}

function operandsOf(words: readonly string[], alone: RegExp): readonly string[] {
  return words.filter((word, at) => {
    if (word.startsWith("-") && word !== "-") return false;
    const previous = words[at - 1];
    return previous === undefined || !previous.startsWith("-") || alone.test(previous);
  });
}
