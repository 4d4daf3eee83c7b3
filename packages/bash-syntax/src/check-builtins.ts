import { testIsKnown } from "./check-condition.ts";
import { checkNames, type NameOptions } from "./check-names.ts";
import { NotUnderstood } from "./not-understood.ts";
import { isReserved } from "./reader-steps.ts";
import { isShellVariable } from "./shell-variables.ts";
import type { CommandDraft, WordToken } from "./tokens.ts";

/** Builtins that change how later text is read, so that no word after them can be trusted. */
const CHANGES_READING: Readonly<Record<string, string>> = {
  alias: "it changes what later commands mean",
  unalias: "it changes what later commands mean",
  enable: "it loads or hides builtins",
  shopt: "it changes how the shell reads commands",
};
/** Builtins that run text or files, or set variables by special rules: their words don't show their effect. */
const OPAQUE = new Set(". source bind compgen complete compopt fc let suspend".split(" "));
/** Builtins that change the shell's folder, which is not expected after another word. */
const MOVES_FOLDER = new Set(["cd", "pushd", "popd"]);
const MOVES = new Set([...MOVES_FOLDER, "eval"]);

/** @returns false if bash may run code in the words, or if the words don't show the effect. */
type Check = (args: readonly WordToken[], all: readonly WordToken[], checked: Checked) => boolean;
type Checked = { readonly draft: CommandDraft; readonly hasArrays: boolean };

/**
 * Adds the parts of a command's words that bash would compute or run to its unknown pieces: a name such as `a[$(id)]`,
 * a command word that is a variable, a variable of the shell itself.
 * @throws {NotUnderstood} the command changes how bash reads the rest of the line.
 */
export function checkBuiltins(drafts: readonly CommandDraft[]): void {
  const hasArrays = drafts.some(makesArray);
  for (const draft of drafts) checkBuiltin({ draft, hasArrays });
}

function checkBuiltin(checked: Checked): void {
  const { draft } = checked;
  const [head] = draft.words;
  const name = head === undefined ? undefined : nameOf(head);
  for (const { name: variable, value, source } of draft.assignments) {
    const isReadIfs = variable === "IFS" && value.value !== undefined && name === "read";
    if (isShellVariable(variable) && !isReadIfs) draft.unknown.push(source);
  }
  if (head === undefined || name === "[[") return;
  if (name === undefined) draft.unknown.push(head.word.source);
  else if (!wordsAreKnown(draft.words, checked)) draft.unknown.push(textOf(draft.tokens));
}

/** The static command word; undefined if the command can't be known, or if its name is unusual. */
function nameOf({ word: { value, isGlob } }: WordToken): string | undefined {
  return value === undefined || isGlob || value === "" || /\s/.test(value) ? undefined : value;
}

