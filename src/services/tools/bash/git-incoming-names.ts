import { join, relative, resolve } from "node:path";
import { partsOf } from "@quoll/bash-syntax/command-parts";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { PROTECTED_NAMES } from "../../../contracts/protected-names.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { isMissing } from "../../../platform/files/list-folder.ts";
import { existingObjects } from "../../../platform/git/existing-objects.ts";
import { findRepository } from "../../../platform/git/repository.ts";
import { isInside } from "../../../platform/paths.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import { findGit } from "./git-tracking.ts";

/** A revision whose files the command may check out. */
export type Source = {
  readonly revision: string;
  /** Files in this revision too are not new. */
  readonly unless?: string;
};

export type Checkout = {
  /** The folder of `git -C`. */
  readonly folder: string | undefined;
  readonly sources: readonly Source[];
  /** Words that may be a remote's branch. */
  readonly guesses: readonly string[];
  /** Only these paths are checked out, as written; everything if empty. */
  readonly paths: readonly string[];
};

export type IncomingNamesContext = {
  readonly roots: readonly string[];
  /** The command's search path and home. */
  readonly env: Readonly<Record<string, string>>;
  readonly contains: (path: string) => boolean;
};

const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_REMOTES = 4;
const MAX_WORDS = 8;
const REVISION = /^[^\s:-][^\s:]{0,199}$/;
const COMMANDS = /^(?:checkout|switch|restore|reset|merge|pull|rebase|cherry-pick|revert|stash)$/;
const MOVED = PROTECTED_NAMES.filter(({ onlyReportedWhenNew }) => !onlyReportedWhenNew).flatMap(
  ({ names, onlyAtHome = false }) =>
    names.map((name) => ({ name: name.replace(/\/$/, ""), onlyAtHome, isTop: !name.replace(/\/$/, "").includes("/") })),
);

/** The revisions that a git command checks out, from its words; undefined if it checks out no files. */
export function checkoutOf(command: SimpleCommand, cwd: string): Checkout | undefined {
  if (command.within.includes("remote") || command.within.includes("container")) return undefined;
  const part = partsOf(stripWrappers(command) ?? command, new Set(["git"])).find(({ name }) => name === "git");
  if (!part || part.folder === "unknown") return undefined;
  const [sub = "", ...args] = part.args.map(({ value }) => value ?? "");
  if (!COMMANDS.test(sub)) return undefined;
  const folder = part.folder;
  const dashes = args.indexOf("--");
  const before = dashes < 0 ? args : args.slice(0, dashes);
  const isFile = (word: string) => sub === "restore" || kindAt(resolve(cwd, folder ?? ".", word)) !== undefined;
  const operands = before.map((word) => word.replace(/^--source=/, "")).filter((word) => !word.startsWith("--"));
  const words = operands.flatMap(revisionIn).slice(0, MAX_WORDS);
  const takesPaths = sub === "checkout" || sub === "restore";
  const paths = takesPaths ? [...operands.filter(isFile), ...(dashes < 0 ? [] : args.slice(dashes + 1))] : [];
  const sources = sourcesOf(sub, before, words, paths.length > 0);
  const guesses = sub === "checkout" || sub === "switch" ? words : [];
  return sources.length + guesses.length === 0 ? undefined : { folder, sources, guesses, paths };
}

/** `-` is the previous branch; for a range, only its end counts. */
function revisionIn(word: string): readonly string[] {
  if (word === "-") return ["@{-1}"];
  const end = word.split(/\.{2,3}/).at(-1) ?? "";
  return REVISION.test(end) ? [end] : [];
}

