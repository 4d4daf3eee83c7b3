import { join, resolve } from "node:path";
import { contentHash, MAX_HASHED_BYTES } from "../../platform/digest.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { listFolderSync } from "../../platform/files/list-folder.ts";
import { pathState } from "../../platform/files/path-state.ts";
import { isInside } from "../../platform/paths.ts";
import { executable } from "../../platform/processes/find-program.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";

/** The project folder in commands, as shells and configuration files write it. */
const PROJECT_FOLDER = /\$\{?(?:CLAUDE|QUOLL)_PROJECT_DIR\}?/g;
/** Characters that end a word in a command, in an option with a value, and in a list. */
const BETWEEN_WORDS = /[\s"'`;|&()<>=,]+/;

const QUOTED = /"([^"\n]*)"|'([^'\n]*)'/g;
/** A word with blanks behind backslashes. */
const SPACED = /(?:[^\s"'`;|&()<>\\]|\\ )+/g;
/** The module after `python -m`. */
const MODULE = /\s-m\s*([A-Za-z_][\w.]*)/g;
const LOADED_FOR = [".js", ".cjs", ".mjs", ".ts", ".py", ".rb"];
const LOADED_IN_FOLDER = ["/index.js", "/index.ts", "/__main__.py", "/__init__.py"];
const MAX_NAMED_FOLDERS = 8;
const DEFAULT_VALUE = /\$\{[A-Za-z_]\w*:?-([^{}]*)\}/g;
const MAX_NESTED_DEFAULTS = 5;
const LEADING_VARIABLE = /^\$(?:\{[^{}]*\}|\w+)(\/.*)$/s;
/** The largest folder of a skill that can be approved. */
const MAX_FOLDER_FILES = 1_000;
const MAX_FOLDER_BYTES = 32 * 1024 * 1024;
const MAX_PATH_CHARS = 1_024;

/**
 * The text that a person approves of a declaration: its JSON with sorted keys, and a hash of each file in the project that
 * its commands or arguments name. A change of such a file is a change of the content, except of a file that the command
 * only writes, such as its log.
 * @param root The project root: absolute, symlinks resolved.
 * @param commands Commands and arguments of the declaration. @param folders Relative words start in one of these.
 */
export function approvedContent(
  declaration: unknown,
  commands: readonly string[],
  { root, folders = [root] }: { readonly root: string; readonly folders?: readonly string[] },
): string {
  const read = commands.map(withoutWrittenFiles);
  const texts = read.flatMap((command) => [command, withDefaults(command)]);
  const words = [...new Set(texts.flatMap(wordsOf))].map((word) => relativeName(word, root));
  const named = pathsOf(words, folders, root);
  // A command may change to a folder that it names, or keep the folder in a variable: cd tools && ./check.sh.
  const within = [...named].filter((path) => kindAt(path) === "folder").slice(0, MAX_NAMED_FOLDERS);
  const files = [...new Set([...named, ...pathsOf(words, within, root)].flatMap(filesMeant))].sort();
  const lines: string[] = [canonicalJson(declaration)];
  for (const file of files) {
    const hash = hashOf(file);
    if (hash !== undefined) lines.push(`${hash} ${file.slice(root.length + 1)}`);
  }
  return lines.join("\n");
}

function wordsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, double, single]) => double ?? single ?? "");
  const spaced = [...text.matchAll(SPACED)].map(([word]) => word.replaceAll("\\ ", " "));
  const words = [text, ...quoted, ...spaced, ...text.split(BETWEEN_WORDS)];
  return [...words, ...[...text.matchAll(MODULE)].map(([, module = ""]) => module.replaceAll(".", "/"))];
}

