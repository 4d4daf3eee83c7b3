import type { Choice, ChooseResult } from "../contracts/command-result.ts";

type Asked = Pick<ChooseResult, "title" | "lines" | "before" | "back"> & {
  /** Where it differs from a "No" that changes nothing. */
  readonly no?: Partial<Choice>;
  readonly yes: Omit<Choice, "detail"> & Partial<Choice>;
};

/** A question to confirm. The no stands first, so that Enter alone changes nothing. */
export function yesNo({ no, yes, ...question }: Asked): ChooseResult {
  const choices = [
    { label: "No", detail: "", input: "", ...no },
    { detail: "", ...yes },
  ];
  return { kind: "choose", ...question, choices, isYesNo: true };
}
