import type { CompactionView, StageContext } from "../../../contracts/compactor.ts";
import type { Message, UserBlock } from "../../../contracts/message.ts";
import { listOf } from "./loss-check.ts";
import { cutToTokens, sharedTokens } from "./room.ts";
import type { SessionFacts } from "./summary-facts.ts";
import { type KeptWords, keepWords } from "./user-words.ts";

/** Shares of the window: for the user's messages that are kept word for word, and for the state of the work. */
const WORDS_SHARE = 0.1;
const STATE_SHARE = 0.1;

/** The user's messages that are not among the kept messages. */
export function wordsFor(view: CompactionView, { words }: SessionFacts, kept: readonly Message[]): KeptWords {
  const ids = new Set(kept.map(({ id }) => id));
  const dropped = words.filter(({ messageId }) => !ids.has(messageId));
  return keepWords(dropped, sharedTokens(view) * WORDS_SHARE, (text) => view.tokensOf(textBlock(text)));
}

/** What is known before a model is asked. */
type KnownParts = {
  readonly words: KeptWords;
  readonly facts: SessionFacts;
  /** True if messages stay behind the summary. */
  readonly hasNewer: boolean;
  readonly canRecall: boolean;
};

export type SummaryParts = {
  readonly text: string;
  readonly known: KnownParts;
  /** Facts that the summary does not mention, as text. */
  readonly lost: string;
  /** Texts before the summary: the description of the session, and the skills in use. */
  readonly around: readonly string[];
};

/** The blocks of the message that replaces others: a model's summary, and the parts that Quoll knows itself. */
export function summaryBlocks(
  view: CompactionView,
  { text, known: { words, facts, hasNewer, canRecall }, lost, around }: SummaryParts,
  context: Pick<StageContext, "runningTasks">,
): readonly UserBlock[] {
  const measure = (part: string) => view.tokensOf(textBlock(part));
  const parts = [
    ...around,
    `${introduction(hasNewer, canRecall)}\n<summary>\n${text}\n</summary>`,
    wordsText(words, canRecall),
    cutToTokens(stateText(facts, context.runningTasks(), lost), sharedTokens(view) * STATE_SHARE, measure),
  ];
  return parts.filter((part) => part !== "").map(textBlock);
}

/** The plan, the open to-dos, the files and the tasks, which are known without a model. */
export function stateText(facts: SessionFacts, tasks: readonly string[], lost: string): string {
  return [
    facts.plan === undefined ? "" : `The plan that the user approved:\n${facts.plan}`,
    facts.openTodos.length > 0
      ? listOf(
          "Open to-dos",
          facts.openTodos.map(({ content, status }) => `${content} (${status})`),
        )
      : "",
    facts.filesInUse.length > 0 ? listOf("Files in use, newest first", facts.filesInUse) : "",
    tasks.length > 0 ? listOf("Running in the background", tasks) : "",
    lost === "" ? "" : `Not in the summary, from the log:\n${lost}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The user's messages under their title; empty without any. */
export function wordsText({ text, shortened }: KeptWords, canRecall: boolean): string {
  if (text === "") return "";
  const recall = canRecall && shortened.length > 0 ? " (Recall gives the rest of a shortened message by id)" : "";
  return `The user's messages in that part, word for word${recall}:\n${text}`;
}

export function textBlock(text: string): UserBlock {
  return { type: "text", text };
}

function introduction(hasNewer: boolean, canRecall: boolean): string {
  const newer = hasNewer ? " It is older than the messages behind it: where they differ, they hold." : "";
  const recall = canRecall ? " Recall finds everything that it leaves out." : "";
  return `Earlier messages were replaced by this summary. Go on with the work from it.${newer}${recall}`;
}
