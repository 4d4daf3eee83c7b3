import { oneLine } from "@quoll/terminal-text/one-line";
import { type AssistantMessage, textOf } from "../../contracts/message.ts";

const MAX_REASON_COLUMNS = 300;
const NO_REASON = "it goes beyond what was asked for";

export type Verdict =
  | { readonly verdict: "yes" }
  | { readonly verdict: "no"; readonly reason: string }
  | { readonly verdict: "unreadable"; readonly problem: string };

type Answer = Pick<AssistantMessage, "content" | "stopReason">;

/** Reads the quick answer: exactly one word. Any other text is not an answer. */
export function readQuickVerdict(answer: Answer): Verdict {
  const text = wholeText(answer);
  if (typeof text !== "string") return text;
  const word = /^["'*`]*(yes|no)[.!]?["'*`]*[.!]?$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (word === undefined) return unreadable("its answer was neither yes nor no");
  return word === "yes" ? { verdict: "yes" } : { verdict: "no", reason: NO_REASON };
}

/** Reads the second answer: the last line, which must be the only verdict line. */
export function readReasonedVerdict(answer: Answer): Verdict {
  const text = wholeText(answer);
  if (typeof text !== "string") return text;
  const lines = text.split(/[\r\n\u2028\u2029]+/).map((line) => line.replace(/^[\s*`>#-]+|[\s*`]+$/g, ""));
  const verdicts = lines.filter((line) => /verdict\b/i.test(line));
  const last = lines.findLast((line) => line !== "");
  const [verdict, ...more] = verdicts;
  if (verdict === undefined || more.length > 0 || verdict !== last)
    return unreadable("its answer had no clear verdict");
  const [, word, reason] = /^VERDICT:[\s*]*(yes|no)\b[\s.!*]*(?:[:,;–—-]\s*(.*))?$/i.exec(verdict) ?? [];
  if (word?.toLowerCase() === "yes" && !reason) return { verdict: "yes" };
  if (word?.toLowerCase() === "no") return { verdict: "no", reason: told(reason ?? "") };
  return unreadable("its answer had no clear verdict");
}

/** The text of a complete answer that contains only text. */
function wholeText({ content, stopReason }: Answer): string | Verdict {
  if (stopReason === "refusal") return unreadable("it declined to answer");
  if (stopReason !== "end_turn" && stopReason !== "stop_sequence") return unreadable("its answer was cut off");
  if (content.some(({ type }) => type === "tool_use")) return unreadable("it called a tool instead of answering");
  return textOf(content);
}

function unreadable(problem: string): Verdict {
  return { verdict: "unreadable", problem };
}

function told(reason: string): string {
  return oneLine(reason, MAX_REASON_COLUMNS) || NO_REASON;
}
