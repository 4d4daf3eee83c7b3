import type { DecidedBy } from "./decided-by.ts";
import { type ToolResultBlock, textOf } from "./message.ts";
import { type CallEnd, factsOf, type ResultFacts } from "./result-facts.ts";

/**
 * Sessions and recordings of versions before `ResultFacts` hold these facts only as texts. This file is the one place that
 * reads them; nothing else reads meaning from a text of ours.
 */
const SAID_NO = "The user refused this call";
const REFUSED = /^(?:Refused\b|Plan mode is on: nothing may be changed)/;
const INTERRUPTED = /^Cancelled by the user before it ran\.|\[interrupted by the user[ ;]/;
const UNANSWERED = /^(?:Nobody can approve the plan|Nobody is there to agree)\b/;
const SHOWS_NOTHING = /^\[Cleared|is unchanged since you read these lines/;
const SHOWS_PART = /go on with (?:offset|pages):/;
const ADAPTED = /(?:Corrected|Forgiven):/;
const MOVED = /^\[the working folder is now (\/.*)\]$/gm;
const WHOLE = /(?:all of it: |the whole of it is in )((?:\/|[A-Z]:)[^\n]*?\.(?:log|txt))/g;
/** Advice for the model stands in the last line. */
const ADVICE = /\nNext: [^\n]*$/;

/** The same result with its facts. */
export function withOldFacts<Result extends Pick<ToolResultBlock, "content" | "isError"> & ResultFacts>(
  result: Result,
): Result {
  if (Object.keys(factsOf(result)).length > 0) return result;
  const text = textOf(result.content);
  const end = oldEnd(text, result.isError);
  const shows = SHOWS_NOTHING.test(text) ? "nothing" : SHOWS_PART.test(text) ? "part" : undefined;
  const wrote = text.startsWith("Created ") ? "new" : ADAPTED.test(text) ? "adapted" : undefined;
  const [, movedTo] = [...text.matchAll(MOVED)].at(-1) ?? [];
  const [, wholeIn] = [...text.matchAll(WHOLE)].at(-1) ?? [];
  return { ...result, ...factsOf({ end, shows, wrote, movedTo, wholeIn } as ResultFacts) };
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
  const [, hook] = words.split(/^a hook(?:: |$)/);
  if (hook === undefined) return { kind: "default", reason: words };
  const [reason = "", ...named] = hook.split(" · ");
  const source = named.join(" · ");
  return { kind: "hook", ...(reason !== "" && { reason }), ...(source !== "" && { source }) };
}
