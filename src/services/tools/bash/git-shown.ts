import { join, relative } from "node:path";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { fileTimes } from "../../../platform/git/file-times.ts";
import { findGitRepository } from "../../../platform/git/find-repository.ts";
import { type IndexName, indexNames } from "../../../platform/git/index-names.ts";
import { mayConcern } from "./git-pathspec.ts";
import { type GitWords, readGitWords } from "./git-words.ts";

const PATCH =
  /^(?:-[a-zA-Z]*[pu][a-zA-Z]*|-U\d*|-W|-c|-m|--(?:patch|patch-with-stat|unified|cc|binary|word-diff|color-words|function-context)(?:=.*)?)$/;
/** Of a command that shows changes: only which files, and how much. */
const NAMES_ONLY =
  /^(?:-s|-q|--(?:stat|shortstat|numstat|name-only|name-status|summary|dirstat|cumulative|raw|quiet|no-patch|brief)(?:=.*)?)$/;
/** `HEAD:a`, `:a`, `:0:a`; not `:/text` nor the magic of pathspecs. */
const REVISION_PATH = /^[^:]*:(?:[0-3]:)?(?![/!^(])([\s\S]+)$/;
const HEX = /^[0-9a-f]{4,64}$/;

const showsPatch = ({ before }: GitWords) => before.some((word) => PATCH.test(word));
const showsChanges = (words: GitWords) => showsPatch(words) || !words.before.some((word) => NAMES_ONLY.test(word));

function isFilesAlone({ before }: GitWords): boolean {
  const operands = before.filter((word) => !word.startsWith("-"));
  return operands.length > 0 && operands.every((word) => REVISION_PATH.test(word));
}

/** git's commands that show the text of files which they don't name, and when they do. */
const SHOWS: ReadonlyMap<string, (words: GitWords) => boolean> = new Map([
  ["grep", () => true],
  ["diff", showsChanges],
  ["show", (words: GitWords) => showsChanges(words) && !isFilesAlone(words)],
  ["range-diff", showsChanges],
  ["log", showsPatch],
  ["whatchanged", showsPatch],
  ["reflog", showsPatch],
  ["diff-tree", showsPatch],
  ["diff-index", showsPatch],
  ["diff-files", showsPatch],
  ["stash", (words: GitWords) => words.before.includes("show") && showsPatch(words)],
  ["status", ({ before }: GitWords) => before.some((word) => /^(?:-[a-z]*v[a-z]*|--verbose)$/.test(word))],
  ["archive", () => true],
  ["blame", () => true],
  ["annotate", () => true],
  ["format-patch", () => true],
  ["fast-export", () => true],
]);

export type GitQuery = {
  /** Without its wrappers. */
  readonly command: SimpleCommand;
  /** Where it runs: absolute, links resolved. */
  readonly cwd: string;
  /** Whether a file's text may not be shown unasked. */
  isHidden(path: string): boolean;
};

/**
 * The hidden files whose text a git command may show without naming them plainly: those that git's index names and that its pathspecs
 * don't leave out, those of `REV:path` (which counts from the top), of `log -L1,5:path` and of an object's name.
 * What only an older commit holds is not known here.
 * @returns absolute paths; undefined when nobody can say.
 */
export function gitShown({ command, cwd, isHidden }: GitQuery): readonly string[] | undefined {
  const words = readGitWords(command, cwd);
  if (words === undefined) return [];
  const repository = findGitRepository(words.folder);
  if (repository === undefined) return [];
  const { workTree, gitDir } = repository;
  const named = [...revisionPaths(words, workTree), ...linePaths(words)];
  const isLines = words.sub === "log" && named.length > 0 && words.before.some((word) => word.startsWith("-L"));
  const isObject = words.sub === "cat-file" && words.before.includes("-p");
  const showsAll = !isLines && SHOWS.get(words.sub)?.(words) === true;
  const shown = [...new Set(named.filter(isHidden))];
  if (!showsAll && !isObject) return shown;
  // It looks at files that git doesn't know.
  if (words.sub === "grep" && words.before.some((word) => /^--(?:untr|no-in|no-ex)/.test(word))) return undefined;
  const names = indexNames(gitDir);
  if (names === undefined) return undefined;
  const hidden = names.filter(({ path }) => isHidden(join(workTree, path)));
  const found = isObject ? byObject(words, names, hidden) : hidden.filter((name) => isShown(name, words, repository));
  return found && [...new Set([...shown, ...found.map(({ path }) => join(workTree, path))])];
}

type Place = { readonly workTree: string; readonly gitDir: string };

function isShown(name: IndexName, words: GitWords, { workTree, gitDir }: Place): boolean {
  if (!mayConcern(words.pathspecs, relative(workTree, words.folder), name.path)) return false;
  return !comparesWithIndex(words) || mayDiffer(name, join(workTree, name.path), join(gitDir, "index"));
}

/** `git diff` alone shows what is not staged yet. */
function comparesWithIndex({ sub, before, operands }: GitWords): boolean {
  const isPlain = sub === "diff" && operands.length === 0;
  return isPlain && before.every((word) => !/^--(?:cac|sta(?!t)|mer|no-i)/.test(word));
}

/** Whether a file may hold something else than git saw when it last looked (racy-git(7)). */
function mayDiffer({ size, modifiedNs, isUnsettled }: IndexName, path: string, index: string): boolean {
  const now = fileTimes(path);
  const indexTime = fileTimes(index);
  if (isUnsettled || now === undefined || indexTime === undefined) return true;
  return now.size % 2 ** 32 !== size || now.modifiedNs !== modifiedNs || now.modifiedNs >= indexTime.modifiedNs;
}

/** An object by its name: which file that is, the index may tell. @returns undefined when it doesn't. */
function byObject(
  { operands }: GitWords,
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

/** The file of `HEAD:a`, `:a` or `:0:a`, counted from the top of the work tree unless it begins with a dot. */
function revisionPaths({ before, folder }: GitWords, workTree: string): readonly string[] {
  return before.flatMap((word) => {
    const path = REVISION_PATH.exec(word)?.[1];
    if (path === undefined || word.startsWith("-")) return [];
    return [join(/^\.\.?(?:\/|$)/.test(path) ? folder : workTree, path), join(folder, path)];
  });
}

function linePaths({ sub, before, folder }: GitWords): readonly string[] {
  if (sub !== "log" && sub !== "show" && sub !== "whatchanged") return [];
  return before.flatMap((word, at) => {
    if (!word.startsWith("-L")) return [];
    const value = word === "-L" ? (before[at + 1] ?? "") : word.slice(2);
    const colon = value.lastIndexOf(":");
    return colon < 0 ? [] : [join(folder, value.slice(colon + 1))];
  });
}
