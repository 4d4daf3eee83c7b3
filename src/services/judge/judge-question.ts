import type { JudgeRequest } from "../../contracts/permission.ts";
import { randomHex } from "../../platform/digest.ts";

/** Longer calls are decided by a person, because a judge must not allow a call that it can't see in full. */
export const MAX_CALL_CHARS = 8_000;
/** Limit for all of the person's messages; beyond it, an instruction that forbids something could be cut. */
export const MAX_USER_CHARS = 32_000;
/** The limit for one message: a longer message contains pasted text and is shown by its beginning and end. */
const MAX_PROMPT_CHARS = 4_000;
/** Rules show the person's preferences; deny and ask rules have already been applied. */
const MAX_RULES_CHARS = 8_000;
const BOUNDARY_BYTES = 12;

/** Invisible characters and space lookalikes, which are escaped for the judge. */
const UNSEEN = /[^\P{C}\n]|[^\P{Z} ]/gu;

export type JudgeQuestion =
  /** The part before the question, which is the same in both requests. */
  | { readonly data: string }
  /** The reason why a judge must not be asked. */
  | { readonly problem: string };

/** Formats a call and its context for the judge: one JSON object between two lines with a random code. */
export function judgeQuestion(request: JudgeRequest): JudgeQuestion {
  const { toolName, input, touches, userWords, rules } = request;
  if (input.length + touches.join("").length > MAX_CALL_CHARS) return { problem: "the call is too long for the judge" };
  const user = userWords.map(clipped);
  if (user.length === 0) return { problem: "there is no message of yours to compare it with" };
  if (user.join("").length > MAX_USER_CHARS) return { problem: "your messages are too long for the judge" };
  const object = { tool: toolName, input: parsedOrText(input), touches, user, rules: firstOf(rules) };
  const json = JSON.stringify(object, null, 1).replace(UNSEEN, escaped);
  const boundary = `data ${randomHex(BOUNDARY_BYTES)}`;
  return { data: `--- begin ${boundary} ---\n${json}\n--- end ${boundary} ---` };
}

/** Parsed JSON is easier to read than a string; it is used only if no information is lost (such as a duplicate key). */
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
