import type { CompactionView, StageContext } from "../../../contracts/compactor.ts";
import { type Message, textOf } from "../../../contracts/message.ts";
import { cutToTokens } from "./room.ts";
import type { SessionFacts } from "./session-facts.ts";
import { stateText, textBlock, wordsText } from "./summary-parts.ts";
import { bothEnds } from "./transcript.ts";
import { keepWords } from "./user-words.ts";

/** Shares of the tokens that are still free when the part is added, in the order of the parts. */
const SUMMARY_SHARE = 0.4;
const WORDS_SHARE = 0.3;
const SESSION_SHARE = 0.6;
const STATE_SHARE = 0.6;
const ANSWER_CHARS = 300;

export type LeftOut = {
  readonly view: CompactionView;
  readonly dropped: readonly Message[];
  readonly kept: readonly Message[];
  readonly facts: SessionFacts;
  /** The most that the text may take. */
  readonly maxTokens: number;
  readonly canRecall: boolean;
};

/** The text in place of messages that were left out: an earlier summary, the user's words, the state, ids of answers. */
export async function leftOutText(leftOut: LeftOut, context: StageContext): Promise<string> {
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