/** The path that a word names, relative to a folder; "" if it names none. */
function relativeName(word: string, root: string): string {
  const named = withoutVariable(word.replace(PROJECT_FOLDER, root).replace(/^["']+/, ""));
  // A path behind a variable or a command in quotes looks absolute: "$(pwd)"/check.sh.
  return named.startsWith("/") && named !== root && !isInside(root, named) ? `.${named}` : named;
}

function pathsOf(names: readonly string[], folders: readonly string[], root: string): ReadonlySet<string> {
  const paths = names.flatMap((name) => (name === "" ? [] : folders.map((folder) => resolve(folder, name))));
  return new Set(paths.filter((path) => path !== root && isInside(root, path)));
}

/** The file of a path, and the files that Node or Python would load for it: `node tools/guard` loads tools/guard.js. */
function filesMeant(path: string): readonly string[] {
  const kind = kindAt(path);
  const ends = kind === "folder" ? LOADED_IN_FOLDER : kind === undefined ? LOADED_FOR : [];
  return [path, ...ends.map((end) => `${path}${end}`)];
}

/** The text as it is when no variable is set: `${NAME:-value}` is `value`. */
function withDefaults(text: string): string {
  let now = text;
  for (let depth = 0; depth < MAX_NESTED_DEFAULTS; depth += 1) {
    const next = now.replace(DEFAULT_VALUE, "$1");
    if (next === now) break;
    now = next;
  }
  return now;
}

/** A path that begins with a variable, such as that of a skill's folder, as a relative path. */
function withoutVariable(word: string): string {
  const [, rest] = LEADING_VARIABLE.exec(word) ?? [];
  return rest === undefined ? word : `.${rest}`;
}

/**
 * A line for each file of a folder, subfolders included: hash and path.
 * @returns undefined if the folder has too many files or bytes to check, or a file that can't be read.
 */
export function folderContent(folder: string): readonly string[] | undefined {
  const lines: string[] = [];
  const open = [""];
  let bytes = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { name } of listFolderSync(join(folder, at))) {
      const path = at === "" ? name : `${at}/${name}`;
      const read = readOrProblem(join(folder, path), MAX_HASHED_BYTES);
      if ("bytes" in read) {
        bytes += read.bytes.byteLength;
        lines.push(`${contentHash(read.bytes)} ${JSON.stringify(path)}`);
      } else if (read.problem === "not a file") open.push(path);
      else if (read.problem !== "missing") return undefined;
      // The limit also ends a circle of links.
      if (lines.length + open.length > MAX_FOLDER_FILES || bytes > MAX_FOLDER_BYTES) return undefined;
      if (path.length > MAX_PATH_CHARS) return undefined;
    }
  }
  return lines.sort();
}

/**
 * @returns undefined if there is no such file. A file that can't be read is compared by its size, its times and its place
 * on the disk: a new copy of it is asked about again.
 */
function hashOf(path: string): string | undefined {
  const read = readOrProblem(path, MAX_HASHED_BYTES);
  // Without the right to run a file, `./check.sh` fails instead of refusing.
  if ("bytes" in read) return `${contentHash(read.bytes)}${executable(path) !== undefined ? "" : "-"}`;
  return read.problem === "too large" || read.problem === "refused" ? `unread ${pathState(path)}` : undefined;
}

/** JSON with sorted keys: the order of keys does not change the meaning. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${parts.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(",")}}`;
}

/** A word of a shell command, quoted or not. */
const WORD = String.raw`(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\;|&()<>])+`;
/** `>`, `>>`, `>|`, `2>`, `&>`, and the file. */
const REDIRECT = new RegExp(String.raw`(?:\d|&)?>{1,2}\|?\s*${WORD}`, "g");
/** `tee -a` and its files, up to the end of the command. */
const TEE = new RegExp(String.raw`(^|[\s;|&({])tee(?=\s)(?:[^\S\n]+(?!\d?>)${WORD})+`, "g");
/** The options with which programs name the file of a log or an output. */
const OPTION = new RegExp(
  String.raw`(\s)(?:-o|--out|--output|--output-file|--log|--logfile|--log-file)(?:=|[^\S\n]+)${WORD}`,
  "g",
);

/** A word, and after it the name of a file that no program reads as code. */
const LOG_ARGUMENT = /([^\s"';|&()]+["']?)([^\S\n]+["']?[^\s"';|&()]+\.(?:log|out|pid|lock|tmp)["']?)(?=[\s;|&)]|$)/g;
/** A word after which a program would run the file. */
const RUNS_NEXT =
  /^(?:(?:\S*\/)?(?:ba|da|z|k)?sh|\.|source|exec|env|time|timeout|nohup|nice|sudo|xargs|node|deno|bun|run|python[\d.]*|ruby|perl|php|-\S*|if|elif|then|else|while|until|do|!|\{|\w+=\S*|[\d.]+[smhd]?)["']?$/;

/**
 * A shell command without the files that it only writes: the targets of its redirects, of `tee`, and of options for a
 * log or an output, and arguments that are named like a log. A file that the command names elsewhere too stays.
 */
function withoutWrittenFiles(command: string): string {
  const read = command.replace(REDIRECT, " ").replace(TEE, "$1 ").replace(OPTION, "$1");
  return read.replace(LOG_ARGUMENT, (whole, word: string) => (RUNS_NEXT.test(word) ? whole : word));
}
