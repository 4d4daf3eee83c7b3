import { relative } from "node:path";
import { join } from "node:path/posix";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { fileTimes } from "../../../platform/files/modified-times.ts";
import { findGitRepository } from "../../../platform/git/find-repository.ts";
import { type IndexName, indexNames } from "../../../platform/git/index-names.ts";
import { type GitArguments, readGitArguments } from "./git-arguments.ts";

const PATCH =
  /^(?:-[a-zA-Z]*[pu][a-zA-Z]*|-U\d*|-W|-c|-m|--(?:patch|patch-with-stat|unified|cc|binary|word-diff|color-words|function-context)(?:=.*)?)$/;
/** Options that show only names and sizes of changes. */
const NAMES_ONLY =
  /^(?:-s|-q|--(?:stat|shortstat|numstat|name-only|name-status|summary|dirstat|cumulative|raw|quiet|no-patch|brief)(?:=.*)?)$/;
/** `HEAD:a`, `:a`, `:0:a`; not `:/text` nor the magic of pathspecs. */
const REVISION_PATH = /^[^:]*:(?:[0-3]:)?(?![/!^(])([\s\S]+)$/;
const HEX = /^[0-9a-f]{4,64}$/;

const showsPatch = ({ before }: GitArguments) => before.some((word) => PATCH.test(word));
const showsChanges = (words: GitArguments) => showsPatch(words) || !words.before.some((word) => NAMES_ONLY.test(word));

function isFilesAlone({ before }: GitArguments): boolean {
  const operands = before.filter((word) => !word.startsWith("-"));
  return operands.length > 0 && operands.every((word) => REVISION_PATH.test(word));
}

/** git commands that show the text of files that they do not name, with the condition. */
const SHOWS: ReadonlyMap<string, (words: GitArguments) => boolean> = new Map([
  ["grep", () => true],
  ["diff", showsChanges],
  ["show", (words: GitArguments) => showsChanges(words) && !isFilesAlone(words)],
  ["range-diff", showsChanges],
  ["log", showsPatch],
  ["whatchanged", showsPatch],
  ["reflog", showsPatch],
  ["diff-tree", showsPatch],
  ["diff-index", showsPatch],
  ["diff-files", showsPatch],
  ["stash", (words: GitArguments) => words.before.includes("show") && showsPatch(words)],
  ["status", ({ before }: GitArguments) => before.some((word) => /^(?:-[a-z]*v[a-z]*|--verbose)$/.test(word))],
  ["archive", () => true],
  ["blame", () => true],
  ["annotate", () => true],
  ["format-patch", () => true],
  ["fast-export", () => true],
  // These write the text of files to another place, where no rule covers it.
  ["bundle", ({ before }: GitArguments) => before.includes("create")],
  ["pack-objects", () => true],
  ["worktree", ({ before }: GitArguments) => before.includes("add")],
  ["checkout-index", ({ before }: GitArguments) => before.some((word) => word.startsWith("--prefix"))],
  ["cat-file", ({ before }: GitArguments) => before.some((word) => /^--batch(?!-check)/.test(word))],
]);

export type GitQuery = {
  /** Without its wrappers. */
  readonly command: SimpleCommand;
  /** The command's folder: absolute, links resolved. */
  readonly cwd: string;
  /** True if a file's text may not be shown without asking. */
  isHidden(path: string): boolean;
};

/**
 * The hidden files whose text a git command may show without naming them plainly: files in git's index that its pathspecs
 * do not exclude, files of `REV:path` (relative to the top), of `log -L1,5:path` and of an object's name.
 * Files that exist only in older commits are not known here.
 * @returns absolute paths; undefined if they cannot be determined.
 */
export function gitShownFiles({ command, cwd, isHidden }: GitQuery): readonly string[] | undefined {
  const words = readGitArguments(command, cwd);
  if (words === undefined) return [];
  const repository = findGitRepository(words.folder);
  if (repository === undefined) return [];
  const { workTree, gitDir } = repository;
  const named = [...revisionPaths(words, workTree), ...linePaths(words)];
  const isLines = words.sub === "log" && named.length > 0 && words.before.some((word) => word.startsWith("-L"));
  const isFact = words.before.some((word) => /^(?:-[ets]|--batch.*)$/.test(word));
  const isObject = words.sub === "cat-file" && !isFact;
  const showsAll = !isLines && SHOWS.get(words.sub)?.(words) === true;
  const shown = [...new Set(named.filter(isHidden))];
  if (!showsAll && !isObject) return shown;
  // The command reads files that git does not know.
  if (words.sub === "grep" && words.before.some((word) => /^--(?:untr|no-in|no-ex)/.test(word))) return undefined;
  const names = indexNames(gitDir);
  if (names === undefined) return undefined;
  const hidden = names.filter(({ path }) => isHidden(join(workTree, path)));
  const found = isObject ? byObject(words, names, hidden) : hidden.filter((name) => isShown(name, words, repository));
  return found && [...new Set([...shown, ...found.map(({ path }) => join(workTree, path))])];
}

type RepositoryFolders = { readonly workTree: string; readonly gitDir: string };

function isShown(name: IndexName, words: GitArguments, { workTree, gitDir }: RepositoryFolders): boolean {
  if (!mayConcern(words.pathspecs, relative(workTree, words.folder), name.path)) return false;
  return !comparesWithIndex(words) || mayDiffer(name, join(workTree, name.path), join(gitDir, "index"));
}

/** `git diff` without arguments shows unstaged changes. */
function comparesWithIndex({ sub, before, operands }: GitArguments): boolean {
  const isPlain = sub === "diff" && operands.length === 0;
  return isPlain && before.every((word) => !/^--(?:cac|sta(?!t)|mer|no-i)/.test(word));
}

/** True if a file may have changed since git last read it (racy-git(7)). */
function mayDiffer({ size, modifiedNs, isUnsettled }: IndexName, path: string, index: string): boolean {
  const now = fileTimes(path);
  const indexTime = fileTimes(index);
  if (isUnsettled || now === undefined || indexTime === undefined) return true;
  return now.size % 2 ** 32 !== size || now.modifiedNs !== modifiedNs || now.modifiedNs >= indexTime.modifiedNs;
}

/** The file of an object's name, if the index contains it. @returns undefined in all other cases. */
function byObject(
  { operands }: GitArguments,
  names: readonly IndexName[],
  hidden: readonly IndexName[],
): readonly IndexName[] | undefined {
  const found: IndexName[] = [];
  for (const operand of operands) {
    if (!HEX.test(operand)) continue;
    const hits = names.filter(({ object }) => object.startsWith(operand));
    if (hits.length === 0) return undefined;
    found.push(...hits.filter((hit) => hidden.includes(hit)));
  }
  return found;
}

/** The file of `HEAD:a`, `:a` or `:0:a`, relative to the top of the work tree unless it begins with a dot. */
function revisionPaths({ before, folder }: GitArguments, workTree: string): readonly string[] {
  return before.flatMap((word) => {
    const path = REVISION_PATH.exec(word)?.[1];
    if (path === undefined || word.startsWith("-")) return [];
    return [join(/^\.\.?(?:\/|$)/.test(path) ? folder : workTree, path), join(folder, path)];
  });
}

function linePaths({ sub, before, folder }: GitArguments): readonly string[] {
  if (sub !== "log" && sub !== "show" && sub !== "whatchanged") return [];
  return before.flatMap((word, at) => {
    if (!word.startsWith("-L")) return [];
    const value = word === "-L" ? (before[at + 1] ?? "") : word.slice(2);
    const colon = value.lastIndexOf(":");
    return colon < 0 ? [] : [join(folder, value.slice(colon + 1))];
  });
}

/** A selection of files in a git command (gitglossary(7), "pathspec"). */
type Pathspec = {
  readonly isExclude: boolean;
  /** False if the pathspec is only partly understood: it may then match anything, and excludes nothing. */
  readonly isPlain: boolean;
  matches(path: string): boolean;
};

const MAGIC = /^:(?:\(([a-z,:]*)\)|([!^/]+):?)?([\s\S]*)$/;

/**
 * True if a command with these pathspecs may affect a file. True in doubt.
 * @param prefix The command's folder, relative to the top of the work tree; empty at the top.
 * @param path Relative to the top.
 */
export function mayConcern(pathspecs: readonly string[], prefix: string, path: string): boolean {
  const all = pathspecs.map((text) => readPathspec(text, prefix));
  if (all.some(({ isExclude, isPlain, matches }) => isExclude && isPlain && matches(path))) return false;
  const wanted = all.filter(({ isExclude }) => !isExclude);
  return wanted.length === 0 || wanted.some(({ isPlain, matches }) => !isPlain || matches(path));
}

function readPathspec(text: string, prefix: string): Pathspec {
  const magic = text.startsWith(":") ? MAGIC.exec(text) : undefined;
  const words = (magic?.[1] ?? "").split(",").filter((word) => word !== "");
  const signs = magic?.[2] ?? "";
  const isExclude = words.includes("exclude") || /[!^]/.test(signs);
  const isTop = words.includes("top") || signs.includes("/");
  const rest = magic ? (magic[3] ?? "") : text;
  // Bracket expressions, escapes and other magic words are not interpreted.
  const isPlain =
    words.every((word) => /^(?:exclude|top)$/.test(word)) && !/[[\\]/.test(rest) && !(magic && rest === "");
  const pattern = (isTop ? rest : join(prefix, rest)).replace(/^\.\/|\/+$/g, "");
  const expression = patternOf(pattern);
  return { isExclude, isPlain, matches: (path) => pattern === "." || pattern === "" || expression.test(path) };
}

/** `*` and `?` also match a slash; a name matches everything below it. */
function patternOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}(?:/|$)`, "su");
}
