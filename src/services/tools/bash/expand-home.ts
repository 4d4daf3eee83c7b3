import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";

const TILDE = /^~(\/[\w.@%+,/-]*)?$/;
const VARIABLE = /^(?:\$HOME|\$\{HOME\})(\/[\w.@%+,/-]*)?$/;
const QUOTED = /^"(?:\$HOME|\$\{HOME\})(\/[\w.@%+, /-]*)?"(\/[\w.@%+,/-]*)?$/;

/**
 * The commands with the words that begin with the home folder (`~/x`, `$HOME/x`, `"$HOME"/x`) known: which folder that is, is known
 * to us as it is to the shell, unless the line itself sets HOME. Patterns are left as they are.
 */
export function withHome(
  commands: readonly SimpleCommand[],
  { HOME }: Readonly<Record<string, string>>,
): readonly SimpleCommand[] {
  if (HOME === undefined || !/^\/[\w./@%+,-]*$/.test(HOME) || commands.some(setsHome)) return commands;
  const expand = (word: ShellWord): ShellWord => {
    if (word.value !== undefined) return word;
    const found = TILDE.exec(word.source) ?? VARIABLE.exec(word.source) ?? QUOTED.exec(word.source);
    return found ? { ...word, value: `${HOME}${found[1] ?? ""}${found[2] ?? ""}`, isGlob: false } : word;
  };
  return commands.map((command) => ({
    ...command,
    words: command.words.map(expand),
    redirects: command.redirects.map((redirect) => ({ ...redirect, target: expand(redirect.target) })),
  }));
}

/** By an assignment, or by any builtin that is told the name. */
function setsHome({ assignments, words }: SimpleCommand): boolean {
  return (
    assignments.some(({ name }) => name === "HOME") || words.some(({ source }) => /(?:^|[^$\w{])HOME\b/.test(source))
  );
}
