import { basename, dirname, join } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { executable, findProgram } from "../../../platform/processes/find-program.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import { gitIsInert } from "./git-config.ts";
import { pathInShell } from "./path-in-shell.ts";

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
  return isTrusted(head, context) && (await gitIsHarmless(words, context)) && takesNoSettings(words, context);
}

const RUST_FILES = ["rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml"];
/** Files in a folder, or in a parent, that make a program run another program, whatever its arguments. */
const REDIRECTING: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["cargo", RUST_FILES],
  ["rustc", RUST_FILES],
  ["yarn", [".yarnrc", ".yarnrc.yml", ".yarnrc.yaml"]],
  ["pnpm", [".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml"]],
]);
/** A package.json that names its package manager: npm then fetches and runs another version. */
const NAMES_MANAGER = /"(?:packageManager|devEngines)"/;
const MAX_PACKAGE_BYTES = 1024 * 1024;

/**
 * True if a program follows its arguments regardless of the files of an untrusted folder. npm's `.npmrc` sends environment
 * variables (`${TOKEN}`) to a registry of its choice; other programs may start another program.
 */
function takesNoSettings(words: readonly ShellWord[], { cwd, env, isTrusted }: ProgramContext): boolean {
  const name = basename(words[0]?.value ?? "");
  if (isTrusted) return true;
  if (name === "npm") return words.length === 2 && /^(?:-v|--version)$/.test(words[1]?.value ?? "");
  const files = REDIRECTING.get(name);
  if (files === undefined) return true;
  if (cwd === undefined) return false;
  const isManager = name === "yarn" || name === "pnpm";
  for (let folder = cwd; ; folder = dirname(folder)) {
    // The files in the user's home folder itself are the user's own.
    const isOwn = folder === env["HOME"];
    if (!isOwn && files.some((file) => kindAt(join(folder, file)) !== undefined)) return false;
    if (isManager && !isOwn && NAMES_MANAGER.test(readSmallFile(join(folder, "package.json"), MAX_PACKAGE_BYTES) ?? ""))
      return false;
    if (folder === dirname(folder)) return true;
  }
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
  const file = name.includes("/") ? atPath(name, cwd) : findProgram(name, env["PATH"] ?? "");
  return file !== undefined && !workspace.contains(file);
}

function atPath(name: string, cwd: string | undefined): string | undefined {
  if (name.startsWith("/")) return executable(name);
  return cwd === undefined ? undefined : executable(`${cwd}/${name}`);
}

/** True for every command except git. */
async function gitIsHarmless(words: readonly ShellWord[], { env, cwd, isTrusted }: ProgramContext): Promise<boolean> {
  const [head, ...args] = words;
  if (head?.value === undefined || basename(head.value) !== "git") return true;
  if (!isTrusted || cwd === undefined || Object.keys(env).some((name) => GIT_ENVIRONMENT.test(name))) return false;
  if (args.some(({ value }) => ELSEWHERE.test(value ?? ""))) return false;
  const at = args.findIndex(({ value }) => value === "-C");
  const folder = at < 0 ? cwd : await pathInShell(args[at + 1]?.value ?? "", cwd);
  return folder !== undefined && gitIsInert(folder);
}
