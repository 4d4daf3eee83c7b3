import { basename, isAbsolute } from "node:path";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { isInside } from "../../../platform/paths.ts";
import { folderUse } from "./folder-use.ts";
import { hiddenBelow, type SearchBudget } from "./hidden-below.ts";
import { expand } from "./hidden-files.ts";
import { pathInShell } from "./path-in-shell.ts";
import { pathPieces } from "./path-pieces.ts";
import type { ShellContext } from "./shell-context.ts";
import type { ShellFolder } from "./shell-folder.ts";

/** Names looked at below the folders that one command names. */
const MAX_ENTRIES = 10_000;
/** Files named for one command; with more nobody can say what it would show. */
const MAX_NAMED = 500;
/** Words looked at; who gives more names no files one by one. */
const MAX_WORDS = 1_000;

/** Devices that hold nothing of anybody's. */
const DEVICE = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)$/;
/** Programs and their data, the same on every machine; a secret among them is known by its name. */
const SYSTEM_FOLDERS =
  "/usr /lib /lib32 /lib64 /libx32 /bin /sbin /opt /nix/store /gnu/store /snap /System /run/current-system".split(" ");
/** Everybody writes there: what lies there may be anyone's. */
const SHARED_TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp$/;
/** A root of a web address rather than of a disk: `--base=/`. */
const ROOT_AS_VALUE = /^--?[\w-]+=\/$/;
/** Take a program of a language of their own in their words: `s|/usr|/opt|` is no list of files. */
const TAKES_PROGRAM: ReadonlySet<string> = new Set("sed gsed awk gawk mawk nawk jq yq".split(" "));
/** Holds other people's code: a key among it is an example. */
const DEPENDENCIES: ReadonlySet<string> = new Set(["node_modules"]);

export type NamedFiles = {
  /** What must be judged as a read of its own: absolute, links resolved. */
  readonly paths: readonly string[];
  /** What nobody can say, as written. */
  readonly unclear: readonly string[];
};

type Search = Pick<ShellContext, "isHidden" | "workspace" | "env"> & {
  readonly cwd: string;
  readonly budget: SearchBudget;
  readonly found: Set<string>;
};

/**
 * The files that a command names in its words, whatever it does with them, and that a rule for the command must not cover: hidden
 * ones (`cp .env x`, `curl -T.env`), folders that hold such (`tar c .aws`), and what lies outside of the workspace
 * (`cp /etc/shadow x`, `sh ../x`). Of the system's own folders only what is hidden counts.
 * @param command Without its wrappers. Its first word, the program, is not looked at.
 */
export async function namedFiles(
  command: SimpleCommand,
  folder: ShellFolder,
  context: Pick<ShellContext, "isHidden" | "workspace" | "env" | "cwd">,
  maxEntries = MAX_ENTRIES,
): Promise<NamedFiles> {
  const words = command.words.slice(1, MAX_WORDS);
  const search: Search = {
    isHidden: (path) => context.isHidden(path),
    workspace: context.workspace,
    env: context.env,
    cwd: folder?.real ?? "/",
    budget: { left: maxEntries },
    found: new Set(),
  };
  const unclear: string[] = [];
  const use = folderUse(command);
  const takesProgram = TAKES_PROGRAM.has(command.words[0]?.value?.split("/").at(-1) ?? "");
  for (const word of words) {
    const texts = word.isGlob
      ? await expanded(word, folder, search)
      : takesProgram && !word.source.startsWith("-")
        ? [word.value ?? word.source]
        : piecesOf(word, context.env);
    for (const text of texts) {
      if (!isAbsolute(text) && folder === undefined) {
        // Where it lies can't be known; by its name it may be a secret.
        if (!word.isGlob && context.isHidden(`${context.cwd}/${text}`))
          unclear.push(`${word.source} (in which folder?)`);
        continue;
      }
      await look(text, use, search);
    }
  }
  if (search.budget.left < 0 || search.found.size > MAX_NAMED || command.words.length > MAX_WORDS)
    unclear.push(`${command.source} (too many files to look at)`);
  return { paths: [...search.found], unclear: [...new Set(unclear)] };
}

function piecesOf({ value, source }: ShellWord, { HOME }: Readonly<Record<string, string>>): readonly string[] {
  // Of a word that can't be known what stands there, with the one variable that we know.
  const text = value ?? source.replace(/["'\\]/g, "").replace(/\$(?:HOME\b|\{HOME\})/g, "~");
  const texts = ROOT_AS_VALUE.test(text) ? [] : pathPieces(text);
  // Programs that open `~` themselves find it behind a flag, where the shell may leave it.
  return texts.map((one) => (HOME !== undefined && /^~(?:\/|$)/.test(one) ? `${HOME}${one.slice(1)}` : one));
}

async function expanded(word: ShellWord, folder: ShellFolder, { budget }: Search): Promise<readonly string[]> {
  if (folder === undefined && !word.value?.startsWith("/")) return [];
  return expand(word, folder?.real ?? "/", budget);
}

async function look(text: string, use: ReturnType<typeof folderUse>, search: Search): Promise<void> {
  const { cwd, isHidden, workspace, found, budget } = search;
  if (DEVICE.test(text)) return;
  // Only what is there can be read.
  const kind = kindAt(isAbsolute(text) ? text : `${cwd}/${text}`);
  if (kind === undefined) return;
  const path = await pathInShell(text, cwd);
  if (path === undefined) return;
  if (isHidden(path) || !(workspace.contains(path) || isOrdinaryPlace(path, search))) found.add(path);
  if (kind !== "folder" || use === "keeps" || found.has(path)) return;
  // A program that nobody knows may look at its own folder anyway.
  if (use === "unknown" && isInside(path, cwd)) return;
  if (DEPENDENCIES.has(basename(path)) || (use === "unknown" && isOrdinaryPlace(path, search))) return;
  const below = await hiddenBelow(path, {
    isHidden: (file) => isHidden(file),
    contains: (file) => workspace.contains(file),
    budget,
    leftOut: DEPENDENCIES,
  });
  for (const one of below)
    if (isHidden(one) || !(workspace.contains(one) || isOrdinaryPlace(one, search))) found.add(one);
}

function isOrdinaryPlace(path: string, { env: { TMPDIR } }: Search): boolean {
  if (SYSTEM_FOLDERS.some((folder) => isInside(folder, path))) return true;
  return TMPDIR?.startsWith("/") === true && !SHARED_TEMPORARY.test(TMPDIR) && TMPDIR !== "/" && isInside(TMPDIR, path);
}
