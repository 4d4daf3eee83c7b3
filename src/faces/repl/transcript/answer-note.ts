import type { Preview } from "../../../contracts/display.ts";
import type { Question, Reply } from "../../../contracts/question.ts";

/** What the person answered about a call, as far as its row tells it. */
export type AnswerNote =
  /** `reason`: their own words. */
  | { readonly kind: "refused"; readonly preview: Preview; readonly reason?: string }
  | { readonly kind: "part"; readonly taken: number; readonly of: number };

/** @param hasReason False where the words of a no are not the person's own. */
export function answerNote({ preview }: Question, reply: Reply, hasReason: boolean): AnswerNote | undefined {
  if (reply.decision === "reject") {
    const reason = hasReason ? reply.message : undefined;
    return { kind: "refused", preview, ...(reason !== undefined && { reason }) };
  }
  if (reply.decision !== "once" || !reply.hunks || preview.kind !== "diff") return undefined;
  return { kind: "part", taken: reply.hunks.length, of: preview.hunks.length };
}
