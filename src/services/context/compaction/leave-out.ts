import type { Compaction, CompactionStage, CompactionView, StageContext } from "../../../contracts/compactor.ts";
import { type Message, textOf } from "../../../contracts/message.ts";
import { bothEnds } from "./history-text.ts";
import { type KeptEnd, keepNewest } from "./keep-newest.ts";
import { pinnedMessages } from "./pinned-messages.ts";
import { cutToTokens, roomIn, sizeOf } from "./room.ts";
import { type SessionFacts, sessionFacts } from "./summary-facts.ts";
import { stateText, textBlock, wordsText } from "./summary-parts.ts";
import { keepWords } from "./user-words.ts";

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

/** Shares of the tokens that are still free when the part is added, in the order of the parts. */
const SUMMARY_SHARE = 0.4;
const WORDS_SHARE = 0.3;
const SESSION_SHARE = 0.6;
const STATE_SHARE = 0.6;
const ANSWER_CHARS = 300;

type LeftOut = {
  readonly view: CompactionView;
  readonly dropped: readonly Message[];
  readonly kept: readonly Message[];
  readonly facts: SessionFacts;
  /** The most that the text may take. */
  readonly maxTokens: number;
  readonly canRecall: boolean;
};

/** The text in place of messages that were left out: an earlier summary, the user's words, the state, ids of answers. */
async function leftOutText(leftOut: LeftOut, context: StageContext): Promise<string> {
  const { view, dropped, kept, facts, canRecall } = leftOut;
  const measure = (text: string) => view.tokensOf(textBlock(text));
  const intro = introduction(dropped.length, canRecall);
  let left = leftOut.maxTokens - measure(intro);
  const taken = (text: string, share: number) => {
    const part = cutToTokens(text, left * share, measure);
    left -= measure(part);
    return part;
  };
  const summary = taken(earlierSummary(leftOut, context), SUMMARY_SHARE);
  const ids = new Set(kept.map(({ id }) => id));
  const unkept = facts.words.filter(({ messageId }) => !ids.has(messageId));
  // The excerpts of shortened messages may take the same amount once more.
  const words = taken(wordsText(keepWords(unkept, left * WORDS_SHARE, measure), canRecall), 2 * WORDS_SHARE);
  const session = taken(await context.describeSession(), SESSION_SHARE);
  const skills = taken(await context.skillsInUse(kept), SESSION_SHARE);
  const state = taken(stateText(facts, context.runningTasks(), ""), STATE_SHARE);
  const answers = answersText(leftOut, left, measure);
  return [session, skills, intro, summary, words, state, answers].filter((part) => part !== "").join("\n\n");
}

function introduction(count: number, canRecall: boolean): string {
  const recall = canRecall ? " Recall brings them back, by id or by words of theirs." : "";
  return `${count} older messages were left out here to make room, without a summary. Go on with the work.${recall}`;
}

/** The summary of an earlier compaction, if the messages that are left out begin with one. */
function earlierSummary({ dropped }: LeftOut, context: StageContext): string {
  const ids = new Set(dropped.map(({ id }) => id));
  const last = context
    .history()
    .findLast((entry) => entry.kind === "compacted" && entry.summary !== undefined && ids.has(entry.summary.id));
  const text = last?.kind === "compacted" ? textOf(last.summary?.content ?? []) : "";
  const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1]?.trim();
  return summary === undefined
    ? ""
    : `Earlier messages were summarised before that:\n<summary>\n${summary}\n</summary>`;
}

/** The beginnings and ends of the newest answers that fit, each with its id. */
function answersText({ view, dropped }: LeftOut, maxTokens: number, measure: (text: string) => number): string {
  const lines: string[] = [];
  let left = maxTokens;
  for (const message of dropped.toReversed()) {
    const text = message.role === "assistant" ? textOf(message.content).trim() : "";
    if (text === "") continue;
    const id = view.entryIds[view.messages.indexOf(message)] ?? "";
    const line = `<answer id="${id}">${bothEnds(text, ANSWER_CHARS).replaceAll("\n", " ")}</answer>`;
    left -= measure(line);
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? "" : `Your newest answers in that part, shortened:\n${lines.reverse().join("\n")}`;
}
