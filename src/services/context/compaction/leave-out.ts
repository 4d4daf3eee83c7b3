import type { Compaction, CompactionStage, CompactionView, StageContext } from "../../../contracts/compactor.ts";
import type { Message } from "../../../contracts/message.ts";
import { type KeptEnd, keepNewest } from "./keep-newest.ts";
import { leftOutText } from "./left-out-text.ts";
import { pinnedMessages } from "./pinned-messages.ts";
import { roomIn, sizeOf } from "./room.ts";
import { sessionFacts } from "./session-facts.ts";
import { textBlock } from "./summary-parts.ts";

/** The share of the room for messages to which they shrink, so that the next time is far off. */
const TARGET_SHARE = 0.5;
/** Pinned messages stay if they take at most this share of the room. */
const PINNED_SHARE = 0.3;
/** The share of the target that the text about the messages that were left out may take in any case. */
const MIN_TEXT_SHARE = 0.2;

type Options = {
  /** True if the model has the tool Recall, which returns messages that were left out. */
  readonly canRecall?: boolean;
};

/**
 * The last resort, which needs no model: the oldest messages are left out, and large parts of the newest are shortened.
 * A text with their ids and with the facts that the log gives stands in their place. Removes nothing only if the
 * system prompt and the tools fill the window, or if the newest prompt does by itself.
 */
export function leaveOut({ canRecall = false }: Options = {}): CompactionStage {
  return { name: "oldest messages", isLastResort: true, run: (view, context) => run(view, context, canRecall) };
}

async function run(view: CompactionView, context: StageContext, canRecall: boolean): Promise<Compaction | undefined> {
  const { messages, entryIds, why } = view;
  const room = roomIn(view, view.stopTokens);
  if (why === "image_too_large" || why === "cold" || why === "idle" || room <= 0) return undefined;
  const before = sizeOf(view, messages);
  const target = (why === "too_long" ? Math.min(room, before) : room) * TARGET_SHARE;
  const facts = sessionFacts(context.history());
  // Outside a turn, no prompt waits for its answer.
  const prompts = new Set(why === "manual" ? [] : facts.words.map(({ messageId }) => messageId));
  const end = keepNewest(view, { target, room, prompts, canRecall });
  if (end === undefined) return undefined;
  if (end.from === 0) return end.stubs.length === 0 ? undefined : { stubs: end.stubs, note: noteOf(0, end) };
  const pinned = keptPins(view, end.from, Math.min(room * PINNED_SHARE, room - end.tokens));
  const dropped = messages.slice(0, end.from).filter((message) => !pinned.includes(message));
  const kept = [...pinned, ...messages.slice(end.from)];
  const left = Math.min(target, room) - end.tokens - sizeOf(view, pinned);
  const maxTokens = Math.max(left, Math.min(target * MIN_TEXT_SHARE, room - end.tokens));
  const text = await leftOutText({ view, dropped, kept, facts, maxTokens, canRecall }, context);
  if (view.tokensOf(textBlock(text)) >= sizeOf(view, dropped) && end.stubs.length === 0) return undefined;
  const firstKeptId = entryIds[end.from];
  return {
    stubs: end.stubs,
    ...(firstKeptId === undefined
      ? { removedIds: dropped.map(({ id }) => id) }
      : { firstKeptId, ...(pinned.length > 0 && { keptIds: pinned.map(({ id }) => id) }) }),
    summary: [textBlock(text)],
    note: noteOf(dropped.length, end),
  };
}

function keptPins(view: CompactionView, to: number, maxTokens: number): readonly Message[] {
  const pinned = pinnedMessages(view, { from: 0, to });
  return sizeOf(view, pinned) <= maxTokens ? pinned : [];
}

function noteOf(dropped: number, { stubs }: KeptEnd): string {
  const parts = [
    dropped === 0 ? "" : `left out ${dropped} older ${dropped === 1 ? "message" : "messages"}`,
    stubs.length === 0 ? "" : `shortened ${stubs.length} large ${stubs.length === 1 ? "part" : "parts"} of the newest`,
  ].filter((part) => part !== "");
  const text = parts.join(" and ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} to make room; the session's file keeps them, and /compact undo brings them back.`;
}
