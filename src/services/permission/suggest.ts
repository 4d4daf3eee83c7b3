import { basename, dirname } from "node:path";
import { isInside } from "../../platform/paths.ts";
import { COMMAND_FAMILIES, INTERPRETERS, NEVER_REMEMBERED, SCRIPT_RUNNERS } from "./command-families.ts";
import { exactCommandSpec } from "./command-pattern.ts";
import { type ExecuteSubject, fullSpelling, hasOnlySafeAssignments } from "./command-spellings.ts";
import type { Evaluation, Judgement } from "./evaluate.ts";
import { pathsOf } from "./match-rule.ts";
import { exactPathSpec } from "./path-pattern.ts";

/** Rules that one "always" writes at most; a call that needs more is allowed once. */
export const MAX_SUGGESTIONS = 5;
const MAX_COMMAND_CHARS = 200;
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9_.:/@-]*$/;

export type SuggestionContext = {
  readonly toolName: string;
  readonly projectRoot: string;
  readonly home: string;
  /** True to say which rule a person could write, rather than to offer it: then dangerous commands count, word for word. */
  readonly namesAny?: boolean;
};

/**
 * The narrow rules that would allow a call the next time; empty when there are none that are both narrow and enough: a
 * hazard, a secret, a protected path, a command that was not understood or that runs whatever it is given, an ask rule.
 */
export function suggestRules({ judgements }: Evaluation, context: SuggestionContext): readonly string[] {
  const isHazardous = judgements.some(({ subject }) => subject?.action === "execute" && subject.hazards.length > 0);
  if (isHazardous && !context.namesAny) return [];
  const asked = judgements.filter(({ decision }) => decision !== "allow");
  const commands = asked.filter(({ subject }) => subject?.action === "execute");
  const needed = asked.filter((one) => !isOperandOf(one, commands));
  const rules = new Set<string>();
  for (const judgement of needed) {
    const suggested = suggestFor(judgement, context);
    if (suggested.length === 0) return [];
    for (const rule of suggested) rules.add(rule);
  }
  return rules.size > MAX_SUGGESTIONS ? [] : [...rules];
}

/** An operand inside the workspace comes along with its command's rule. */
function isOperandOf({ subject, cause }: Judgement, commands: readonly Judgement[]): boolean {
  if (subject?.action !== "read" && subject?.action !== "write") return false;
  return subject.byCommand === true && commands.length > 0 && (cause.kind === "uncovered" || cause.kind === "broad");
}

function suggestFor({ subject, cause }: Judgement, context: SuggestionContext): readonly string[] {
  const why = cause.kind === "mode" ? (cause.instead?.kind ?? cause.kind) : cause.kind;
  if (why !== "outside" && why !== "broad" && why !== "uncovered") return [];
  switch (subject?.action) {
    case "execute":
      return forCommand(subject, context.namesAny ?? false);
    case "read":
      return pathsOf(subject).map((path) => `Read(${folderSpec(path, context)})`);
    case "write":
      return pathsOf(subject).map((path) => `Edit(${exactPathSpec(path, context.projectRoot)})`);
    case "network":
      return context.toolName === "WebFetch" ? [`WebFetch(domain:${subject.host})`] : [];
    default:
      return [context.toolName];
  }
}

function forCommand(subject: ExecuteSubject, namesAny: boolean): readonly string[] {
  const { command } = subject;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a rule is one printable line.
  if (command === "" || command.length > MAX_COMMAND_CHARS || /[\u0000-\u001f\u007f]/.test(command)) return [];
  const words = command.split(/\s+/);
  const [program = "", second = "", third = ""] = words;
  const name = basename(program);
  const isRisky = NEVER_REMEMBERED.has(name) || (INTERPRETERS.has(name) && words.length === 1);
  if (isRisky && !namesAny) return [];
  if (hasOnlySafeAssignments(subject)) {
    if (isRisky || subject.hazards.length > 0) return [`Bash(${exactCommandSpec(command)})`];
    if (SCRIPT_RUNNERS.get(program)?.has(second) && PLAIN_WORD.test(third)) {
      return [`Bash(${exactCommandSpec(`${program} ${second} ${third}`)} *)`];
    }
    if (COMMAND_FAMILIES.get(program)?.has(second)) return [`Bash(${program} ${second} *)`];
    return [`Bash(${exactCommandSpec(command)})`];
  }
  const full = fullSpelling(subject);
  return full.length > MAX_COMMAND_CHARS ? [] : [`Bash(${exactCommandSpec(full)})`];
}

/** The folder of a file that was read, or what was listed or searched; a folder that holds the user's whole life is not offered. */
function folderSpec(path: string, { toolName, home, projectRoot }: SuggestionContext): string {
  const folder = toolName === "Read" ? dirname(path) : path;
  const isTooWide = isInside(folder, home) || folder.split("/").filter((part) => part !== "").length < 2;
  if (isTooWide) return exactPathSpec(path, projectRoot);
  return `${exactPathSpec(folder, projectRoot)}/**`;
}
