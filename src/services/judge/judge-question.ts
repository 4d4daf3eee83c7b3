import { randomBytes } from "node:crypto";
import type { JudgeRequest } from "../../contracts/permission.ts";

/** A judge that doesn't see all of a call must not allow it: longer calls are a person's to judge. */
export const MAX_CALL_CHARS = 8_000;
/** Of the person's words altogether; with more, something that they forbade could be left out. */
export const MAX_USER_CHARS = 32_000;
/** Of one prompt: what is longer holds something pasted, and is shown by its head and tail. */
const MAX_PROMPT_CHARS = 4_000;
/** Rules say what the person minds; those that deny or ask were applied before. */
const MAX_RULES_CHARS = 8_000;
const BOUNDARY_BYTES = 12;

/** Characters that can't be seen or look like a plain blank: the judge gets their numbers. */
const UNSEEN = /[^\P{C}\n]|[^\P{Z} ]/gu;

export type JudgeQuestion =
  /** What stands before the question: the same for both looks. */
  | { readonly data: string }
  /** Why a judge must not be asked. */
  | { readonly problem: string };

/** Puts a call and what bears on it into words for the judge: one JSON object between two lines with a random code. */
export function judgeQuestion(request: JudgeRequest): JudgeQuestion {
  const { toolName, input, touches, userWords, rules } = request;
  if (input.length + touches.join("").length > MAX_CALL_CHARS) return { problem: "the call is too long to be judged" };
  const user = userWords.map(clipped);
  if (user.length === 0) return { problem: "there are no words of yours to judge it by" };
  if (user.join("").length > MAX_USER_CHARS) return { problem: "there are too many words of yours to judge it by" };
  const object = { tool: toolName, input: parsedOrText(input), touches, user, rules: firstOf(rules) };
  const json = JSON.stringify(object, null, 1).replace(UNSEEN, escaped);
  const boundary = `data ${randomBytes(BOUNDARY_BYTES).toString("hex")}`;
  return { data: `--- begin ${boundary} ---\n${json}\n--- end ${boundary} ---` };
}

/** Easier to read than JSON in a string; but only where nothing of the text is lost (a key that stands twice). */
function parsedOrText(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input);
    return JSON.stringify(value) === input ? value : input;
  } catch {
    return input;
  }
}

function clipped(prompt: string): string {
  const half = MAX_PROMPT_CHARS / 2;
  const left = prompt.length - MAX_PROMPT_CHARS;
  if (left <= 0) return prompt;
  return `${prompt.slice(0, half)} [… ${left} characters of this prompt are not shown …] ${prompt.slice(-half)}`;
}

function firstOf(rules: readonly string[]): readonly string[] {
  let chars = 0;
  const end = rules.findIndex((rule) => {
    chars += rule.length;
    return chars > MAX_RULES_CHARS;
  });
  return end < 0 ? rules : [...rules.slice(0, end), `… and ${rules.length - end} more`];
}

/** As JSON escapes: `\u200b`; a character outside the basic plane as its two halves. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
