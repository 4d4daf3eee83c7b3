import { basename } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import { executable, findProgram } from "../../../platform/processes/find-program.ts";
import { gitIsInert } from "./git-config.ts";
import { takesNoSettings } from "./program-settings.ts";
import { pathInShell } from "./shell-folder.ts";

/** Builtins of bash 3.2 to 5.3, and reserved words that may begin a command: no file has a part in them. */
const BUILTINS = new Set(
  ". : [ [[ bg break builtin caller cd command compgen complete continue declare dirs disown echo eval exec exit export false fc fg getopts hash help history jobs kill let local logout popd printf pushd pwd read readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait !".split(
    " ",
  ),
);
const GIT_ENVIRONMENT =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|CONFIG|CONFIG_GLOBAL|EXTERNAL_DIFF)$/;

const ELSEWHERE = /^--(?:git-dir|work-tree|exec-path|config-env|namespace)\b/;

export type ProgramContext = {
  readonly workspace: Pick<Workspace, "contains">;
  /** The command's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The command's folder: absolute, links resolved; undefined if it is unknown. */
  readonly cwd: string | undefined;
  /** True if the person has trusted the folder. */
  readonly isTrusted: boolean;
};

/**
 * True if a command's name leads to the program that the tables mean: a builtin, or a program outside the workspace that
 * nothing in the workspace can influence. (A `git` in node_modules/.bin is not git.)
 * @param inner The innermost command of its wrappers, if it has any.
 */
export async function programIsTrusted(
  command: SimpleCommand,
  inner: SimpleCommand | undefined,
  context: ProgramContext,
): Promise<boolean> {
  const { words } = inner ?? command;
  const [head] = words;
  if (head === undefined) return true;
  const wrappers = command.words.slice(0, command.words.length - words.length);
  if (!wrappers.every((word) => isNoTrap(word, context))) return false;
  if (!isTrusted(head, context) || !viewerIsPlain(words, context)) return false;
  return (await gitIsHarmless(words, context)) && takesNoSettings(words, context);
}

/** Tests the names of environment variables that make a pager or viewer run a program on the shown file. */
const VIEWER_ENVIRONMENT = /^(?:LESSOPEN|LESSCLOSE|LESSKEY\w*|LESSEDIT|BAT_CONFIG_PATH|MANPATH|MANROFFOPT)$/;
const VIEWERS: ReadonlySet<string> = new Set(["less", "more", "man", "bat", "batcat"]);

function viewerIsPlain(words: readonly ShellWord[], { env }: ProgramContext): boolean {
  if (!VIEWERS.has(basename(words[0]?.value ?? ""))) return true;
  return !Object.entries(env).some(([name, value]) => VIEWER_ENVIRONMENT.test(name) && value !== "");
}

/** True if a plain name leads to any program or builtin. */
export function isProgramName(name: string, path: string): boolean {
  return name.includes("/") || BUILTINS.has(name) || findProgram(name, path) !== undefined;
}

/** A word before the wrapped command: a wrapper, or a flag, a number, an assignment, with any text. */
function isNoTrap({ value }: ShellWord, { workspace, env }: ProgramContext): boolean {
  if (value === undefined || value.includes("/")) return false;
  const file = findProgram(value, env["PATH"] ?? "");
  return file === undefined || !workspace.contains(file);
}

function isTrusted(head: ShellWord, { workspace, env, cwd }: ProgramContext): boolean {
  const name = head.value;
  if (name === undefined || name === "" || head.isGlob) return false;
  if (!name.includes("/") && BUILTINS.has(name)) return true;
  const path = env["PATH"] ?? "";
  const file = name.includes("/") ? atPath(name, cwd) : findProgram(name, path);
  if (file !== undefined) return !workspace.contains(file);
  // A program that does not exist only fails, unless something may put it into a folder of the workspace first.
  return (
    !name.includes("/") && path.split(":").every((folder) => folder.startsWith("/") && !workspace.contains(folder))
  );
}

function atPath(name: string, cwd: string | undefined): string | undefined {
  if (name.startsWith("/")) return executable(name);
  return cwd === undefined ? undefined : executable(`${cwd}/${name}`);
}

/** git's own flags before its subcommand: `rev-parse --git-dir` is a question. */
function globalFlags(args: readonly ShellWord[]): readonly string[] {
  const flags: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at]?.value ?? "";
    if (!value.startsWith("-")) break;
    flags.push(value);
    if (value === "-C" || value === "-c") at += 1;
  }
  return flags;
}

/** True for every command except git. */
async function gitIsHarmless(words: readonly ShellWord[], { env, cwd, isTrusted }: ProgramContext): Promise<boolean> {
  const [head, ...args] = words;
  if (head?.value === undefined || basename(head.value) !== "git") return true;
  if (!isTrusted || cwd === undefined || Object.keys(env).some((name) => GIT_ENVIRONMENT.test(name))) return false;
  if (globalFlags(args).some((flag) => ELSEWHERE.test(flag))) return false;
  const at = args.findIndex(({ value }) => value === "-C");
  const folder = at < 0 ? cwd : await pathInShell(args[at + 1]?.value ?? "", cwd);
  return folder !== undefined && gitIsInert(folder);
}
