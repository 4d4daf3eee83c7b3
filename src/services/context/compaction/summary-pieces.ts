import type { CompactionView, StageContext } from "../../../contracts/compactor.ts";
import { ProviderError, UserFacingError } from "../../../contracts/errors.ts";
import type { Message, UserMessage } from "../../../contracts/message.ts";
import { askableTokens } from "./asked-messages.ts";
import { bothEnds, type TranscriptLimits, transcript } from "./history-text.ts";
import { readSummary } from "./read-summary.ts";
import { cutToTokens } from "./room.ts";
import type { SummaryCut } from "./summary-cut.ts";
import { textBlock } from "./summary-parts.ts";
import system from "./summary-piece.md" with { type: "text" };

/** More pieces are not worth their price: long texts are shortened instead. */
const MAX_PIECES = 8;
/** The share of a request that the answer and its thinking may take. */
const ANSWER_SHARE = 0.25;
const MIN_PIECE_TOKENS = 300;
/** After the provider refused a piece as too long, pieces of half its size are tried; this many times. */
const MAX_HALVINGS = 2;
/** The sizes to which parts are cut, in characters: the first row that needs few enough pieces counts. */
const LIMITS: readonly TranscriptLimits[] = [
  { text: 40_000, call: 1_500, result: 1_500 },
  { text: 4_000, call: 400, result: 400 },
  { text: 1_000, call: 150, result: 150 },
  { text: 300, call: 80, result: 80 },
];

/** Makes the text of a request for a summary. `scope`: the messages that it replaces; `kept`: those that stay. */
export type MakeQuestion = (scope: string, kept: string) => string;

type Asking = {
  readonly view: CompactionView;
  readonly context: StageContext;
  readonly cut: SummaryCut;
  /** The requested length of the summary. */
  readonly tokens: number;
  readonly maxTokens: number;
  readonly makeQuestion: MakeQuestion;
};

/**
 * Summarises the conversation's text piece by piece: each request contains the summary so far and the next piece. The
 * requests contain no tools and not the session's prompt, so that they fit into the smallest window.
 * @throws {UserFacingError} a summary can't be used.
 * @throws {ProviderError} the model did not answer.
 */
export async function summariseInPieces(asking: Asking): Promise<string> {
  let share = 1;
  for (let halvings = 0; ; halvings += 1) {
    try {
      return await summariseBy(share, asking);
    } catch (error) {
      const isTooLong = error instanceof ProviderError && error.kind === "too_long";
      if (!isTooLong || halvings >= MAX_HALVINGS) throw error;
      share /= 2;
    }
  }
}

async function summariseBy(share: number, asking: Asking): Promise<string> {
  const { view, context, cut, tokens, makeQuestion } = asking;
  const measure = (text: string) => view.tokensOf(textBlock(text));
  const whole = askableTokens(view) * share;
  const maxTokens = Math.round(Math.min(asking.maxTokens, Math.max(tokens, whole * ANSWER_SHARE)));
  const beside = measure(system) + measure(makeQuestion("", "")) + 2 * tokens + maxTokens;
  const budget = whole - beside;
  if (budget < MIN_PIECE_TOKENS) throw new UserFacingError("The window is too small for a summary.");
  const pieces = piecesOf(view.messages.slice(cut.from, cut.to), budget, measure);
  let summary = "";
  for (const [at, piece] of pieces.entries()) {
    const question = makeQuestion(scopeOf(at, pieces.length), "and the newest messages, which are not shown here");
    const answer = await context.ask({ system, messages: [pieceMessage(piece, summary, question)], maxTokens });
    const read = readSummary(answer, true);
    if (!("text" in read)) throw new UserFacingError(`The model's summary can't be used: ${read.problem}.`);
    summary = cutToTokens(read.text, 2 * tokens, measure);
  }
  return summary;
}

function scopeOf(at: number, count: number): string {
  if (count === 1) return "the conversation above";
  const before = at === 0 ? "" : " and of everything in the summary above";
  return `part ${at + 1} of ${count} of the conversation, which is above${before}`;
}

function pieceMessage(piece: string, summary: string, question: string): UserMessage {
  const before = summary === "" ? "" : `The summary of the parts before:\n${summary}\n\n`;
  const text = `${before}<conversation>\n${piece}\n</conversation>\n\n${question}`;
  return { role: "user", id: "summary-piece", content: [textBlock(text)] };
}

/** The text of the messages in pieces of at most `budget` tokens, oldest first. */
function piecesOf(messages: readonly Message[], budget: number, measure: (text: string) => number): readonly string[] {
  let pieces: readonly string[] = [];
  for (const limits of LIMITS) {
    pieces = packed(transcript(messages, limits), budget, measure);
    if (pieces.length <= MAX_PIECES) break;
  }
  return pieces.slice(-MAX_PIECES);
}

function packed(parts: readonly string[], budget: number, measure: (text: string) => number): readonly string[] {
  const pieces: string[][] = [];
  let left = 0;
  for (const part of parts) {
    const tokens = measure(part);
    const text = tokens <= budget ? part : bothEnds(part, (part.length * budget * FITTING) / tokens);
    const size = Math.min(tokens, budget);
    if (size > left || pieces.length === 0) {
      pieces.push([]);
      left = budget;
    }
    pieces.at(-1)?.push(text);
    left -= size;
  }
  return pieces.map((texts) => texts.join("\n\n"));
}

/** A cut text may have more tokens a character than the whole. */
const FITTING = 0.8;
