import { orAborted } from "@quoll/async/or-aborted";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { afterSleep } from "../../contracts/after-sleep.ts";
import { errorMessage, SpendLimitError } from "../../contracts/errors.ts";
import { type AssistantMessage, addUsage, textOf, type Usage } from "../../contracts/message.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import type { CallJudge, JudgeAnswer, JudgeRequest } from "../../contracts/permission.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { SpendGuard } from "../../contracts/spend.ts";
import { randomHex } from "../../platform/digest.ts";
import system from "./judge.md" with { type: "text" };
import quickQuestion from "./quick-question.md" with { type: "text" };
import reasonedQuestion from "./reasoned-question.md" with { type: "text" };

/** Time limit for both requests together. */
export const JUDGE_TIMEOUT_MS = 15_000;
/** Enough for one word; a longer reply is not a valid answer. */
const QUICK_MAX_TOKENS = 16;
const REASONED_MAX_TOKENS = 600;
const MAX_ERROR_CHARS = 200;
const MAX_CAP_CHARS = 400;
/** Worst-case characters per token: JSON and non-English text take more tokens than prose. */
const CHARS_PER_TOKEN = 2;

export type JudgingModel = { readonly provider: Provider; readonly model: string };

export type JudgeDeps = {
  /** The model that currently judges; undefined if there is none, for example offline. */
  provider(): Promise<JudgingModel | undefined>;
  /**
   * Enforces the spending caps: the worst-case cost of each request is reserved before it is sent. If a cap is reached,
   * the person is not asked to raise it.
   */
  readonly spend: Pick<SpendGuard, "reserve">;
  readonly clock: Clock;
  readonly timeoutMs?: number;
};

type Look = {
  readonly question: string;
  readonly maxTokens: number;
  read(answer: Pick<AssistantMessage, "content" | "stopReason">): Verdict;
};

const QUICK: Look = { question: quickQuestion.trim(), maxTokens: QUICK_MAX_TOKENS, read: readQuickVerdict };
const REASONED: Look = { question: reasonedQuestion.trim(), maxTokens: REASONED_MAX_TOKENS, read: readReasonedVerdict };

/**
 * The judge of mode `auto`: a quick request to a model, and a second one with reasons when the first says no. The judge
 * sees the person's messages, the rules and the call as data, and no tool results. Any failure (an unreadable answer, a
 * timeout, an error, no model) counts as "unsure", so that a person is asked.
 */
export function createJudge({ provider, spend, clock, timeoutMs = JUDGE_TIMEOUT_MS }: JudgeDeps): CallJudge {
  return {
    async judge(request, signal) {
      try {
        return await withDeadline({ clock, timeoutMs }, signal, async (ended) =>
          judge(request, { judging: await provider(), spend }, ended),
        );
      } catch (error) {
        return unsure(failure(error, signal, timeoutMs));
      }
    },
  };
}

type Judgement = Pick<JudgeDeps, "spend"> & {
  readonly judging: JudgingModel | undefined;
};

type Asked = Judgement & { readonly judging: JudgingModel; readonly agent: JudgeRequest["agent"] };

async function judge(request: JudgeRequest, judgement: Judgement, signal: AbortSignal): Promise<JudgeAnswer> {
  const { judging } = judgement;
  if (!judging || judging.provider.name === "offline") return unsure("no model is available");
  const question = judgeQuestion(request);
  if ("problem" in question) return unsure(question.problem);
  const asked = { ...judgement, judging, agent: request.agent };
  const quick = await look(QUICK, question.data, asked, signal);
  const verdict = quick.verdict === "no" ? await look(REASONED, question.data, asked, signal) : quick;
  return verdict.verdict === "unreadable" ? unsure(verdict.problem) : verdict;
}

async function look(
  { question, maxTokens, read }: Look,
  data: string,
  { judging: { provider, model }, spend, agent }: Asked,
  signal: AbortSignal,
): Promise<Verdict> {
  const content = [{ type: "text", text: `${data}\n\n${question}` }] as const;
  const messages = [{ role: "user", id: "judge", content }] as const;
  const inputTokens = Math.ceil((system.length + content[0].text.length) / CHARS_PER_TOKEN);
  const plan = { source: "judge", model, provider: provider.name, inputTokens, maxOutputTokens: maxTokens } as const;
  const held = await spend.reserve({ ...plan, mayAsk: false, ...(agent && { agent }) }, signal);
  let used: Usage | undefined;
  let answeredBy: string | undefined;
  const spent = (usage: Usage) => {
    used = used ? addUsage(used, usage) : usage;
  };
  const request = { model, system: system.trim(), messages, tools: [], maxTokens, spent };
  try {
    for await (const event of provider.stream(request, signal)) {
      if (event.type !== "done") continue;
      answeredBy = event.message.model;
      return read(event.message);
    }
  } finally {
    await held.settle(used, answeredBy);
  }
  return { verdict: "unreadable", problem: "it gave no answer" };
}

function unsure(reason: string): JudgeAnswer {
  return { verdict: "unsure", reason };
}

