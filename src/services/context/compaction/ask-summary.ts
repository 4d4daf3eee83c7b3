import type { CompactionView, StageContext } from "../../../contracts/compactor.ts";
import { ProviderError } from "../../../contracts/errors.ts";
import {
  type AssistantMessage,
  type Message,
  textOf,
  toolUses,
  type UserBlock,
  type UserMessage,
} from "../../../contracts/message.ts";
import { askedMessages } from "./asked-messages.ts";
import { type ReadSummary, readSummary } from "./read-summary.ts";
import { cutToTokens, sharedTokens, sizeOf } from "./room.ts";
import request from "./summary.md" with { type: "text" };
import type { SummaryCut } from "./summary-cut.ts";
import { textBlock } from "./summary-parts.ts";
import { type MakeQuestion, summariseInPieces } from "./summary-pieces.ts";

/** The share of the window that is the limit for a summary. */
const SUMMARY_SHARE = 0.06;
const MIN_SUMMARY_TOKENS = 400;
const MAX_SUMMARY_TOKENS = 8_000;
const WORDS_PER_TOKEN = 0.6;
/** A summary is cut if it is longer than the requested length by this factor. */
const MOST_OF_REQUESTED = 2;
/** A thinking model needs this many additional tokens. */
const THINKING_TOKENS = 6_000;
/** Refusals of the conversation's messages that do not concern its text in pieces. */
const HELPED_BY_TEXT: ReadonlySet<ProviderError["kind"]> = new Set(["too_long", "too_many", "image_too_large"]);
const REFUSED = "Not run: a summary is being written. Call no tool, and answer with the summary alone.";

/**
 * Asks for a summary, and asks once more if the answer can't be used. If the conversation does not fit a request, the
 * provider refuses its images, or the second answer can't be used either, the summary is made from the conversation's text in pieces.
 * @throws {Error} no summary can be used.
 * @throws {ProviderError} the model did not answer.
 */
export async function askForSummary(view: CompactionView, cut: SummaryCut, context: StageContext): Promise<string> {
  const tokens = Math.round(
    Math.min(MAX_SUMMARY_TOKENS, Math.max(MIN_SUMMARY_TOKENS, sharedTokens(view) * SUMMARY_SHARE)),
  );
  const maxTokens = tokens * MOST_OF_REQUESTED + THINKING_TOKENS;
  const makeQuestion = (scope: string, kept: string) => questionText(view, { scope, kept, tokens });
  const asking = { view, context, maxTokens };
  // The first answer and its correction may come on top.
  const room = sizeOf(view, [wholeQuestion(view, cut, makeQuestion)]) + 2 * MOST_OF_REQUESTED * tokens;
  const messages = askedMessages(view, cut, room);
  const question = wholeQuestion(view, cut, makeQuestion, messages);
  const read = messages && (await askAboutAll([...messages, question], tokens, asking));
  const text = read && "text" in read ? read.text : await summariseInPieces({ ...asking, cut, tokens, makeQuestion });
  return cutToTokens(text, tokens * MOST_OF_REQUESTED, (part) => view.tokensOf(textBlock(part)));
}

type Asking = { readonly view: CompactionView; readonly context: StageContext; readonly maxTokens: number };

/** @returns undefined if the provider says that the question is too long, or refuses its images. */
async function askAboutAll(
  messages: readonly Message[],
  tokens: number,
  { view, context, maxTokens }: Asking,
): Promise<ReadSummary | undefined> {
  try {
    const first = await context.ask({ messages, maxTokens });
    const read = readSummary(first, false);
    if ("text" in read) return read;
    const isRepeatable = hasContent(first) && sizeOf(view, [first]) <= tokens * MOST_OF_REQUESTED;
    const again = isRepeatable ? [...messages, first, correction(first, read.problem)] : messages;
    return readSummary(await context.ask({ messages: again, maxTokens }), true);
  } catch (error) {
    if (error instanceof ProviderError && HELPED_BY_TEXT.has(error.kind)) return undefined;
    throw error;
  }
}

/** @param asked The messages before the question; without them, the newest messages count as not shown. */
function wholeQuestion(
  { messages }: CompactionView,
  cut: SummaryCut,
  question: MakeQuestion,
  asked: readonly Message[] = [],
): UserMessage {
  const { from, to } = cut;
  const scope = from > 0 ? `the messages from this user message on: ${quoted(messages[from])}` : "the messages so far";
  const kept = from > 0 ? "and the messages before them" : keptNewest(messages.length - to, asked.length > to);
  return { role: "user", id: "summary-request", content: [textBlock(question(scope, kept))] };
}

function keptNewest(count: number, isShown: boolean): string {
  if (count === 0) return "and nothing else";
  if (!isShown)
    return "and the newest messages, which are not shown here: they may have done more of the work than you see";
  return count === 1
    ? "and the last message above, which the summary need not repeat"
    : `and the last ${count} messages above, which the summary need not repeat`;
}

function questionText(
  { instructions }: CompactionView,
  { scope, kept, tokens }: { readonly scope: string; readonly kept: string; readonly tokens: number },
): string {
  const values: Readonly<Record<string, string>> = {
    scope,
    kept,
    words: String(Math.round(tokens * WORDS_PER_TOKEN)),
  };
  // The scope quotes a message, which may hold anything that looks like a placeholder or a replacement pattern.
  const text = request.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  return instructions === undefined ? text : `${text}\nThe user adds, about the summary: ${instructions}`;
}

/** An answer without text and calls can't be sent back. */
function hasContent(answer: AssistantMessage): boolean {
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

function quoted(message: Message | undefined): string {
  return JSON.stringify(
    textOf(message?.content ?? [])
      .slice(-200)
      .toWellFormed(),
  );
}
