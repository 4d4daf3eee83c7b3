import type { Line, Loop } from "./reader.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { CommandDraft } from "./tokens.ts";
import type { Redirect, ShellWord, SimpleCommand } from "./types.ts";

/** A command in a loop is listed once for each value; with more than this its words stay unknown. */
const MAX_VALUES = 16;
/** bash itself changes these now and then. */
const UNSTABLE = /^(?:_|LINES|COLUMNS)$/;
/** Stays one word without quotes. */
const ONE_WORD = /^[\w./@%+=:,-]+$/;

/** The command, once for each value that its loops' variables take. */
export type Fill = (draft: CommandDraft, command: SimpleCommand) => readonly SimpleCommand[];

/**
 * Where `for f in src/*.ts lib.ts` names its words, `"$f"` in its body is each of them in turn: a word that is nothing but
 * the variable gets these values. Only where nothing else in the line can set it.
 */
export function loopValues(line: Line, drafts: readonly CommandDraft[]): Fill {
  const loops = line.loops.filter((loop) => isOnlySetByLoop(loop, line, drafts));
  return (draft, command) => {
    const around = loops.filter(({ from, to }) => draft.order >= from && draft.order < to);
    return around.reduce<readonly SimpleCommand[]>(
      (commands, loop) => commands.flatMap((one) => fill(one, loop, MAX_VALUES / commands.length)),
      [command],
    );
  };
}

function isOnlySetByLoop({ name, words }: Loop, line: Line, drafts: readonly CommandDraft[]): boolean {
  const isStatic = words.length > 0 && words.every(({ value }) => value !== undefined && value !== "");
  if (!isStatic || isShellVariable(name) || UNSTABLE.test(name)) return false;
  // A here-document's body stands behind commands that follow it.
  if (line.texts.some(({ mode, openers }) => mode === "heredoc" && openers.length > 0)) return false;
  const named = line.texts.reduce((count, { source }) => count + countNamed(source, name), 0);
  return named === 1 && !drafts.some((draft) => maySet(draft, name));
}

/** How often a name stands in a text other than to be read (`$f`, `${f%.ts}`) or as a flag (`-f`). */
function countNamed(source: string, name: string): number {
  const all = source.match(new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`, "g")) ?? [];
  const reads = source.match(new RegExp(`(?:(?<!\\\\)\\$|-)${name}(?![A-Za-z0-9_])`, "g")) ?? [];
  const braced = source.match(new RegExp(`(?<!\\\\)\\$\\{${name}(?:[}%#/^,]|:[-+?])`, "g")) ?? [];
  return all.length - reads.length - braced.length;
}

/** By a name that quoting or braces put together, or by text that it runs. */
function maySet({ words, assignments, unknown }: CommandDraft, name: string): boolean {
  const names = [...words.map(({ word }) => word.value ?? ""), ...assignments.map((one) => one.name)];
  return unknown.length > 0 || names.some((text) => text === "eval" || /^\w*/.exec(text)?.[0] === name);
}

function fill(command: SimpleCommand, { name, words }: Loop, maxValues: number): readonly SimpleCommand[] {
  const isRead = [...command.words.slice(1), ...command.redirects.map(({ target }) => target)].some(
    ({ source, value }) => value === undefined && quotingOf(source, name) !== undefined,
  );
  if (!isRead || words.length > maxValues) return [command];
  return words.map((value) => ({
    ...command,
    words: command.words.map((word, at) => (at === 0 ? word : filledWord(word, name, value))),
    redirects: command.redirects.map((redirect) => filledRedirect(redirect, name, value)),
  }));
}

function filledWord(word: ShellWord, name: string, { value, isGlob }: ShellWord): ShellWord {
  const quoting = word.value === undefined ? quotingOf(word.source, name) : undefined;
  if (quoting === undefined || value === undefined) return word;
  // Without quotes a file's name may fall apart into several words.
  if (quoting === "none" && (isGlob || !ONE_WORD.test(value))) return word;
  return { source: word.source, value, isGlob };
}

/** Of a pattern nobody knows which file it is. */
function filledRedirect(redirect: Redirect, name: string, value: ShellWord): Redirect {
  const isFile = redirect.direction === "read" || redirect.direction === "write";
  return isFile && !value.isGlob ? { ...redirect, target: filledWord(redirect.target, name, value) } : redirect;
}

function quotingOf(source: string, name: string): "none" | "double" | undefined {
  if (source === `$${name}` || source === `\${${name}}`) return "none";
  return source === `"$${name}"` || source === `"\${${name}}"` ? "double" : undefined;
}
