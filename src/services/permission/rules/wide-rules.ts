import {
  COMMAND_FAMILIES,
  INTERPRETERS,
  LAUNCHERS,
  NEVER_REMEMBERED,
  programName,
  RUNNING_SUBCOMMANDS,
  SCRIPT_RUNNERS,
} from "./command-families.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { withoutAssignments } from "./command-spellings.ts";
import type { RuleSpec } from "./rule.ts";

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

/**
 * The reason why an allow rule is too wide, as one phrase; undefined if it is not. Too wide: every command, every
 * agent, and an interpreter, shell or launcher followed by a star.
 */
export function whyWide(tool: string, spec: RuleSpec): string | undefined {
  if (tool === "Bash" && spec.kind === "any") return "it allows every command";
  const isEveryName = spec.kind === "name" && spec.pattern.pieces.every((piece) => piece === "");
  if (tool === "Agent" && (spec.kind === "any" || isEveryName)) return "it allows every agent";
  return spec.kind === "command" ? wideCommand(spec.pattern) : undefined;
}

/** The reason why no question or plan may offer this rule; undefined if they may. */
export function whyNotOffered(tool: string, spec: RuleSpec): string | undefined {
  if (spec.kind === "domain") return spec.host === "*" ? "it allows every host" : undefined;
  if (spec.kind === "documentation") return undefined;
  if (spec.kind === "name") return whyWide(tool, spec);
  if (spec.kind !== "command") return "it is not about a command, a host, an agent or a skill";
  const { words } = literalStart(spec.pattern);
  const [program = "", ...rest] = words;
  const name = programName(program);
  if (NEVER_REMEMBERED.has(name)) return `${name} runs its arguments`;
  if (INTERPRETERS.has(name) && rest.length === 0) return `${name} runs its input`;
  return wideCommand(spec.pattern);
}

function wideCommand(pattern: CommandPattern): string | undefined {
  if (pattern.pieces.length === 1) return undefined;
  const { words, isOpen } = literalStart(pattern);
  const whole = isOpen ? words.slice(0, -1) : words;
  const [program, second, third] = whole;
  if (program === undefined) return "it doesn't name its program";
  const name = programName(program);
  const isFamily = second !== undefined && COMMAND_FAMILIES.get(program)?.has(second) === true;
  const isScript = third !== undefined && SCRIPT_RUNNERS.get(program)?.has(second ?? "") === true;
  if (isFamily || isScript) return undefined;
  if (INTERPRETERS.has(name)) return `it lets ${name} run any code`;
  if (LAUNCHERS.has(name)) return `it lets ${name} start any program`;
  const running = [...(RUNNING_SUBCOMMANDS.get(name) ?? [])];
  const isRunning =
    second === undefined ? (one: string) => one.startsWith(words[1] ?? "") : (one: string) => one === second;
  return running.some(isRunning) ? `it lets ${name} start any program` : undefined;
}

/** The words before the first star, without leading assignments; the last word is open if more of it may follow. */
function literalStart({ pieces, optionalTail }: CommandPattern): {
  readonly words: readonly string[];
  readonly isOpen: boolean;
} {
  const [head = ""] = pieces;
  // The marker separates a trailing assignment from the text after it.
  const words = withoutAssignments(`${head}\0`).replace("\0", "").split(/\s+/);
  const isWhole = pieces.length === 1 || /\s$/.test(head) || (optionalTail && pieces.length === 2);
  return { words: words.filter((word) => word !== "" && !ASSIGNMENT.test(word)), isOpen: !isWhole };
}
