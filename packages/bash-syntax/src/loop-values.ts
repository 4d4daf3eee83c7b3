import { type Bindings, fillWord, namesIn } from "./known-variables.ts";
import type { Line, Loop } from "./reader.ts";
import { isRevisionWord } from "./revision-words.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { CommandDraft } from "./tokens.ts";
import type { Redirect, ShellWord, SimpleCommand } from "./types.ts";

/** The maximum number of values for which a command in a loop is listed; with more values, its words stay unknown. */
const MAX_VALUES = 16;
/** Variables that bash itself may change. */
const UNSTABLE = /^(?:_|LINES|COLUMNS)$/;

/** Lists a command once for each value of its variables. */
export type Fill = (draft: CommandDraft, command: SimpleCommand) => readonly SimpleCommand[];

/** A draft. The flag is true if it is in the line itself, not in a substitution or a function. */
export type PlacedDraft = { readonly draft: CommandDraft; readonly isOutermost: boolean };

/**
 * In the body of `for f in src/*.ts lib.ts`, `$f` is each of these words; after `f=a.ts` it is `a.ts`. This holds only
 * if nothing else in the line can set the variable. The values are judged instead of the variable.
 */
export function loopValues(line: Line, placed: readonly PlacedDraft[]): Fill {
  const drafts = placed.map(({ draft }) => draft);
  const loops = line.loops.filter((loop) => isStatic(loop) && isOnlySetBy(loop.name, line, drafts));
  const set = placed.flatMap(settingsOf).filter(({ loop, by }) =>
    isOnlySetBy(
      loop.name,
      line,
      drafts.filter((draft) => draft !== by),
    ),
  );
  const known = [...loops, ...set.map(({ loop }) => loop)];
  if (known.length === 0) return (_, command) => [command];
  return (draft, command) => {
    const around = known.filter(({ from, to }) => draft.order >= from && draft.order < to);
    return around.length === 0 ? [command] : fill(command, around);
  };
}

function isStatic({ words }: Loop): boolean {
  return words.length > 0 && words.every(({ value }) => value !== undefined && value !== "");
}

/** The variables that a bare `f=a.ts` sets for all later commands. */
function settingsOf({
  draft,
  isOutermost,
}: PlacedDraft): readonly { readonly loop: Loop; readonly by: CommandDraft }[] {
  const { words, redirects, assignments, conditional, repeats, inFunctions, order } = draft;
  if (!isOutermost || conditional || repeats || inFunctions > 0 || words.length + redirects.length > 0) return [];
  return assignments.flatMap(({ name, value, source }) => {
    const isPlain = source.startsWith(`${name}=`) && !value.isGlob;
    const isKnown = isPlain && (value.value === undefined ? isRevisionWord(value) : value.value !== "");
    return isKnown
      ? [{ loop: { name, words: [value], from: order + 1, to: Number.POSITIVE_INFINITY }, by: draft }]
      : [];
  });
}

function isOnlySetBy(name: string, line: Line, drafts: readonly CommandDraft[]): boolean {
  if (isShellVariable(name) || UNSTABLE.test(name)) return false;
  // The body of a here-document comes after later commands of its line.
  if (line.texts.some(({ mode, openers }) => mode === "heredoc" && openers.length > 0)) return false;
  const named = line.texts.reduce((count, { source }) => count + countNamed(source, name), 0);
  return named === 1 && !drafts.some((draft) => maySet(draft, name));
}

/** The number of occurrences of a name in a text, without reads (`$f`, `${f%.ts}`) and flags (`-f`). */
function countNamed(source: string, name: string): number {
  const all = source.match(new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`, "g")) ?? [];
  const reads = source.match(new RegExp(`(?:(?<!\\\\)\\$|-)${name}(?![A-Za-z0-9_])`, "g")) ?? [];
  const braced = source.match(new RegExp(`(?<!\\\\)\\$\\{${name}(?:[}%#/^,]|:[-+?])`, "g")) ?? [];
  return all.length - reads.length - braced.length;
}

/** True if the line may set a variable through a name built from quotes or braces, or by text that it runs. */
function maySet({ words, assignments, unknown }: CommandDraft, name: string): boolean {
  const names = [...words.map(({ word }) => word.value ?? ""), ...assignments.map((one) => one.name)];
  return unknown.length > 0 || names.some((text) => text === "eval" || /^\w*/.exec(text)?.[0] === name);
}

function fill(command: SimpleCommand, around: readonly Loop[]): readonly SimpleCommand[] {
  const targets = command.redirects.filter(isFile).map(({ target }) => target);
  const read = new Set(
    [...command.words.slice(1), ...targets].filter(({ value }) => value === undefined).flatMap(namesIn),
  );
  let all: readonly Bindings[] = [new Map()];
  for (const { name, words } of around) {
    if (!read.has(name) || words.length * all.length > MAX_VALUES) continue;
    all = all.flatMap((bindings) => words.map((word) => new Map([...bindings, [name, word]])));
  }
  const filled = all.map((bindings) => filledCommand(command, bindings));
  const isSame = filled.every(
    (one) =>
      one.words.every((word, at) => word === command.words[at]) &&
      one.redirects.every((redirect, at) => redirect === command.redirects[at]),
  );
  return isSame ? [command] : filled;
}

function filledCommand(command: SimpleCommand, bindings: Bindings): SimpleCommand {
  return {
    ...command,
    words: command.words.map((word, at) => (at === 0 ? word : fillWord(word, bindings))),
    redirects: command.redirects.map((redirect) => filledRedirect(redirect, bindings)),
  };
}

function isFile({ direction }: Redirect): boolean {
  return direction === "read" || direction === "write";
}

/** The files that a pattern matches are unknown. */
function filledRedirect(redirect: Redirect, bindings: Bindings): Redirect {
  if (!isFile(redirect)) return redirect;
  const target: ShellWord = fillWord(redirect.target, bindings);
  return target === redirect.target || target.isGlob ? redirect : { ...redirect, target };
}
