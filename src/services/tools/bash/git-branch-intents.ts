import { partsOf } from "@quoll/bash-syntax/command-parts";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { SimpleCommand } from "@quoll/bash-syntax/types";

/** The changes of branch tracking that a command's words request; git may not have made them. */
export type BranchIntent =
  | {
      readonly kind: "track";
      readonly branch: string;
      /** The starting point; undefined for the remote branch of the same name. */
      readonly start: string | undefined;
      /** `--track`: also against the settings, and from a local branch. */
      readonly isExplicit: boolean;
      /** The branch may have existed before. */
      readonly resets: boolean;
    }
  | { readonly kind: "delete"; readonly branch: string };

/** The effect of one command on git's configuration file, from its words. */
export type ConfigUse = {
  /** The folder of `git -C`. */
  readonly folder: string | undefined;
  readonly intents: readonly BranchIntent[];
  /** The command writes other settings. */
  readonly writesOthers: boolean;
};

/** Flags without effect on tracking. */
const IDLE =
  /^(?:-q|--quiet|-f|--force|-m|--merge|-l|--progress|--no-progress|--guess|--discard-changes|--overwrite-ignore|--ignore-other-worktrees|--create-reflog)$/;
const TRACK = /^(?:-t|--track|--track=direct)$/;

/** Undefined for a command that is not git, or has an unknown word. */
export function gitConfigUse(command: SimpleCommand): ConfigUse | undefined {
  if (command.within.includes("remote") || command.within.includes("container")) return undefined;
  const part = partsOf(stripWrappers(command) ?? command, new Set(["git"])).find(({ name }) => name === "git");
  const words = part?.args.map(({ value }) => value);
  if (!part || !words || part.folder === "unknown" || part.settings.length > 0) return undefined;
  const [sub, ...args] = words;
  if (sub === undefined || !args.every((word) => word !== undefined)) return undefined;
  const writesOthers = OTHER_WRITERS[sub]?.(args) ?? false;
  return { folder: part.folder, writesOthers, intents: writesOthers ? [] : intentsOf(sub, args.flatMap(apart)) };
}

/** `-qb x` as `-q -b x`. A cluster may end with the one flag that has a value. */
function apart(word: string): readonly string[] {
  return /^-[a-zA-Z]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

function intentsOf(sub: string, words: readonly string[]): readonly BranchIntent[] {
  if (sub === "switch") return created(words, { make: "-c", reset: "-C", long: ["--create", "--force-create"] });
  if (sub === "checkout") return created(words, { make: "-b", reset: "-B", long: [] });
  return sub === "branch" ? ofBranch(words) : [];
}

type MakingFlags = { readonly make: string; readonly reset: string; readonly long: readonly string[] };

function created(words: readonly string[], { make, reset, long }: MakingFlags): readonly BranchIntent[] {
  let branch: string | undefined;
  let resets = false;
  let isExplicit = false;
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === make || word === reset || long.includes(word)) {
      resets = word === reset || word === "--force-create";
      at += 1;
      branch = words[at];
      if (branch === undefined) return [];
    } else if (TRACK.test(word)) isExplicit = true;
    else if (!word.startsWith("-")) operands.push(word);
    else if (!IDLE.test(word)) return [];
  }
  const [start] = operands;
  if (operands.length > 1) return [];
  if (branch !== undefined) return start === undefined ? [] : [{ kind: "track", branch, start, isExplicit, resets }];
  if (start === undefined) return [];
  if (!isExplicit) return [{ kind: "track", branch: start, start: undefined, isExplicit, resets: false }];
  // `--track origin/x` alone creates a branch x.
  const name = start.replace(/^(?:refs\/)?(?:remotes\/)?[^/]+\//, "");
  return [{ kind: "track", branch: name, start, isExplicit, resets: false }];
}

function ofBranch(words: readonly string[]): readonly BranchIntent[] {
  const flags = words.filter((word) => word.startsWith("-"));
  const operands = words.filter((word) => !word.startsWith("-"));
  const deletes = flags.some((flag) => /^(?:-d|-D|--delete)$/.test(flag));
  if (!flags.every((flag) => IDLE.test(flag) || TRACK.test(flag) || /^(?:-d|-D|--delete)$/.test(flag))) return [];
  if (deletes) return operands.map((branch) => ({ kind: "delete", branch }));
  const [branch, start] = operands;
  if (branch === undefined || start === undefined || operands.length > 2) return [];
  const resets = flags.some((flag) => flag === "-f" || flag === "--force");
  return [{ kind: "track", branch, start, isExplicit: flags.some((flag) => TRACK.test(flag)), resets }];
}

const has = (pattern: RegExp) => (args: readonly string[]) => args.some((arg) => pattern.test(arg));
const starts = (pattern: RegExp) => (args: readonly string[]) =>
  pattern.test(args.find((arg) => !arg.startsWith("-")) ?? "");

/** Commands that write other settings of a repository (`git config` itself is in the tables of writers). */
const OTHER_WRITERS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  remote: starts(/^(?:add|rename|remove|rm|set-url|set-branches)$/),
  branch: has(/^(?:-u.*|--set-upstream-to(?:=.*)?|--unset-upstream|-[mMcC]|--move|--copy|--edit-description)$/),
  push: has(/^(?:-u|--set-upstream|-[fqvn]*u[fqvn]*)$/),
  fetch: has(/^--set-upstream$/),
  pull: has(/^--set-upstream$/),
  submodule: (args) =>
    starts(/^(?:init|add|deinit|sync|set-url|set-branch|absorbgitdirs)$/)(args) || has(/^--init$/)(args),
  "sparse-checkout": starts(/^(?:init|set|add|disable)$/),
  maintenance: starts(/^(?:start|stop|register|unregister)$/),
  lfs: starts(/^(?:install|uninstall)$/),
};
