import type { CompactionView } from "../../../contracts/compactor.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { Message } from "../../../contracts/message.ts";
import { sharedTokens, tokensOf } from "./room.ts";

/** A share of the usable window. The newest messages up to this size are kept unchanged. */
const KEPT_SHARE = 0.15;
/** A short conversation that the person wants summed up is treated as if its messages filled this share. */
const FILLED_SHARE = 0.5;
/** The number of newest steps that are always kept, if they fit the share below. */
const KEPT_STEPS = 3;
const MOST_KEPT_SHARE = 0.3;

/** Messages that a summary replaces: those from `from` on, and before `to`. */
export type SummaryCut = { readonly from: number; readonly to: number };

/**
 * Chooses what a summary replaces: everything but the newest messages, or the part that the person chose. A cut is
 * never between a call and its result.
 * @returns undefined if there is nothing to replace.
 * @throws {UserFacingError} the chosen message does not exist.
 */
export function chooseCut(view: CompactionView): SummaryCut | undefined {
  const { messages, part } = view;
  const cut = part ? chosenCut(view, part) : { from: 0, to: keptFrom(view) };
  const dropped = messages.slice(cut.from, cut.to);
  return dropped.some(({ role }) => role === "assistant") ? cut : undefined;
}

function chosenCut({ messages }: CompactionView, part: NonNullable<CompactionView["part"]>): SummaryCut {
  const messageId = "upTo" in part ? part.upTo : part.from;
  const at = messages.findIndex(({ id }) => id === messageId);
  if (at < 0 || !mayStandFirst(messages[at]))
    throw new UserFacingError(`A compaction can't begin or end at the message ${messageId}.`);
  return "upTo" in part ? { from: 0, to: at } : { from: at, to: messages.length };
}

/** The index at which the kept messages begin. */
function keptFrom(view: CompactionView): number {
  const { messages } = view;
  const all = messages.reduce((sum, message) => sum + tokensOf(view, message), 0);
  const usable = Math.min(sharedTokens(view), all / FILLED_SHARE);
  let kept = messages.length;
  let tokens = 0;
  let steps = 0;
  for (let at = messages.length - 1; at > 0; at -= 1) {
    tokens += tokensOf(view, messages[at]);
    if (tokens > usable * (steps < KEPT_STEPS ? MOST_KEPT_SHARE : KEPT_SHARE)) break;
    if (!mayStandFirst(messages[at])) continue;
    kept = at;
    if (messages[at]?.role === "assistant") steps += 1;
  }
  // The model continues from the newest messages: the last step stays regardless of its size.
  return kept === messages.length ? messages.findLastIndex(mayStandFirst) : kept;
}

export function mayStandFirst(message: Message | undefined): boolean {
  if (message === undefined) return false;
  return message.role === "assistant" || message.content.every(({ type }) => type !== "tool_result");
}
