import type { ToolResultContent } from "../../../contracts/message.ts";

/** One call of a tool that a plan wants to make. */
export type Call = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** What came back. */
export type Answer = { readonly text: string; readonly isError: boolean; readonly hasImage: boolean };

/** How a step ended. `text` is for the person; of a failed step, `problem` is one clause without a full stop. */
export type StepEnd =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly text: string };

/**
 * The work of one step: it yields the calls of one message (at most `MAX_CALLS`) and is given their answers in order. It holds
 * no state but its own, so that running it again over the same answers leads to the same next calls.
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

/** An error answer as a clause: its first line, without a full stop. */
export function problemOf(answer: Answer): string {
  const [first = ""] = answer.text.split("\n");
  return first.trim().replace(/\.$/, "") || "it failed without a word";
}

export function answerOf(content: ToolResultContent, isError: boolean): Answer {
  if (typeof content === "string") return { text: content, isError, hasImage: false };
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return { text, isError, hasImage: content.some(({ type }) => type === "image") };
}
