import { basename, join, relative } from "node:path";
import { classify } from "@quoll/bash-syntax/classify";
import { innerCommands } from "@quoll/bash-syntax/inner-commands";
import type { ShellParser, ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { findGitRepository } from "../../../platform/git/find-repository.ts";
import { indexNames } from "../../../platform/git/index-names.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { findNameTest, type NameTest } from "./find-name-test.ts";
import { entriesOf, type SearchBudget } from "./hidden-below.ts";
import { hasPlainStarts } from "./plain-names.ts";
import { grepLeavesOut, type LeavesOut, rgLeavesOut } from "./search-filters.ts";
import { pathInShell } from "./shell-folder.ts";

/** The maximum number of names below the searched folders. */
const MAX_ENTRIES = 30_000;
/** xargs interprets blanks, quotes and backslashes. */
const SAFE_FOR_XARGS = /^[^\s'"\\]+$/;
const PLAIN_NAME = /^\w[\w./-]*$/;
/** Programs that search folder arguments themselves, so that the names of the outer search are no limit. */
const RECURSIVE = /^(?:rg|ls|tree|du|diff|find|fd)$/;
const ANY: NameTest = { isMatch: () => true, filesOnly: false };
const MOVES = /^(?:cd|pushd|popd)$/;

/** A line in which one command passes each found file to a program that only reads (`find src -exec grep -l x {} +`). */
export type FoundFiles = {
  /** The command that passes files on, and the command that receives them, as written. */
  readonly outer: string;
  readonly inner: string;
  /** The commands that the tables judge instead, with the searched folders in place of the found files. */
  readonly asOuter: SimpleCommand;
  readonly asInner: SimpleCommand;
  /** The files among them that need their own judgement: absolute, links resolved. */
  readonly reads: readonly string[];
};

type Handed = {
  readonly asOuter: SimpleCommand;
  readonly files: FileSet;
  /** True if the program would read a name that begins with a dash as a flag. */
  readonly needsPlainStarts?: boolean;
};
/** The possible files: all below these folders, or git's names. */
type FileSet =
  /** All files below the line's folder: names that git or a search prints. */
  | { readonly kind: "tree"; readonly leavesOut: LeavesOut }
  | {
      readonly kind: "below";
      readonly starts: readonly string[];
      readonly matches: NameTest;
      readonly isSplit: boolean;
    }
  | { readonly kind: "git" };

type Context = {
  /** The line's folder: absolute, links resolved. */
  readonly cwd: string;
  readonly parser: ShellParser;
  readonly workspace: Pick<Workspace, "contains">;
  /** True if a file's text may not be shown without asking. */
  isHidden(path: string): boolean;
};

/**
 * Recognises such a line: one command starts another, by `find -exec` or `… | xargs`, and all other commands only read.
 * The names that `find` passes begin with the given folder, so none is read as a flag.
 * @returns undefined for any other line, or if the files cannot be determined.
 */
export async function foundFiles(
  source: string,
  commands: readonly SimpleCommand[],
  context: Context,
): Promise<FoundFiles | undefined> {
  const { parser } = context;
  const starting = commands.filter((command) => innerCommands(command, parser) !== undefined);
  const [outer] = starting;
  if (outer === undefined || starting.length > 1 || outer.within.length > 0) return undefined;
  const others = commands.filter((command) => command !== outer);
  if (!others.every((one) => classify(one).readOnly && !MOVES.test(one.words[0]?.value ?? ""))) return undefined;
  const started = innerCommands(outer, parser);
  const [inner] = started?.commands ?? [];
  if (!started || !inner || started.unknown.length + started.commands.length > 1) return undefined;
  const asInner = readsWhatItGets(inner);
  if (asInner === undefined || innerCommands(inner, parser) !== undefined) return undefined;
  const handed = outer.words[0]?.value === "find" ? byFind(outer) : byXargs(outer, inner, { source, commands });
  if (handed === undefined || outer.assignments.length > 0) return undefined;
  if (handed.needsPlainStarts && !(await hasPlainStarts(context.cwd))) return undefined;
  const reads = await readsOf(handed.files, isRecursive(inner), context);
  return reads && { outer: outer.source, inner: inner.source, asOuter: handed.asOuter, asInner, reads };
}

/** Only the last word is the found file; if several files are passed, the program still only reads. */
function readsWhatItGets(inner: SimpleCommand): SimpleCommand | undefined {
  const words = inner.words.slice(0, -1);
  if (words.length === 0 || words.some(({ value }) => value === undefined) || inner.words.at(-1)?.value !== undefined)
    return undefined;
  const files = ["./quoll-1", "./quoll-2", "./quoll-3"].map(literal);
  return classify({ ...inner, words: [...words, ...files] }).readOnly
    ? { ...inner, words: [...words, literal(".")] }
    : undefined;
}

function literal(value: string): ShellWord {
  return { source: value, value, isGlob: false };
}

function isRecursive({ words }: SimpleCommand): boolean {
  return (
    RECURSIVE.test(basename(words[0]?.value ?? "")) ||
    words.some(({ value }) => /^-[A-Za-z]*[rRd]|^--(?:de)?re/.test(value ?? ""))
  );
}

/** `find paths tests -exec words {} ;`, with nothing after it. */
function byFind(outer: SimpleCommand): Handed | undefined {
  const values = outer.words.map(({ value }) => value);
  const at = values.indexOf("-exec");
  const end = values.findIndex((value, index) => index > at && (value === ";" || value === "+"));
  if (at < 0 || end !== values.length - 1 || values[end - 1] !== "{}" || values.indexOf("{}") !== end - 1)
    return undefined;
  return search({ ...outer, words: outer.words.slice(0, at) }, false);
}

function search(find: SimpleCommand, isSplit: boolean): Handed | undefined {
  const { readOnly, reads } = classify({ ...find, redirects: [] });
  if (!readOnly) return undefined;
  const matches = findNameTest(find.words.slice(1).map(({ value = "" }) => value));
  return { asOuter: find, files: { kind: "below", starts: reads, matches, isSplit } };
}

/** `find … | xargs words`, `git ls-files | xargs words`: two commands joined only by a pipe. */
function byXargs(
  outer: SimpleCommand,
  inner: SimpleCommand,
  line: Pick<Line, "source" | "commands">,
): Handed | undefined {
  const { source, commands } = line;
  const before = commands[commands.indexOf(outer) - 1];
  if (outer.words[0]?.value !== "xargs" || before === undefined || !isPipeline(source, commands)) return undefined;
  const flags = outer.words.map(({ value = "" }) => value);
  if (flags.some((flag) => /^-[ia]|^--(?:rep|arg-f)/.test(flag))) return undefined;
  const words = before.words.map(({ value = "" }) => value);
  if (words[0] === "git" && words[1] === "ls-files") return { asOuter: outer, files: { kind: "git" } };
  const given = givenNames(before);
  if (given) return { asOuter: outer, files: { kind: "below", starts: given, matches: ANY, isSplit: true } };
  const printed = printedNames(words);
  if (printed) {
    if (printed.kind === "git" || readsAnyName(inner)) return { asOuter: outer, files: printed };
    // A search prints paths below the line's folder, so only names at its top could begin with a dash.
    return SEARCHES.test(words[0] ?? "") ? { asOuter: outer, files: printed, needsPlainStarts: true } : undefined;
  }
  if (words[0] !== "find" || words.some((word) => /^-(?:printf|ls)$/.test(word))) return undefined;
  const isWhole =
    words.includes("-print0") && flags.some((flag) => flag === "-0" || flag === "--null" || flag === "-0r");
  if (words.includes("-print0") && !isWhole) return undefined;
  const found = search(before, !isWhole);
  return found && { ...found, asOuter: outer };
}

type Line = { readonly source: string; readonly commands: readonly SimpleCommand[] };

/** The names that `echo a b` or `printf '%s\n' a b` pass on. */
function givenNames({ words }: SimpleCommand): readonly string[] | undefined {
  const [head, ...args] = words.map(({ value, isGlob }) => (isGlob ? undefined : value));
  const names = head === "echo" ? args : head === "printf" && args[0] === "%s\\n" ? args.slice(1) : [];
  const known = names.filter((name) => name !== undefined);
  return known.length > 0 && known.length === names.length ? known : undefined;
}

/** Programs that only read with any flag, so that a name read as a flag does no harm. */
const ONLY_READS =
  /^(?:cat|wc|grep|egrep|fgrep|head|tail|nl|ls|stat|du|file|md5sum|sha\d+sum|cksum|basename|dirname|realpath)$/;

const SEARCHES = /^(?:rg|[ef]?grep)$/;

function readsAnyName({ words }: SimpleCommand): boolean {
  return ONLY_READS.test(words[0]?.value ?? "");
}

/** The files whose names a command prints, and nothing else; undefined for any other command. */
function printedNames([program = "", ...words]: readonly string[]): FileSet | undefined {
  const has = (...flags: readonly string[]) => words.some((word) => flags.includes(word));
  const isElsewhere = words.some((word) => /^(?:\/|~|\.\.)/.test(word));
  const tree = (leavesOut: LeavesOut): FileSet => ({ kind: "tree", leavesOut });
  const [sub, ...rest] = words;
  const isList = words.some((word) => /^-[A-Za-z]*l[A-Za-z]*$/.test(word)) || has("--files-with-matches");
  const isOther = has("-Z", "--null", "-0", "-z", "--json", "-c", "--count", "-o", "--no-index");
  if (isOther) return undefined;
  if (program === "git" && sub === "grep") return isList || has("--name-only") ? tree(NOTHING) : undefined;
  if (program === "git" && sub === "diff" && has("--name-only")) {
    // Without a revision, these are names in the index.
    if (rest.every((word) => word === "--name-only" || word.startsWith("--diff-filter="))) return { kind: "git" };
    return rest.some((word) => /^--(?:stat|patch|line-prefix|relative|output)/.test(word)) ? undefined : tree(NOTHING);
  }
  if (isElsewhere) return undefined;
  if (program === "ls" && words.every((word) => !word.startsWith("-") || /^-[1AatrSd]+$/.test(word)))
    return tree(words.some((word) => /^-\w*[aA]/.test(word) || word.startsWith(".")) ? NOTHING : isDotted);
  if (program === "rg") return isList || has("--files") ? tree(rgLeavesOut(words)) : undefined;
  return /^[ef]?grep$/.test(program) && isList ? tree(grepLeavesOut(words)) : undefined;
}

const NOTHING: LeavesOut = () => false;

function isDotted(path: string, start: string): boolean {
  return relative(start, path)
    .split("/")
    .some((part) => part.startsWith("."));
}

/** True if the line consists of its commands joined by pipes. */
function isPipeline(source: string, commands: readonly SimpleCommand[]): boolean {
  const bare = (text: string) => text.replace(/\s/g, "");
  if (commands.some(({ within, assignments }) => within.length + assignments.length > 0)) return false;
  const whole = commands.map(({ source: own, redirects }) => [own, ...redirects.map((one) => one.source)].join(""));
  return bare(source) === bare(whole.join("|"));
}

async function readsOf(files: FileSet, isDeep: boolean, context: Context): Promise<readonly string[] | undefined> {
  if (files.kind === "git") return gitReads(context);
  if (files.kind === "tree") return treeReads(files.leavesOut, context);
  const found = new Set<string>();
  const budget = { left: MAX_ENTRIES };
  const matches: NameTest = isDeep ? ANY : files.matches;
  for (const text of files.starts) {
    if (files.isSplit && !SAFE_FOR_XARGS.test(text)) return undefined;
    const start = text.startsWith("-") ? undefined : await pathInShell(text, context.cwd);
    if (start === undefined || !context.workspace.contains(start)) return undefined;
    if (context.isHidden(start)) found.add(start);
    if (kindAt(start) === "folder" && !(await walk(start, { ...context, ...files, matches, budget, found })))
      return undefined;
  }
  return budget.left < 0 ? undefined : [...found];
}

/** The files below the line's folder that need their own judgement. git prints names from the top of its work tree. */
async function treeReads(leavesOut: LeavesOut, context: Context): Promise<readonly string[] | undefined> {
  const { cwd, workspace } = context;
  const repository = findGitRepository(cwd);
  if (!workspace.contains(cwd) || (repository !== undefined && repository.workTree !== cwd)) return undefined;
  const found = new Set<string>();
  const budget = { left: MAX_ENTRIES };
  const isSafe = await walk(cwd, { ...context, matches: ANY, isSplit: true, budget, found });
  return isSafe && budget.left >= 0 ? [...found].filter((path) => !leavesOut(path, cwd)) : undefined;
}

type Walk = Pick<Context, "isHidden"> & {
  readonly matches: NameTest;
  readonly isSplit: boolean;
  readonly budget: SearchBudget;
  readonly found: Set<string>;
};

/** @returns false if a name would not reach the program as one word. */
async function walk(start: string, { isHidden, matches, isSplit, budget, found }: Walk): Promise<boolean> {
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, kind } of await entriesOf(folder, budget)) {
      const path = join(folder, name);
      if (kind === "folder" && name !== ".git") waiting.push(path);
      const isPassed = matches.isMatch(name) && !(matches.filesOnly && kind !== "file");
      if (isSplit && (isPassed || kind === "folder") && !SAFE_FOR_XARGS.test(name)) return false;
      if (!isPassed) continue;
      const real = kind === "link" ? realPathOrSelf(path) : path;
      if (real !== path || isHidden(path)) found.add(real);
    }
  }
  return true;
}

/** The names in git's index; each must be a single word that no program reads as a flag. */
function gitReads({ cwd, isHidden, workspace }: Context): readonly string[] | undefined {
  const repository = findGitRepository(cwd);
  const names = repository && indexNames(repository.gitDir);
  if (repository === undefined || names === undefined || names.length > MAX_ENTRIES) return undefined;
  if (repository.workTree !== cwd || !workspace.contains(cwd)) return undefined;
  if (!names.every(({ path }) => PLAIN_NAME.test(path.replace(/^\./, "")))) return undefined;
  return names.flatMap(({ path }) => {
    const whole = join(cwd, path);
    const real = realPathOrSelf(whole);
    return real !== whole || isHidden(whole) ? [real] : [];
  });
}
