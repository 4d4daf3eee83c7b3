import { checkTest, PLAIN_NAME } from "./check-condition.ts";
import { NotUnderstood } from "./not-understood.ts";
import { isReserved } from "./parse-commands.ts";
import type { CommandDraft } from "./reader.ts";
import { checkAssigned } from "./shell-variables.ts";
import type { WordToken } from "./tokens.ts";

/** Builtins that run text, or change how later text is read: what they do is never known from their words. */
const OPAQUE: Readonly<Record<string, string>> = {
  ".": "it runs a file in this shell",
  source: "it runs a file in this shell",
  eval: "it runs text as a command",
  alias: "it changes what later commands mean",
  unalias: "it changes what later commands mean",
  bind: "it may tie commands to keys",
  compgen: "it may run code from its arguments",
  complete: "it may run code from its arguments",
  compopt: "it may run code from its arguments",
  coproc: "it starts a coprocess",
  enable: "it loads or hides builtins",
  fc: "it runs commands from the history",
  getopts: "it sets variables by name",
  let: "it computes, which can run code",
  local: "it belongs to a function",
  mapfile: "it may run code for each line",
  readarray: "it may run code for each line",
  popd: "it changes the folder from a stack",
  pushd: "it changes the folder from a stack",
  shopt: "it changes how the shell reads commands",
  suspend: "it stops the shell",
};

type Check = (args: readonly WordToken[], all: readonly WordToken[], draft: CommandDraft) => void;

/**
 * Refuses builtins that run code out of their words, and names that bash would compute (`a[$(id)]`).
 * @throws {NotUnderstood}
 */
export function checkBuiltins(draft: CommandDraft): void {
  const name = headOf(draft);
  for (const assignment of draft.assignments) {
    const isReadIfs = assignment.name === "IFS" && assignment.value.value !== undefined && name === "read";
    if (!isReadIfs) checkAssigned(assignment.name);
  }
  if (name !== undefined && name !== "[[") checkWords(draft.words, draft);
}

/** The static command word. @throws {NotUnderstood} it isn't static. */
function headOf(draft: CommandDraft): string | undefined {
  const [head] = draft.words;
  return head === undefined ? undefined : staticName(head);
}

function staticName(token: WordToken): string {
  const { value, isGlob, source } = token.word;
  if (value === undefined || isGlob) throw new NotUnderstood("which command runs can't be known", source);
  if (value === "" || /\s/.test(value)) throw new NotUnderstood("the command's name is unusual", source);
  return value;
}

function checkWords(words: readonly WordToken[], draft: CommandDraft): void {
  const [head, ...args] = words;
  if (head === undefined) return;
  const name = staticName(head);
  const opaque = OPAQUE[name];
  if (Object.hasOwn(OPAQUE, name) && opaque !== undefined) throw unclear(words, opaque);
  if (Object.hasOwn(CHECKS, name)) CHECKS[name]?.(args, words, draft);
}

/** `time`, `command` and `builtin` run another builtin: judge that one. */
const throughPrefix =
  (flags: ReadonlySet<string>): Check =>
  (args, all, draft) => {
    let rest = args;
    while (rest[0] && flags.has(rest[0].word.source)) rest = rest.slice(1);
    const [next] = rest;
    if (next === undefined) throw unclear(all, "it names no command");
    if (isReserved(next) || /^[A-Za-z_]\w*\+?=/.test(next.word.source))
      throw unclear(all, "what is timed is not a simple command");
    if (next.word.source.startsWith("-")) throw unclear(all, "a flag is not known");
    if (staticName(next) === "cd") throw unclear(all, "it changes the folder in an unusual way");
    checkWords(rest, draft);
  };

const names =
  (flags: RegExp, mayAssign: boolean): Check =>
  (args, all) => {
    for (const { word } of args) {
      if (word.value !== undefined && flags.test(word.value)) continue;
      const name = mayAssign ? word.source.replace(/\+?=[\s\S]*$/, "") : word.source;
      if (!PLAIN_NAME.test(name)) throw unclear(all, "a variable's name can't be known or could run code");
      checkAssigned(name);
    }
  };

const onlyStatic: Check = (args, all) => {
  if (args.some(({ word }) => word.value === undefined || word.isGlob))
    throw unclear(all, "its arguments can't be known");
};

const without =
  (flag: RegExp, why: string): Check =>
  (args, all, draft) => {
    onlyStatic(args, all, draft);
    if (args.some(({ word }) => flag.test(word.value ?? ""))) throw unclear(all, why);
  };

const checkPrintf: Check = (args, all) => {
  const [format, name] = args;
  if (!format) return;
  const { value, isGlob } = format.word;
  if (value === undefined || isGlob) throw unclear(all, "the format can't be known");
  if (value === "-v" && (!name || !PLAIN_NAME.test(name.word.source)))
    throw unclear(all, "a variable's name could run code");
  if (value === "-v" && name) checkAssigned(name.word.source);
  if (value !== "-v" && /^-v/.test(value)) throw unclear(all, "a variable's name could run code");
};

const checkSet: Check = (args, all) => {
  const text = args.map(({ word }) => word.source).join(" ");
  if (
    !/^(?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace))(?: (?:[-+][eux]+|[-+][eux]*o (?:pipefail|errexit|nounset|xtrace)))*$/.test(
      text,
    )
  )
    throw unclear(all, "it changes how the shell reads commands");
};

const checkTrap: Check = (args, all) => {
  const [action] = args;
  if (action === undefined || ["-", "-l", "-p"].includes(action.word.source)) return;
  throw unclear(all, "it sets code to run later");
};

const checkCommand: Check = (args, all, draft) => {
  if (/^-[vV]$/.test(args[0]?.word.source ?? "")) return;
  throughPrefix(new Set(["-p", "--"]))(args, all, draft);
};

const CHECKS: Readonly<Record<string, Check>> = {
  "[": (args, all) => {
    if (args.at(-1)?.word.source !== "]") throw unclear(all, "`[` is not closed");
    checkTest(all, args.slice(0, -1));
  },
  test: (args, all) => checkTest(all, args),
  printf: checkPrintf,
  read: names(/^-(?:r|s|rs|sr)$/, false),
  unset: names(/^-[fv]$/, false),
  export: names(/^-p$/, true),
  readonly: names(/^-p$/, true),
  declare: names(/^-[grxp]+$/, true),
  typeset: names(/^-[grxp]+$/, true),
  exec: (args, all) => {
    if (args.length > 0) throw unclear(all, "it replaces the shell with another program");
  },
  set: checkSet,
  trap: checkTrap,
  jobs: without(/^-\w*x/, "it runs a command"),
  wait: without(/^-\w*p/, "it sets a variable by name"),
  hash: without(/^-\w*p/, "it changes where a command is found"),
  history: onlyStatic,
  time: throughPrefix(new Set(["-p", "--"])),
  builtin: throughPrefix(new Set(["--"])),
  command: checkCommand,
};

function unclear(words: readonly WordToken[], reason: string): NotUnderstood {
  return new NotUnderstood(reason, words.map(({ word }) => word.source).join(" "));
}