/** True if a variable may be an array afterwards. */
function makesArray({ words, holders, assignments }: CommandDraft): boolean {
  if (assignments.some(({ source }) => /^\w+(?:\[|\+?=\()/.test(source))) return true;
  const isArray = /^(?:mapfile|readarray|source|\.)$|^-[A-Za-z]*[aA]|^\w+\+?=\(/;
  return (
    words.some(({ word }) => isArray.test(word.value ?? word.source)) ||
    holders.some(({ unknown }) => unknown.length > 0)
  );
}

function wordsAreKnown(words: readonly WordToken[], checked: Checked): boolean {
  const [head, ...args] = words;
  const name = head && nameOf(head);
  if (name === undefined) return false;
  const reason = Object.hasOwn(CHANGES_READING, name) ? CHANGES_READING[name] : undefined;
  if (reason !== undefined) throw new NotUnderstood(reason, textOf(words));
  if (OPAQUE.has(name)) return false;
  return Object.hasOwn(CHECKS, name) ? (CHECKS[name]?.(args, words, checked) ?? false) : true;
}

function textOf(words: readonly WordToken[]): string {
  return words.map(({ word }) => word.source).join(" ");
}

function isStatic({ word }: WordToken): boolean {
  return word.value !== undefined && !word.isGlob;
}

/** `time`, `command`, `builtin` and `exec` run another command, so that command is judged. */
const throughPrefix =
  (flags: RegExp, refused: ReadonlySet<string> = new Set()): Check =>
  (args, _, checked) => {
    let rest = args;
    while (rest[0] && flags.test(rest[0].word.source)) rest = rest.slice(1);
    const [next] = rest;
    if (next === undefined) return false;
    // The timed command may be a group, or have its own assignments.
    if (isReserved(next) || /^[A-Za-z_]\w*\+?=/.test(next.word.source) || next.word.source.startsWith("-"))
      return false;
    return !refused.has(next.word.value ?? "") && wordsAreKnown(rest, checked);
  };

const names =
  (options: NameOptions): Check =>
  (args, all, { draft, hasArrays }) => {
    const [head] = all;
    // Only a plainly written builtin keeps the value of `A=$x` in one word.
    const isPlain = head !== undefined && head === draft.words[0] && !head.isQuoted;
    const hasFlag = args.some(({ word }) => /^-\w*[aA]/.test(word.value ?? ""));
    return checkNames(args, { ...options, valuesSplit: !isPlain, mayBeArrays: hasArrays || hasFlag });
  };

const onlyStatic: Check = (args) => args.every(isStatic);

const without =
  (flag: RegExp): Check =>
  (args) =>
    args.every((arg) => isStatic(arg) && !flag.test(arg.word.value ?? ""));

const printfIsKnown: Check = ([format, name]) => {
  if (!format) return true;
  const { value } = format.word;
  if (!isStatic(format) || value === undefined) return false;
  if (value !== "-v") return !value.startsWith("-v");
  return name !== undefined && checkNames([name], { flags: /^$/, mayAssign: false });
};

const SET_OPTION = "[-+](?:[eux]+|[eux]*o (?:pipefail|errexit|nounset|xtrace))";
const SET_OPTIONS = new RegExp(`^${SET_OPTION}(?: ${SET_OPTION})*$`);

const checkSet: Check = (args, all) => {
  // The builtin only changes the values of `$1`, `$2` and so on.
  if (args[0]?.word.source === "--") return true;
  if (!SET_OPTIONS.test(textOf(args))) throw new NotUnderstood("it changes how the shell reads commands", textOf(all));
  return true;
};

/** `trap '' INT` and `trap - INT` run nothing. */
const trapIsKnown: Check = ([action]) =>
  action === undefined || action.word.value === "" || ["-", "-l", "-p"].includes(action.word.source);

const commandIsKnown: Check = (args, all, checked) =>
  /^-[vV]$/.test(args[0]?.word.source ?? "") || throughPrefix(/^-(?:p|-)$/, MOVES_FOLDER)(args, all, checked);

const checkHash: Check = (args, all) => {
  if (args.some((arg) => !isStatic(arg) || /^-\w*p/.test(arg.word.value ?? "")))
    throw new NotUnderstood("it changes where a command is found", textOf(all));
  return true;
};

const NUMERIC = /^"?\$(?:[!?$]|\{[!?$]\})"?$/;
const VARIABLES: NameOptions = { flags: /^-[aAgrxpluI]+$/, mayAssign: true };

const CHECKS: Readonly<Record<string, Check>> = {
  "[": (args) => args.at(-1)?.word.source === "]" && testIsKnown(args.slice(0, -1)),
  test: (args) => testIsKnown(args),
  printf: printfIsKnown,
  read: names({ flags: /^-[rs]*a?$/, valued: /^-[rs]*[dnNptu]$/, mayAssign: false }),
  mapfile: names({ flags: /^-t$/, valued: /^-t?[dns]$/, mayAssign: false }),
  readarray: names({ flags: /^-t$/, valued: /^-t?[dns]$/, mayAssign: false }),
  unset: names({ flags: /^-[fv]$/, mayAssign: false }),
  export: names({ flags: /^-p$/, mayAssign: true }),
  readonly: names({ flags: /^-[aAp]+$/, mayAssign: true }),
  declare: names(VARIABLES),
  typeset: names(VARIABLES),
  local: names(VARIABLES),
  getopts: ([options, name, ...rest]) =>
    options !== undefined &&
    isStatic(options) &&
    name !== undefined &&
    checkNames([name], { flags: /^$/, mayAssign: false }) &&
    rest.length === 0,
  // The text is read separately from this line, without this line's arrays.
  eval: (args, all, checked) =>
    onlyStatic(args, all, checked) && !(checked.hasArrays && /declare|typeset|local|readonly/.test(textOf(args))),
  exec: (args, all, checked) => args.length === 0 || throughPrefix(/^-[cl]+$/)(args, all, checked),
  set: checkSet,
  trap: trapIsKnown,
  jobs: without(/^-\w*x/),
  // `$!` is always a number.
  wait: (args) =>
    args.every((arg) => NUMERIC.test(arg.word.source) || (isStatic(arg) && !/^-\w*p/.test(arg.word.value ?? ""))),
  hash: checkHash,
  history: onlyStatic,
  time: throughPrefix(/^-(?:p|-)$/, MOVES),
  builtin: throughPrefix(/^--$/, MOVES_FOLDER),
  command: commandIsKnown,
};
