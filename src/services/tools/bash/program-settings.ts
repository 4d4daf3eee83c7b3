import { basename, dirname, join } from "node:path";
import type { ShellWord } from "@quoll/bash-syntax/types";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

export type SettingsContext = {
  /** The command's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The command's folder: absolute, links resolved; undefined if it is unknown. */
  readonly cwd: string | undefined;
  /** True if the person has trusted the folder. */
  readonly isTrusted: boolean;
};

/** Files in a folder, or in a parent, that can make a program run another program, whatever its arguments. */
type Redirecting = {
  readonly files: readonly string[];
  /**
   * Tests a file's name and its text, joined by a line end: in a trusted folder, only such a file counts. The others
   * choose a version or a format.
   */
  readonly code: RegExp;
};

const MAX_BYTES = 1024 * 1024;
const RUST: Redirecting = {
  files: ["rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml"],
  code: /\bpath\s*=|\b(?:rustc|rustdoc|linker|runner|include)\b|wrapper|credential/,
};
const GO: Redirecting = {
  files: ["go.mod", "go.work"],
  // A toolchain of another name than a release is a program that the path leads to.
  code: /^\s*toolchain\s+(?!go\d[\d.]*(?:rc\d+|beta\d+)?\s*(?:\/\/.*)?$)/m,
};
const REDIRECTING: ReadonlyMap<string, Redirecting> = new Map<string, Redirecting>([
  ["cargo", RUST],
  ["rustc", RUST],
  ["rustup", RUST],
  ["yarn", { files: [".yarnrc", ".yarnrc.yml", ".yarnrc.yaml"], code: /yarn-?path|plugins|shell|preloads/i }],
  [
    "pnpm",
    {
      files: [".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml"],
      code: /^\.pnpmfile|script-?shell|node-?options|pnpmfile|configDependencies|npm-?path|node-?version/i,
    },
  ],
  ["bun", { files: ["bunfig.toml"], code: /preload|plugins|shell/ }],
  // Options of the machine but its memory and properties: agents and class paths.
  ["mvn", { files: [".mvn/jvm.config"], code: /\s-(?!Xm[sx]|Xss|D)|@/ }],
  ["dotnet", { files: ["global.json"], code: /"paths"/ }],
]);
/** Every project in Go has such a file, so only its text counts in any folder. */
const BY_TEXT: ReadonlyMap<string, Redirecting> = new Map([["go", GO]]);
/** A package.json that names its package manager: npm or corepack then fetches and runs another version. */
const NAMES_MANAGER = /"(?:packageManager|devEngines)"/;
/** A package.json that names an address or a file instead of a version of its manager. */
const NAMES_CODE = /"packageManager"\s*:\s*"[^"]*(?::\/\/|file:|\.\.?\/)/;
/** Programs that run the copy in the project's dependencies, if there is one: each looks for it in its own way. */
const DELEGATING = /^(?:ava|gulp|jest|lerna|nx|turbo|webpack)$/;
const DEPENDENCIES = ["node_modules", ".pnp.cjs", ".yarn", ".nx"];

/**
 * True if a program follows its arguments regardless of the files of the folder. In a folder that is not trusted, npm's
 * `.npmrc` sends environment variables (`${TOKEN}`) to a registry of its choice; other programs may start another one.
 */
export function takesNoSettings(words: readonly ShellWord[], context: SettingsContext): boolean {
  const { cwd, isTrusted } = context;
  const name = basename(words[0]?.value ?? "");
  if (name === "npm") return isTrusted || (words.length === 2 && /^(?:-v|--version)$/.test(words[1]?.value ?? ""));
  const redirecting = REDIRECTING.get(name) ?? BY_TEXT.get(name);
  if (redirecting === undefined && !DELEGATING.test(name)) return true;
  if (cwd === undefined) return false;
  const folders = upwards(cwd).filter((folder) => folder !== context.env["HOME"]);
  if (DELEGATING.test(name)) return !folders.some(hasDependencies);
  if (redirecting && folders.some((folder) => redirects(folder, redirecting, isTrusted || BY_TEXT.has(name))))
    return false;
  if ((name === "yarn" || name === "pnpm") && folders.some((folder) => namesManager(folder, isTrusted))) return false;
  if (name === "pnpm" && fetchesItself(folders)) return false;
  const sub = words[1]?.value ?? "";
  // These may fetch what the project names.
  if (name === "cargo" && !sub.startsWith("-")) return isTrusted && hasLockFile(folders);
  if (name === "yarn" && sub === "info") return isTrusted;
  return name !== "bun" || sub !== "ls" || !folders.some(hasScriptLs);
}

/** The folder and its parents. The files in the user's home folder itself are the user's own. */
function upwards(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

function redirects(folder: string, { files, code }: Redirecting, isTrusted: boolean): boolean {
  return files.some((file) => {
    const path = join(folder, file);
    if (kindAt(path) === undefined) return false;
    const text = isTrusted ? readSmallFile(path, MAX_BYTES) : undefined;
    return text === undefined || code.test(`${file}\n${text}`);
  });
}

function namesManager(folder: string, isTrusted: boolean): boolean {
  return (isTrusted ? NAMES_CODE : NAMES_MANAGER).test(readSmallFile(join(folder, "package.json"), MAX_BYTES) ?? "");
}

/** pnpm fetches the version of itself that package.json names, from the registry that the project names. */
function fetchesItself(folders: readonly string[]): boolean {
  const holds = (folder: string, file: string, text: RegExp) =>
    text.test(readSmallFile(join(folder, file), MAX_BYTES) ?? "");
  return (
    folders.some((folder) => holds(folder, "package.json", NAMES_MANAGER)) &&
    folders.some((folder) => [".npmrc", "pnpm-workspace.yaml"].some((file) => holds(folder, file, /registr/i)))
  );
}

function hasDependencies(folder: string): boolean {
  return DEPENDENCIES.some((name) => kindAt(join(folder, name)) !== undefined);
}

/** cargo writes a lock file that is missing, also for its queries. */
function hasLockFile(folders: readonly string[]): boolean {
  const at = folders.findIndex((folder) => kindAt(join(folder, "Cargo.toml")) !== undefined);
  return at < 0 || folders.slice(at).some((folder) => kindAt(join(folder, "Cargo.lock")) !== undefined);
}

function hasScriptLs(folder: string): boolean {
  return (
    /"ls"\s*:/.test(readSmallFile(join(folder, "package.json"), MAX_BYTES) ?? "") ||
    kindAt(join(folder, "node_modules", ".bin", "ls")) !== undefined
  );
}
