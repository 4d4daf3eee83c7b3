import type { Compaction, CompactionStage, CompactionView, StageContext } from "../../../contracts/compactor.ts";
import {
  type AssistantMessage,
  type Message,
  textOf,
  toolUses,
  type UserBlock,
  type UserMessage,
} from "../../../contracts/message.ts";
import { blocksTokens } from "../../../contracts/token-estimate.ts";
import { askedMessages } from "./asked-messages.ts";
import { checkLoss, listOf } from "./loss-check.ts";
import { pinnedMessages } from "./pinned-messages.ts";
import { readSummary } from "./read-summary.ts";
import { type SessionFacts, sessionFacts } from "./session-facts.ts";
import request from "./summary.md" with { type: "text" };
import { chooseCut, type SummaryCut } from "./summary-cut.ts";
import { type KeptWords, keepWords } from "./user-words.ts";

/** Shares of the usable window: the limit for a summary, and for the user's messages that are kept word for word. */
const SUMMARY_SHARE = 0.06;
const WORDS_SHARE = 0.1;
const MIN_SUMMARY_TOKENS = 400;
const MAX_SUMMARY_TOKENS = 8_000;
const WORDS_PER_TOKEN = 0.6;
/** A thinking model needs this many additional tokens. */
const THINKING_TOKENS = 6_000;
const REFUSED = "Not run: a summary is being written. Call no tool, and answer with the summary alone.";

type Options = {
  /** True if the model has the tool Recall, which finds content that a summary omits. */
  readonly canRecall?: boolean;
};

/** The stage that asks the model for a summary of the conversation. */
export function summarise({ canRecall = false }: Options = {}): CompactionStage {
  return { name: "summary", asksModel: true, run: (view, context) => run(view, context, canRecall) };
}

async function run(view: CompactionView, context: StageContext, canRecall: boolean): Promise<Compaction | undefined> {
  if (view.why === "image_too_large" || view.why === "cold") return undefined;
  const cut = chooseCut(view);
  if (!cut) return undefined;
  const pinned = pinnedMessages(view, cut);
  const dropped = view.messages.slice(cut.from, cut.to).filter((message) => !pinned.includes(message));
  if (!dropped.some(({ role }) => role === "assistant")) return undefined;
  const text = await askForSummary(view, cut, context);
  const facts = sessionFacts(context.history());
  const { messages, entryIds } = view;
  const kept = [...messages.slice(0, cut.from), ...pinned, ...messages.slice(cut.to)];
  const words = wordsFor(view, facts, kept);
  const seen = [text, words.text, ...facts.filesInUse, ...kept.map(seenText)].join("\n");
  const check = checkLoss(seen, facts, words.shortened);
  const summary = await summaryBlocks({ text, words, facts, lost: check.text, cut, canRecall, kept }, context);
  assertSmaller(summary, dropped);
  const firstKeptId = entryIds[cut.to];
  const lastKeptId = entryIds[cut.from - 1];
  return {
    stubs: [],
    ...(firstKeptId !== undefined && { firstKeptId }),
    ...(lastKeptId !== undefined && { lastKeptId }),
    ...(pinned.length > 0 && { keptIds: pinned.map(({ id }) => id) }),
    summary,
    report: {
      droppedMessages: dropped.length,
      keptMessages: kept.length,
      checked: check.checked,
      added: check.added,
    },
    note: noteOf(dropped.length, check.added.length),
  };
}

/**
 * Asks for a summary, and asks once more if the answer can't be used.
 * @throws {Error} the second answer can't be used either.
 */
async function askForSummary(view: CompactionView, cut: SummaryCut, context: StageContext): Promise<string> {
  const usable = view.windowTokens - view.reservedTokens;
  const tokens = Math.round(Math.min(MAX_SUMMARY_TOKENS, Math.max(MIN_SUMMARY_TOKENS, usable * SUMMARY_SHARE)));
  const question: UserMessage = {
    role: "user",
    id: "summary-request",
    content: [textBlock(questionText(view, cut, tokens))],
  };
  const messages = [...askedMessages(view, cut, tokens * 2), question];
  const maxTokens = tokens * 2 + THINKING_TOKENS;
  const first = await context.ask({ messages, maxTokens });
  const read = readSummary(first);
  if ("text" in read) return read.text;
  const again = isRepeatable(first) ? [...messages, first, correction(first, read.problem)] : messages;
  const second = readSummary(await context.ask({ messages: again, maxTokens }));
  if ("text" in second) return second.text;
  throw new Error(`The model's summary can't be used: ${second.problem}.`);
}

