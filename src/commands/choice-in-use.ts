import type { Choice } from "../contracts/command-result.ts";

/** A choice of a list that marks the one in use. */
export function choiceInUse(label: string, input: string, inUse: string | undefined): Choice {
  return label === inUse ? { label, detail: "in use", input, isCurrent: true } : { label, detail: "", input };
}
