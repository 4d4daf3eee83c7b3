import type { ToolResultBlock, UserBlock } from "./message.ts";
import type { Entry } from "./session.ts";

type Results = Extract<Entry, { kind: "results" }>;

/**
 * Puts the results that stand in earlier entries back into the message.
 * @param resultOf Finds the result of a `tool_finished` by its entry's id. A result that is not found is left out.
 */
export function withFinished(
  { finished = [], ...entry }: Results,
  resultOf: (entryId: string) => ToolResultBlock | undefined,
): Results {
  const content: UserBlock[] = [...entry.message.content];
  for (const { at, entryId } of finished.toSorted((a, b) => a.at - b.at)) {
    const result = resultOf(entryId);
    if (result) content.splice(at, 0, result);
  }
  return { ...entry, message: { ...entry.message, content } };
}