function sourcesOf(
  sub: string,
  flags: readonly string[],
  words: readonly string[],
  hasPaths: boolean,
): readonly Source[] {
  const plain = words.map((revision) => ({ revision }));
  const has = (pattern: RegExp) => flags.some((flag) => pattern.test(flag));
  switch (sub) {
    case "reset":
      if (!has(/^--(?:hard|merge|keep)$/)) return [];
      return words.length > 0 ? plain : [{ revision: "HEAD" }];
    case "checkout":
    case "restore":
      return hasPaths || has(/^(?:-f|--force)$/) ? [...plain, { revision: "HEAD" }] : plain;
    case "cherry-pick":
      return words.map((revision) => ({ revision, unless: `${revision}^` }));
    case "revert":
      return words.map((revision) => ({ revision: `${revision}^`, unless: revision }));
    case "pull":
      // The commits that it will fetch are unknown; commits fetched before are known.
      return [{ revision: words.slice(0, 2).join("/") || "@{upstream}" }, { revision: "@{upstream}" }];
    case "merge":
    case "rebase":
      return words.length > 0 ? plain : [{ revision: "@{upstream}" }];
    case "stash":
      return /^(?:pop|apply|branch)$/.test(words[0] ?? "") ? stashed(words.slice(1)) : [];
    default:
      return plain;
  }
}

/** A stash is a commit; its third parent contains the untracked files. */
function stashed(words: readonly string[]): readonly Source[] {
  const named = words.filter((word) => /^(?:\d+|stash@\{\d+\})$/.test(word));
  const revision = (named[0] ?? "stash@{0}").replace(/^\d+$/, "stash@{$&}");
  return [{ revision, unless: `${revision}^` }, { revision: `${revision}^3` }];
}

/**
 * The protected names that are missing at the top of the workspace and that a git command would create. The sandbox would move them
 * aside during the command, and the next commit would delete them. Runs git once if the words check out files.
 * @returns absolute paths; empty if they can't be determined.
 */
export async function gitIncomingNames(
  command: SimpleCommand,
  cwd: string,
  { roots, env, contains }: IncomingNamesContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const checkout = checkoutOf(command, cwd);
  const folder = resolve(cwd, checkout?.folder ?? ".");
  const repository = checkout && findRepository(folder);
  const git = repository && findGit({ workspace: { contains }, env });
  if (!checkout || !repository || git === undefined) return [];
  const { top, gitFolder, commonFolder } = repository;
  const covers = coveredBy(checkout.paths, folder);
  const wanted = roots.filter((root) => isInside(top, root)).flatMap((root) => missingNames(root, env["HOME"]));
  const missing = wanted.filter(covers);
  if (missing.length === 0) return [];
  const remotes = checkout.guesses.length === 0 ? [] : remotesOf(commonFolder);
  const guessed = remotes.flatMap((remote) => checkout.guesses.map((word) => ({ revision: `${remote}/${word}` })));
  const sources: readonly Source[] = [...checkout.sources, ...guessed];
  const nameIn = (revision: string, path: string) => `${revision}:${relative(top, path)}`;
  const asked = sources.flatMap(({ revision, unless }) =>
    missing.flatMap((path) => [revision, ...(unless === undefined ? [] : [unless])].map((one) => nameIn(one, path))),
  );
  const there = await existingObjects({ git, env, gitFolder }, [...new Set(asked)], signal);
  return missing.filter((path) =>
    sources.some(
      ({ revision, unless }) =>
        there.has(nameIn(revision, path)) && !(unless !== undefined && there.has(nameIn(unless, path))),
    ),
  );
}

function missingNames(root: string, home: string | undefined): readonly string[] {
  const here = MOVED.filter(({ onlyAtHome, isTop, name }) =>
    onlyAtHome ? root === home : isTop && name !== ".git" && name !== "git~1",
  );
  return here.map(({ name }) => join(root, name)).filter(isMissing);
}

/** True if a path is checked out if only some are; a path with a wildcard may match any. */
function coveredBy(paths: readonly string[], folder: string): (path: string) => boolean {
  if (paths.length === 0 || paths.some((path) => /[*?[:]/.test(path))) return () => true;
  const named = paths.map((path) => resolve(folder, path));
  return (path) => named.some((one) => isInside(one, path) || isInside(path, one));
}

function remotesOf(commonFolder: string): readonly string[] {
  const config = readSmallFile(join(commonFolder, "config"), MAX_CONFIG_BYTES) ?? "";
  return [...config.matchAll(/^\s*\[remote "([^"\s:\\]+)"\]/gm)].flatMap(([, name = ""]) => name).slice(0, MAX_REMOTES);
}
