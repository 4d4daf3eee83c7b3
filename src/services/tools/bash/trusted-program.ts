import { basename, dirname, join } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { executable, findProgram } from "../../../platform/processes/find-program.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import { gitIsInert } from "./git-config.ts";
import { pathInShell } from "./path-in-shell.ts";

/** Builtins of bash 3.2 to 5.3, and the words of its grammar that may head a command: no file stands behind them. */
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
  /** The environment that the command will have. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the command runs: absolute, links resolved; undefined when that can't be known. */
  readonly cwd: string | undefined;
  /** Whether the person has said that the folder is theirs. */
  readonly isTrusted: boolean;
};

/**
 * Whether a command's name leads to what the tables mean by it: a builtin, or a program outside of the workspace that
 * nothing in the workspace has a hold on. (A `git` in node_modules/.bin is not git.)
 * @param inner What the command's wrappers run in the end, if it has any.
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
/** Files in a folder, or one above it, that make a program run another in its place, whatever it is asked. */
const REDIRECTING: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["cargo", RUST_FILES],
  ["rustc", RUST_FILES],
  ["yarn", [".yarnrc", ".yarnrc.yml", ".yarnrc.yaml"]],
  ["pnpm", [".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml"]],
]);
/** A package.json that names its package manager: another version is fetched and run. */
const NAMES_MANAGER = /"(?:packageManager|devEngines)"/;
const MAX_PACKAGE_BYTES = 1024 * 1024;

/**
 * Whether a program does what its words say, whatever the files of an untrusted folder say. npm's `.npmrc` sends variables of the
 * environment (`${TOKEN}`) to a registry of its choice; the others may be led to another program.
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
    // What lies in the person's home folder itself is their own.
    const isOwn = folder === env["HOME"];
    if (!isOwn && files.some((file) => kindAt(join(folder, file)) !== undefined)) return false;
    if (isManager && !isOwn && NAMES_MANAGER.test(readSmallFile(join(folder, "package.json"), MAX_PACKAGE_BYTES) ?? ""))
      return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether a plain name leads to any program or builtin. */
export function isProgramName(name: string, path: string): boolean {
  return name.includes("/") || BUILTINS.has(name) || findProgram(name, path) !== undefined;
}

/** A word before the wrapped command: a wrapper, or a flag, a number, an assignment, which may be called like anything. */
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

/** True for everything that isn't git. */
async function gitIsHarmless(words: readonly ShellWord[], { env, cwd, isTrusted }: ProgramContext): Promise<boolean> {
  const [head, ...args] = words;
  if (head?.value === undefined || basename(head.value) !== "git") return true;
  if (!isTrusted || cwd === undefined || Object.keys(env).some((name) => GIT_ENVIRONMENT.test(name))) return false;
  if (args.some(({ value }) => ELSEWHERE.test(value ?? ""))) return false;
  const at = args.findIndex(({ value }) => value === "-C");
  const folder = at < 0 ? cwd : await pathInShell(args[at + 1]?.value ?? "", cwd);
  return folder !== undefined && gitIsInert(folder);
}
