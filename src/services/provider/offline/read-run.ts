import { type Misfit, misfit } from "./form.ts";
import type { Step } from "./step.ts";
import { stickyMatch } from "./sticky-match.ts";
import { commandEnd } from "./tokens.ts";

/** Without a colon or an article, `command` is the shell builtin. */
const COMMAND_LEAD = /[^\S\n]*(?:(?:the (?:shell )?command[^\S\n]*:?|(?:shell )?command[^\S\n]*:)[^\S\n]+(?=\S))?/iy;
const UNNAMED_COMMAND = /^(?:the|my|all|our|your|its|these|this|that|some|an?)\s/i;

/** `run COMMAND`: extends to the end of the line or to `then`, with the shell's quoting rules. */
export function readRun(text: string, from: number): { readonly end: number; readonly parsed: Step | Misfit } {
  const start = from + (stickyMatch(COMMAND_LEAD, text, from)?.[0].length ?? 0);
  const end = commandEnd(text, start);
  const typed = text.slice(start, end).trim();
  // In "run this, then that", the comma belongs to the sentence.
  const isFollowed = end < text.length && text[end] !== "\n";
  return {
    end,
    parsed: readCommand(isFollowed && typed.endsWith(",") ? typed.slice(0, -1).trim() : typed),
  };
}

function readCommand(bare: string): Step | Misfit {
  if (bare === "") return misfit("the command is missing");
  const wrapped = /^(?:`([^`]*)`|“([^”]*)”|‘([^’]*)’|'([^']*)'|"((?:[^"\\]|\\.)*)")[.!]?$/s.exec(bare);
  if (wrapped) {
    const command = wrapped[5]?.replaceAll('\\"', '"') ?? wrapped.slice(1, 5).find((part) => part !== undefined) ?? "";
    return command.trim() === "" ? misfit("the command is empty") : { form: "run", command: command.trim() };
  }
  if (bare.startsWith("`")) return misfit("more text follows the command in backticks");
  if (UNNAMED_COMMAND.test(bare)) {
    return misfit("this describes a command; the offline engine needs the command itself, as in `run npm test`");
  }
  return { form: "run", command: bare };
}
