import type { UnfinishedTurn } from "./next-prompt.ts";

/** Texts that Quoll sends to a model during a turn, each in a message with the role `user`. */

export const CONTINUE_WRITING =
  "Your answer was cut off at its maximum length. Continue exactly where it stopped, without repeating anything; split what is left into smaller parts if it is long.";

export const REPEATED_CALLS =
  "You have made the same calls with the same results several times in a row. They will not change. Change your approach, or end your turn and say what blocks you.";

/** The turn of a child agent may have been stopped by its parent. */
export function turnUnfinished(
  reason: UnfinishedTurn,
  { parentAgentId }: { readonly parentAgentId: string | null },
): string {
  if (reason === "failed") return "Your last turn failed before it was done: a request got no answer.";
  return parentAgentId === null
    ? "The user stopped your last turn before it was done."
    : "Your last turn was stopped before it was done.";
}

/** A prompt that the person gave with a yes to a question. */
export function allowedAndSaid(toolName: string | undefined, words: string): string {
  return `The user ${toolName === undefined ? "said yes" : `allowed this call of ${toolName}`} and said: ${words}`;
}

export const EMPTY_ANSWER = "Your last answer had no text and no calls. Go on with the task, or say that it is done.";

export const MISSING_CALLS =
  "Your last answer ended as if you made a call, but it contains none, so nothing was run. Make the call, or go on without it.";

export const AGENTS_ENDED =
  "The agents in the background have ended; their answers are above. The user said nothing. Go on with the task.";

export const SHELL_NEWS = "There is news of background commands above. The user said nothing. Go on with the task.";

export const USER_SHELL_RAN =
  "The user ran the command above and said nothing else. Say what matters in its output, or go on with the task that it belongs to.";

export function schemaMismatch(problem: string): string {
  return `Your answer does not fit the schema that was asked for: ${problem}. Answer with the JSON alone, no words around it.`;
}

export function budgetLeft(tokens: number): string {
  return `About ${shown(tokens)} tokens of this turn's budget are left. Go on with the task: check what you did, and do what is still open. If nothing is left to do, say so in one sentence.`;
}

export function budgetNearlySpent(tokens: number): string {
  return `80 % of this turn's budget is spent; about ${shown(tokens)} tokens are left. Bring the work to a state that holds, and say what is still open.`;
}

/** A text with these words is a note about the window. */
export const WINDOW_NOTE = "tokens of the context window are left after the results above.";

/** @param isAuto True if Quoll compacts the conversation automatically. */
export function windowNearlyFull(leftTokens: number, isAuto: boolean): string {
  const left = `About ${shown(leftTokens)} ${WINDOW_NOTE}`;
  return isAuto
    ? `${left} Soon old results of tools are cleared, or a summary replaces older messages. If a part of the work is done and this is a good moment for that, write [compact] on a line of its own in your answer: room is made once its calls have run, or before the next message of the user if it makes none.`
    : `${left} When they are used up, the conversation can't continue: finish what matters most, and say what is still open.`;
}

/** The answer to a line that asked for a compaction that was not made. */
export function notCompacted({ usedTokens, leftTokens, atTokens }: NotCompacted): string {
  return `No room was made now: about ${shown(usedTokens)} tokens are used, and ${shown(leftTokens)} are left. Room is made without your asking when about ${shown(atTokens)} are used.`;
}

/** `atTokens`: the used tokens at which Quoll compacts on its own. */
type NotCompacted = { readonly usedTokens: number; readonly leftTokens: number; readonly atTokens: number };

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

export function hookKeepsTurn(reason: string): string {
  return `A hook of the user's keeps this turn from ending: ${reason}`;
}
