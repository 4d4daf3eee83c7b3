import { classify } from "@quoll/bash-syntax/classify";
import type { ShellWord, SimpleCommand } from "@quoll/bash-syntax/types";
import { entriesOf } from "./hidden-below.ts";

/** No program reads such a name as a flag, an assignment or a list. */
const PLAIN_NAME = /^\w[\w.-]*$/;
const MAX_ENTRIES = 10_000;

/**
 * A command with its patterns prefixed by the folder (`*.txt` as `./*.txt`), for the tables, which reject a pattern that may match a
 * file with a name like a flag.
 */
export function withPlainPatterns(command: SimpleCommand): SimpleCommand {
  const isGit = command.words[0]?.value?.split("/").at(-1) === "git";
  return isGit || !command.words.some(isLeading) ? command : { ...command, words: command.words.map(fromFolder) };
}

function isLeading({ value, isGlob }: ShellWord): boolean {
  return isGlob && /^[*?[]/.test(value ?? "");
}

function fromFolder(word: ShellWord): ShellWord {
  return isLeading(word) ? { ...word, value: `./${word.value}` } : word;
}

/** True if no command of a line could create a file. */
export function areReadOnly(commands: readonly SimpleCommand[]): boolean {
  return commands.every((command) => classify(withPlainPatterns(command)).readOnly);
}

/** True if every name that a pattern could match in a folder is plain. */
export async function hasPlainNames(folder: string): Promise<boolean> {
  const budget = { left: MAX_ENTRIES };
  const entries = await entriesOf(folder, budget);
  return budget.left >= 0 && entries.every(({ name }) => name.startsWith(".") || PLAIN_NAME.test(name));
}

/** True if no name in a folder begins with a dash. */
export async function hasPlainStarts(folder: string): Promise<boolean> {
  const budget = { left: MAX_ENTRIES };
  const entries = await entriesOf(folder, budget);
  return budget.left >= 0 && entries.every(({ name }) => !name.startsWith("-"));
}
