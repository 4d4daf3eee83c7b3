import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";

const TILDE = /^~(\/[\w.@%+,/-]*)?$/;
const MOVES = /^(?:cd|pushd|popd)$/;
/** The tables treat literal paths below these folders as temporary; a working folder there is not temporary. */
const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp\//;
const PLAIN_FOLDER = /^\/[\w./@%+,-]*$/;

/** A word that begins with a variable: bare or in quotes, with or without a default (`"${TMPDIR:-/tmp}/x"`). */
type KnownFolder = { readonly name: string; readonly value: string | undefined; readonly forms: readonly RegExp[] };

/**
 * Replaces the home folder, the working folder or the folder for temporary files at the start of words (`~/x`,
 * `$PWD/x`, `"${TMPDIR:-/tmp}/x"`). The shell would insert the same folders, unless the line itself sets the variable
 * or changes the folder. Patterns stay unchanged.
 * @param cwd The line's starting folder: absolute.
 */
export function withKnownFolders(
  commands: readonly SimpleCommand[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): readonly SimpleCommand[] {
  const moves = commands.some(({ words }) => words.some(({ value }) => MOVES.test(value ?? "")));
  const known: Readonly<Record<string, string>> = { ...env, PWD: cwd };
  const folders = ["HOME", "TMPDIR", ...(moves || TEMPORARY.test(cwd) ? [] : ["PWD"])]
    .filter((name) => !commands.some((command) => sets(command, name)))
    .map((name) => ({ name, value: known[name] || undefined, forms: formsOf(name) }));
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
