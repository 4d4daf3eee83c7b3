import { withoutAdvice } from "../../../contracts/advice.ts";
import type { ToolResultBlock } from "../../../contracts/message.ts";
import type { CallEnd } from "../../../contracts/result-facts.ts";

/** One tool call of a plan. */
export type Call = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** The result of a call. */
export type Answer = {
  readonly text: string;
  readonly isError: boolean;
  readonly hasImage: boolean;
  readonly end?: CallEnd | undefined;
};

/** The end of a step. `text` is for the person; `problem` of a failed step is one clause without a full stop. */
export type StepEnd =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly text: string };

/**
 * The work of one step. The work yields the calls of one message (at most `MAX_CALLS`) and gets their answers in order.
 * The work has no external state, so running it again with the same answers gives the same next calls.
 */
export type StepRun = Generator<readonly Call[], StepEnd, readonly Answer[]>;

/** Calls in one message. */
export const MAX_CALLS = 10;

export function done(text: string): StepEnd {
  return { ok: true, text };
}

export function failed(problem: string, text = ""): StepEnd {
  return { ok: false, problem, text };
}

/** Makes one call. */
export function* callOne(call: Call): Generator<readonly Call[], Answer, readonly Answer[]> {
  const answers = yield [call];
  return answers[0] ?? { text: "the call was not answered", isError: true, hasImage: false };
}

/** An error answer as a clause for the person: its first line, without a full stop. */
export function problemOf(answer: Answer): string {
  const { text, end } = answer;
  if (end?.kind === "refused" && end.by?.kind === "person") {
    const [reason] = end.by.reason?.split("\n") ?? [];
    return reason === undefined ? "you refused this call" : `you refused this call: ${reason}`;
  }
  const [first = ""] = text.split("\n");
  return first.trim().replace(/\.$/, "") || "it failed without a message";
}

/** The engine shows error answers to the person, so the advice for a model is left out of them. */
export function answerOf({ content, isError, end }: ToolResultBlock): Answer {
  if (typeof content === "string")
    return { text: isError ? withoutAdvice(content) : content, isError, hasImage: false, end };
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { text, isError, hasImage: content.some(({ type }) => type === "image") };
}