function questionText({ instructions, messages }: CompactionView, { from, to }: SummaryCut, tokens: number): string {
  const first = messages[to];
  const scope = from > 0 ? `the messages from this user message on: ${quoted(messages[from])}` : "the messages so far";
  const kept =
    from > 0
      ? "and the messages before them"
      : first === undefined
        ? "and nothing else"
        : "and the newest messages, which are not shown here: they may have done more of the work than you see";
  const text = request
    .replace("{{scope}}", scope)
    .replace("{{kept}}", kept)
    .replace("{{words}}", String(Math.round(tokens * WORDS_PER_TOKEN)));
  return instructions === undefined ? text : `${text}\nThe user adds, about the summary: ${instructions}`;
}

/** An answer without text and calls can't be sent back. */
function isRepeatable(answer: AssistantMessage): boolean {
  return toolUses(answer).length > 0 || textOf(answer.content).trim() !== "";
}

/** Refuses the calls of an answer, or explains the problem with its text. */
function correction(answer: AssistantMessage, problem: string): UserMessage {
  const refused = toolUses(answer).map(
    ({ id }): UserBlock => ({ type: "tool_result", toolUseId: id, content: REFUSED, isError: true }),
  );
  const text = textBlock(`The summary can't be used: ${problem}. Write it again, in the form that was asked for.`);
  return { role: "user", id: "summary-correction", content: refused.length > 0 ? refused : [text] };
}

/** The user's messages that are not kept. */
function wordsFor(view: CompactionView, { words }: SessionFacts, kept: readonly Message[]): KeptWords {
  const ids = new Set(kept.map(({ id }) => id));
  const dropped = words.filter(({ messageId }) => !ids.has(messageId));
  const maxTokens = (view.windowTokens - view.reservedTokens) * WORDS_SHARE;
  return keepWords(dropped, maxTokens, (text) => view.tokensOf(textBlock(text)));
}

type Parts = {
  readonly text: string;
  readonly words: KeptWords;
  readonly facts: SessionFacts;
  readonly lost: string;
  readonly cut: SummaryCut;
  readonly canRecall: boolean;
  readonly kept: readonly Message[];
};

async function summaryBlocks(
  { text, words, facts, lost, cut, canRecall, kept }: Parts,
  context: StageContext,
): Promise<readonly UserBlock[]> {
  const isPart = cut.from > 0;
  const tasks = context.runningTasks();
  const state = [
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
  ].filter((part) => part !== "");
  const parts = [
    isPart ? "" : await context.describeSession(),
    await context.skillsInUse(kept),
    `${introduction(canRecall)}\n<summary>\n${text}\n</summary>`,
    words.text === "" ? "" : `${wordsTitle(words, canRecall)}\n${words.text}`,
    state.join("\n\n"),
  ];
  return parts.filter((part) => part !== "").map(textBlock);
}

function introduction(canRecall: boolean): string {
  const recall = canRecall ? " Recall finds everything that it leaves out." : "";
  return `Earlier messages were replaced by this summary. Go on with the work from it.${recall}`;
}

function wordsTitle({ shortened }: KeptWords, canRecall: boolean): string {
  const recall = canRecall && shortened.length > 0 ? " (Recall gives the rest of a shortened message by id)" : "";
  return `The user's messages in that part, word for word${recall}:`;
}

/** @throws {Error} a summary that takes more room than it makes. */
function assertSmaller(summary: readonly UserBlock[], dropped: readonly Message[]): void {
  const tokens = blocksTokens(summary);
  const before = dropped.reduce((sum, { content }) => sum + blocksTokens(content), 0);
  if (tokens >= before)
    throw new Error(
      `The summary would be longer than the messages it replaces (about ${tokens} tokens for ${before}).`,
    );
}

function noteOf(dropped: number, added: number): string {
  const missing =
    added === 0
      ? ""
      : ` ${added} ${added === 1 ? "fact" : "facts"} that it left out ${added === 1 ? "was" : "were"} added.`;
  return `Summarised ${dropped} messages; /compact undo brings them back.${missing}`;
}

function seenText({ content }: Message): string {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [JSON.stringify(block.input)] : []));
  return [textOf(content), ...calls].join("\n");
}

function quoted(message: Message | undefined): string {
  return JSON.stringify(
    textOf(message?.content ?? [])
      .slice(-200)
      .toWellFormed(),
  );
}

function textBlock(text: string): UserBlock {
  return { type: "text", text };
}
