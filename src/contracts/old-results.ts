import type { CallEnd, DecidedBy } from "./decided-by.ts";
import { type ToolResultBlock, textOf } from "./message.ts";

/**
 * Sessions and recordings of versions before `CallEnd` hold the end of a call only as a text. This file is the one place
 * that reads these texts; nothing else reads meaning from a text of ours, and no later version writes these texts for it.
 */
const SAID_NO = "The user refused this call";
const REFUSED = /^(?:Refused\b|Plan mode is on: nothing may be changed)/;
const INTERRUPTED = /^Cancelled by the user before it ran\.|\[interrupted by the user[ ;]/;
const UNANSWERED = /^(?:Nobody can approve the plan|Nobody is there to agree)\b/;
/** Advice for the model stands in the last line. */
const ADVICE = /\nNext: [^\n]*$/;

/** The same result with its end as a fact. */
export function withOldEnd<Result extends Pick<ToolResultBlock, "content" | "isError" | "end">>(
  result: Result,
): Result {
  const end = result.end ?? oldEnd(textOf(result.content), result.isError);
  return end === result.end ? result : { ...result, end };
}

function oldEnd(text: string, isError: boolean): CallEnd | undefined {
  if (!isError) return UNANSWERED.test(text) ? { kind: "unanswered" } : undefined;
  if (text.startsWith(SAID_NO)) {
    const [, reason] = text
      .replace(ADVICE, "")
      .slice(SAID_NO.length)
      .split(/^ and said: /);
    return { kind: "refused", by: { kind: "person", ...(reason !== undefined && { reason }) } };
  }
  if (REFUSED.test(text)) return { kind: "refused" };
  return INTERRUPTED.test(text) ? { kind: "interrupted" } : undefined;
}

/** The decider that older files name in words. */
export function oldDecider(words: string): DecidedBy {
  if (words.startsWith("the user")) return { kind: "person" };
  const [, reason] = words.split(/^a hook(?:: |$)/);
  if (reason === undefined) return { kind: "default", reason: words };
  return { kind: "hook", ...(reason !== "" && { reason }) };
}