function failure(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return "the turn was interrupted";
  if (error instanceof DeadlinePassedError) return `it took longer than ${timeoutMs / 1_000} s`;
  const message = plainText(errorMessage(error)).replace(/\s+/g, " ").trim();
  if (error instanceof SpendLimitError) return `no request was sent: ${message.slice(0, MAX_CAP_CHARS)}`;
  return `it failed: ${message.slice(0, MAX_ERROR_CHARS)}`;
}

class DeadlinePassedError extends Error {
  override name = "DeadlinePassedError";
}

/**
 * Runs work with a deadline. The work's signal aborts at the deadline and when `signal` aborts; the promise then
 * rejects at once, even if the work continues. The timer is removed when it settles.
 * @throws {DeadlinePassedError} the deadline passed; the abort reason; any error of the work.
 */
async function withDeadline<Result>(
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const deadline = new AbortController();
  const timer = new AbortController();
  const ended = AbortSignal.any([signal, deadline.signal]);
  afterSleep(clock.sleep(timeoutMs, timer.signal), () =>
    deadline.abort(new DeadlinePassedError(`It took longer than ${timeoutMs} ms.`)),
  );
  try {
    return await orAborted(work(ended), ended);
  } finally {
    timer.abort();
  }
}

const MAX_REASON_COLUMNS = 300;
const NO_REASON = "it goes beyond what was asked for";

type Verdict =
  | { readonly verdict: "yes" }
  | { readonly verdict: "no"; readonly reason: string }
  | { readonly verdict: "unreadable"; readonly problem: string };

type Answer = Pick<AssistantMessage, "content" | "stopReason">;

/** Reads the quick answer: exactly one word. Any other text is not an answer. */
function readQuickVerdict(answer: Answer): Verdict {
  const text = wholeText(answer);
  if (typeof text !== "string") return text;
  const word = /^["'*`]*(yes|no)[.!]?["'*`]*[.!]?$/i.exec(text.trim())?.[1]?.toLowerCase();
  if (word === undefined) return unreadable("its answer was neither yes nor no");
  return word === "yes" ? { verdict: "yes" } : { verdict: "no", reason: NO_REASON };
}

/** Reads the second answer: the last line, which must be the only verdict line. */
function readReasonedVerdict(answer: Answer): Verdict {
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

/** Longer calls are decided by a person, because a judge must not allow a call that it can't see in full. */
const MAX_CALL_CHARS = 8_000;
/** Limit for all of the person's messages; beyond it, an instruction that forbids something could be cut. */
const MAX_USER_CHARS = 32_000;
/** The limit for one message: a longer message contains pasted text and is shown by its beginning and end. */
const MAX_PROMPT_CHARS = 4_000;
/** Rules show the person's preferences; deny and ask rules have already been applied. */
const MAX_RULES_CHARS = 8_000;
const BOUNDARY_BYTES = 12;

/** Invisible characters and space lookalikes, which are escaped for the judge. */
const UNSEEN = /[^\P{C}\n]|[^\P{Z} ]/gu;

type JudgeQuestion =
  /** The part before the question, which is the same in both requests. */
  | { readonly data: string }
  /** The reason why a judge must not be asked. */
  | { readonly problem: string };

/** Formats a call and its context for the judge: one JSON object between two lines with a random code. */
export function judgeQuestion(request: JudgeRequest): JudgeQuestion {
  const { toolName, input, touches, userWords, rules } = request;
  if (input.length + touches.join("").length > MAX_CALL_CHARS) return { problem: "the call is too long for the judge" };
  const user = userWords.map(clipped);
  if (user.length === 0) return { problem: "there is no message of yours to compare it with" };
  if (user.join("").length > MAX_USER_CHARS) return { problem: "your messages are too long for the judge" };
  const object = { tool: toolName, input: parsedOrText(input), touches, user, rules: firstOf(rules) };
  const json = JSON.stringify(object, null, 1).replace(UNSEEN, escaped);
  const boundary = `data ${randomHex(BOUNDARY_BYTES)}`;
  return { data: `--- begin ${boundary} ---\n${json}\n--- end ${boundary} ---` };
}

/** Parsed JSON is easier to read than a string; it is used only if no information is lost (such as a duplicate key). */
function parsedOrText(input: string): unknown {
  const value = parsedJson(input);
  return JSON.stringify(value) === input ? value : input;
}

function clipped(prompt: string): string {
  const half = MAX_PROMPT_CHARS / 2;
  const left = prompt.length - MAX_PROMPT_CHARS;
  if (left <= 0) return prompt;
  return `${prompt.slice(0, half)} [… ${left} characters of this prompt are not shown …] ${prompt.slice(-half)}`;
}

function firstOf(rules: readonly string[]): readonly string[] {
  let chars = 0;
  const end = rules.findIndex((rule) => {
    chars += rule.length;
    return chars > MAX_RULES_CHARS;
  });
  return end < 0 ? rules : [...rules.slice(0, end), `… and ${rules.length - end} more`];
}

/** As JSON escapes: `\u200b`; a character outside the basic plane as its two halves. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
