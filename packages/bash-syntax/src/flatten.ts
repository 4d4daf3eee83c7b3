import { loopValues } from "./loop-values.ts";
import type { Line } from "./reader.ts";
import type { CommandDraft, Level } from "./tokens.ts";
import type { ShellWord, SimpleCommand, Within } from "./types.ts";

type Placed = { readonly draft: CommandDraft; readonly within: readonly Within[] };

/** Words after which the defined functions are unknown. */
const CHANGES_FUNCTIONS = new Set("unset eval source . builtin command exec trap enable time".split(" "));

/** Words that bash runs itself; a function with one of these names changes their effect. */
const BUILTINS = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
   eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
   read readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask
   unalias unset wait`.split(/\s+/),
);

const DECLARES = new Set("declare typeset local export".split(" "));

/**
 * The commands of a level, each after the commands of its substitutions. A call of a function that this line defines
 * is marked, because its commands are listed at its definition.
 */
export function flatten(level: Level, line: Line): readonly SimpleCommand[] {
  const placed: Placed[] = [];
  place(level, [], placed);
  // After an assignment to a read-only variable, bash skips the rest of the line.
  if (placed.some(({ draft }) => makesReadOnly(draft))) for (const { draft } of placed) draft.conditional = true;
  const calls = readCalls(line, placed);
  const fill = loopValues(
    line,
    placed.map(({ draft, within }) => ({ draft, isOutermost: within.length === 0 })),
  );
  return placed.flatMap(({ draft, within }) =>
    calls(draft, toCommand(draft, within)).flatMap((command) => fill(draft, command)),
  );
}

function place({ drafts }: Level, outer: readonly Within[], into: Placed[]): void {
  for (const draft of drafts) {
    const within = [...outer, ...Array.from({ length: draft.inFunctions }, () => "function" as const)];
    for (const { inner } of draft.holders) for (const level of inner) place(level, [...within, "substitution"], into);
    if (isCommand(draft)) into.push({ draft, within });
  }
}

/** The words of a `for` or `case` are not a command. */
function isCommand(draft: CommandDraft): boolean {
  const { tokens, assignments, redirects } = draft;
  return tokens.length + assignments.length + redirects.length + unknownOf(draft).length > 0;
}

function unknownOf({ holders, unknown }: CommandDraft): readonly string[] {
  return [...new Set([...holders.flatMap((holder) => holder.unknown), ...unknown])];
}

function toCommand(draft: CommandDraft, within: readonly Within[]): SimpleCommand {
  const { tokens, words, assignments, redirects, conditional } = draft;
  const isNameless = tokens.length + assignments.length + redirects.length === 0;
  const unknown = unknownOf(draft);
  const source = isNameless ? unknown.join(" ") : tokens.map(({ word }) => word.source).join(" ");
  return {
    source,
    words: isNameless ? [{ source, value: undefined, isGlob: false }] : words.map(({ word }) => word),
    assignments,
    redirects,
    conditional: conditional || within.length > 0,
    ...(draft.repeats && { repeats: true }),
    ...(draft.isPiped && { isPiped: true }),
    within,
    unknown,
  };
}

type Settle = (draft: CommandDraft, command: SimpleCommand) => readonly SimpleCommand[];

function readCalls({ definitions }: Line, placed: readonly Placed[]): Settle {
  const names = new Set(definitions.map(({ name }) => name));
  if (names.size === 0) return (_, command) => [command];
  const isStill = placed.every(
    ({ draft }) => unknownOf(draft).length === 0 && !CHANGES_FUNCTIONS.has(draft.words[0]?.word.value ?? ""),
  );
  const sure = new Map<string, number>();
  if (isStill) for (const { name, order, isSure } of definitions) if (isSure && !sure.has(name)) sure.set(name, order);
  return (draft, command) => {
    const [head] = command.words;
    const name = head?.value;
    if (head === undefined || name === undefined || !names.has(name)) return [command];
    // The assignments affect the commands of the function, and a function named `cd` does not change the folder.
    if (BUILTINS.has(name) || command.assignments.length > 0)
      return [{ ...command, unknown: [...command.unknown, head.source] }];
    const from = sure.get(name);
    return from === undefined || draft.order < from ? [command] : [{ ...command, callsFunction: true }];
  };
}

function makesReadOnly({ words }: CommandDraft): boolean {
  const [head, ...args] = words.map(({ word }) => word);
  if (head?.value === "readonly") return true;
  const mayBeFlag = ({ value, source }: ShellWord) =>
    value === undefined ? !/^[A-Za-z_]\w*\+?=/.test(source) : /^-\w*r/.test(value);
  return DECLARES.has(head?.value ?? "") && args.some(mayBeFlag);
}
