import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";

const TILDE = /^~(\/[\w.@%+,/-]*)?$/;
const MOVES = /^(?:cd|pushd|popd)$/;
/** The tables treat literal paths below these folders as temporary; a working folder there is not temporary. */
const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp\//;
const PLAIN_FOLDER = /^\/[\w./@%+,-]*$/;

/** A word that begins with a variable: bare or in quotes, with or without a default (`"${TMPDIR:-/tmp}/x"`). */
type KnownFolder = { readonly name: string; readonly value: string | undefined; readonly forms: readonly RegExp[] };

/** `mktemp` with a place in the folder for temporary files: its own choice, or a template there. */
const MAKES_TEMPORARY =
  /^\w+="?\$\(\s*mktemp(?:\s+(?:-[dqu]+|--directory|--quiet|-t\s+[\w.-]+|-p\s+\/tmp|\/tmp\/[\w.-]*X{3,}[\w.-]*))*\s*\)"?$/;
/** Builtins that may set a variable which they name. */
const MAY_SET =
  /^(?:read|local|declare|typeset|export|readonly|unset|printf|mapfile|readarray|getopts|let|eval|source|\.|wait|coproc)$/;

/**
 * The variables that a line sets once, to a new temporary file or folder (`f=$(mktemp)`), with a name in the sandbox that
 * stands for it. None where a loop or a function may set them again.
 * @param folder The folder for temporary files, as commands see it.
 */
function temporaryNames(commands: readonly SimpleCommand[], folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isPlain = commands.every(({ repeats, within }) => repeats !== true && !within.includes("function"));
  const isOpaque = commands.some(({ words }) => MAY_SET.test(words[0]?.value ?? ""));
  if (!isPlain || isOpaque) return found;
  const assigned = commands.flatMap(({ assignments }) => assignments);
  for (const { name, source } of assigned)
    if (MAKES_TEMPORARY.test(source) && assigned.filter((other) => other.name === name).length === 1)
      found.set(name, `${folder}/mktemp-${name}`);
  return found;
}

/**
 * Replaces the home folder, the working folder or the folder for temporary files at the start of words (`~/x`,
 * `$PWD/x`, `"${TMPDIR:-/tmp}/x"`). The shell would insert the same folders, unless the line itself sets the variable
 * or changes the folder. Patterns stay unchanged. With `temporary`, variables that `mktemp` has set are replaced too.
 * @param cwd The line's starting folder: absolute.
 */
export function withKnownFolders(
  commands: readonly SimpleCommand[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  temporary?: string,
): readonly SimpleCommand[] {
  const moves = commands.some(({ words }) => words.some(({ value }) => MOVES.test(value ?? "")));
  const known: Readonly<Record<string, string>> = { ...env, PWD: cwd };
  const folders = ["HOME", "TMPDIR", ...(moves || TEMPORARY.test(cwd) ? [] : ["PWD"])]
    .filter((name) => !commands.some((command) => sets(command, name)))
    .map((name) => ({ name, value: known[name] || undefined, forms: formsOf(name) }));
  const made = temporary === undefined ? [] : [...temporaryNames(commands, temporary)];
  folders.push(...made.map(([name, value]) => ({ name, value, forms: formsOf(name) })));
  const expand = (word: ShellWord): ShellWord => {
    if (word.value !== undefined) return word;
    for (const folder of folders) {
      const value = folderIn(word.source, folder);
      if (value !== undefined) return { ...word, value, isGlob: false };
    }
    return word;
  };
  return commands.map((command) => ({
    ...command,
    words: command.words.map(expand),
    redirects: command.redirects.map((redirect) => ({ ...redirect, target: expand(redirect.target) })),
  }));
}

function folderIn(source: string, { name, value, forms }: KnownFolder): string | undefined {
  const tilde = name === "HOME" ? TILDE.exec(source) : null;
  const found = tilde ? ["", undefined, tilde[1], undefined] : forms.map((form) => form.exec(source)).find(Boolean);
  if (!found) return undefined;
  const [, fallback, inside = "", behind = ""] = found;
  const folder = value ?? fallback;
  return folder !== undefined && PLAIN_FOLDER.test(folder) ? `${folder}${inside}${behind}` : undefined;
}

function formsOf(name: string): readonly RegExp[] {
  const variable = `\\$(?:${name}|\\{${name}(?::-(/[\\w./-]*))?\\})`;
  return [
    new RegExp(`^${variable}(/[\\w.@%+,/-]*)?$`),
    new RegExp(`^"${variable}(/[\\w.@%+, /-]*)?"(/[\\w.@%+,/-]*)?$`),
  ];
}

/** True if the command sets the variable, by an assignment or by a builtin with the name as an argument. */
function sets({ assignments, words }: SimpleCommand, variable: string): boolean {
  return (
    assignments.some(({ name }) => name === variable) ||
    words.some(({ source }) => new RegExp(`(?:^|[^$\\w{])${variable}\\b`).test(source))
  );
}
