import { join, relative } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import type { HeldSetting } from "../../contracts/settings.ts";
import { firstFew } from "../../contracts/words.ts";
import { listFolder } from "../../platform/files/list-folder.ts";
import { entryExists, outerGitFolders } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import type { CollectedContent } from "./project-servers.ts";
import { effectLine } from "./shown-effects.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Most lines of settings, and of git, in a question, which scrolls; further lines are only counted. */
const MAX_LINES = 500;

/**
 * Lists the effects of trusting a project: withheld settings, content that needs approval, and programs that git would
 * start because of the repository's configuration. Starts nothing and decides nothing.
 * @param root The project root: absolute, symlinks resolved.
 * @returns one short line per effect, safe to print; empty when there are none.
 */
export async function trustEffects(
  root: string,
  held: readonly HeldSetting[],
  { items, problems }: CollectedContent,
): Promise<readonly string[]> {
  const gitFolders = gitFoldersOf(root);
  const configs = gitFolders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]);
  const parts = await Promise.all([
    ...configs.map((file) => linesOf(root, file, configLines)),
    ...gitFolders.map((folder) => hookLine(root, join(folder, "hooks"))),
  ]);
  const widening = held.map(({ file, line, what }) => `${what} (${shown(root, file)}:${line})`);
  const declared = items.flatMap(({ lines }) => lines);
  return shownLines([...capped(widening, "setting"), ...declared, ...capped([...problems, ...parts.flat()], "effect")]);
}

const HOOK_FILES = [".claude/settings.json", ".claude/settings.local.json"];

/** The project's files of another agent that declare hooks, relative to the root. Quoll runs none of these hooks. */
export async function idleHookFiles(root: string): Promise<readonly string[]> {
  const texts = await Promise.all(
    HOOK_FILES.map((file) => readSmallText(join(root, file), MAX_FILE_BYTES).catch(() => undefined)),
  );
  return HOOK_FILES.filter((_, at) => /"hooks"\s*:\s*\{\s*"/.test(texts[at] ?? ""));
}

/** The lines as a question shows them, each line once. */
export function shownLines(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.map((line) => effectLine(line)))];
}

/** The first lines, and the number of the others. Lines of content to approve are never left out. */
function capped(lines: readonly string[], noun: string): readonly string[] {
  return firstFew(lines, MAX_LINES, (count) => `and ${plural(count, `more ${noun}`)}, which are not listed here`);
}

/** The declarations of a project file; a file that can't be read or parsed gets a line itself. */
async function linesOf(
  root: string,
  file: string,
  read: (text: string, name: string) => readonly string[],
): Promise<readonly string[]> {
  try {
    const text = await readSmallText(file, MAX_FILE_BYTES);
    return text === undefined ? [] : read(text, shown(root, file));
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return [];
    return [unclear(root, file, error)];
  }
}

/** The folder with this repository's configuration and hooks; a worktree's is elsewhere. */
function gitFoldersOf(root: string): readonly string[] {
  const outer = outerGitFolders(root);
  if (outer.length > 0) return outer;
  return [isBare(root) ? root : join(root, ".git")];
}

/** The folder is a bare repository with its configuration among its files. */
function isBare(root: string): boolean {
  return !entryExists(join(root, ".git")) && entryExists(join(root, "HEAD")) && entryExists(join(root, "objects"));
}

function configLines(text: string, name: string): readonly string[] {
  return gitPrograms(text).map(({ key, value, line }) => `lets git run ${key} = ${value} (${name}:${line})`);
}

/** Git's sample hooks end in `.sample` and never run. */
async function hookLine(root: string, folder: string): Promise<readonly string[]> {
  if (!entryExists(folder)) return [];
  try {
    const hooks = (await listFolder(folder))
      .filter(({ name, kind }) => kind !== "folder" && !name.endsWith(".sample"))
      .map(({ name }) => name);
    return hooks.length === 0 ? [] : [`lets git run its hooks ${hooks.join(", ")} (${shown(root, folder)})`];
  } catch (error) {
    return [unclear(root, folder, error)];
  }
}

function unclear(root: string, path: string, error: unknown): string {
  return `has a file that can't be checked beforehand: ${shown(root, path)} (${errorMessage(error)})`;
}

/** A path as shown to the person: relative inside the project. */
function shown(root: string, path: string): string {
  const inside = relative(root, path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}

/** A key of a repository's configuration by which git starts a program or reads more configuration. */
type GitProgram = {
  /** Section and name in lower case, the subsection as written: `filter.lfs.clean`. */
  readonly key: string;
  readonly value: string;
  /** Counting from 1. */
  readonly line: number;
};

/**
 * Source: git-config(1). Ordinary commands such as `git status`, `git diff` or `git fetch` run the programs named by
 * these keys.
 */
const PROGRAM_KEYS: readonly RegExp[] = [
  /^core\.(?:fsmonitor|sshcommand|hookspath|pager|editor|askpass|gitproxy|alternaterefscommand)$/,
  /^(?:sequence\.editor|diff\.external|web\.browser|init\.templatedir|interactive\.difffilter|uploadpack\.packobjectshook)$/,
  /^filter\..*\.(?:clean|smudge|process)$/,
  /^diff\..*\.(?:command|textconv)$/,
  /^merge\..*\.driver$/,
  /^(?:mergetool|difftool|guitool|browser|man)\..*\.(?:cmd|path)$/,
  /^(?:credential|credential\..*)\.helper$/,
  /^(?:gpg|gpg\..*)\.(?:program|defaultkeycommand)$/,
  /^pager\..*$/,
  /^alias\..*$/,
  /^remote\..*\.(?:uploadpack|receivepack|vcs)$/,
  /^submodule\..*\.update$/,
  /^trailer\..*\.(?:cmd|command)$/,
  /^tar\..*\.command$/,
  /^sendemail\..*cmd$/,
  /^protocol\.ext\.allow$/,
  /^(?:include|includeif\..*)\.path$/,
];
/** Keys whose value is a program only after an exclamation mark. */
const NEEDS_MARK = /^(?:alias|submodule)\./;
const SWITCH = /^(?:true|false|yes|no|on|off|0|1|)$/i;

/**
 * The programs that git would start because of a repository's configuration. For display only: a parsing error shows
 * too much or too little, but decides nothing.
 */
export function gitPrograms(config: string): readonly GitProgram[] {
  const found: GitProgram[] = [];
  let section = "";
  for (const [index, raw] of config.split("\n").entries()) {
    let line = raw.trim();
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    if (header) {
      const [, name = "", sub, rest = ""] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      line = rest.trim();
    }
    const [, name, value = ""] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
    if (name === undefined) continue;
    const key = `${section}.${name.toLowerCase()}`;
    if (startsProgram(key, value)) found.push({ key, value, line: index + 1 });
  }
  return found;
}

function startsProgram(key: string, value: string): boolean {
  if (!PROGRAM_KEYS.some((pattern) => pattern.test(key))) return false;
  if (NEEDS_MARK.test(key)) return value.replace(/^"/, "").startsWith("!");
  return !SWITCH.test(value);
}
