import { ProviderError } from "../../../contracts/errors.ts";
import {
  type AssistantBlock,
  type AssistantMessage,
  type Message,
  NO_USAGE,
  type StopReason,
  toolUses,
  type UserMessage,
} from "../../../contracts/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { answerOf } from "./calls.ts";
import { clip } from "./form.ts";
import { nearestForms } from "./grammar.ts";
import { ADD_A_MODEL } from "./help.ts";
import { parseRequest, type Request } from "./parse-request.ts";
import { type EndedStep, type Exchange, type Move, missingTool, needsTool, nextMove } from "./plan.ts";
import type { PlannedStep } from "./step.ts";

/** The engine's name as a provider and as a model. */
export const OFFLINE = "offline";

/** Approximate length of a text delta; a line is not split. */
const DELTA_CHARS = 500;
const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);
/** Ids may contain letters, digits, `_` and `-`, at most 64 characters. */
const MAX_ID_CHARS = 48;

type OfflineOptions = {
  /** True if a request outside of the grammar is an error: nobody chose the engine, and nobody reads what it says of itself. */
  readonly fails: boolean;
};

/**
 * The engine that answers without a model: it parses the newest request with a small grammar (docs/guide/offline.md), and plays
 * its plan over the tool results that follow. The offline engine stores nothing between two requests.
 */
export function offlineProvider({ fails }: OfflineOptions): Provider {
  return {
    name: OFFLINE,
    async *stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
      signal.throwIfAborted();
      for (const event of eventsOf(reply(request, fails))) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

type Reply = { readonly content: readonly AssistantBlock[]; readonly stopReason: StopReason };

function reply({ messages, tools }: ProviderRequest, fails: boolean): Reply {
  const at = messages.findLastIndex(isRequest);
  const message = messages[at];
  const prompt = message?.role === "user" ? promptOf(message) : "";
  const request = parseRequest(prompt);
  if (request.kind === "misfit") return misfitReply(request, prompt, fails);
  const { steps } = request;
  const plan = {
    steps,
    offered: new Set(tools.map(({ name }) => name)),
    idPrefix: `offline-${(message?.id ?? "").replace(/[^\w-]/g, "").slice(-MAX_ID_CHARS)}`,
    knowsFiles: messages.slice(0, at).some(usesFiles),
  };
  const missing = missingTool(plan);
  if (missing) return finished(missingToolAnswer(steps, missing.index, missing.tool));
  return replyTo(nextMove(plan, exchangesOf(messages.slice(at + 1))), steps);
}

function replyTo(move: Move, steps: readonly PlannedStep[]): Reply {
  switch (move.kind) {
    case "calls": {
      const note: AssistantBlock[] = move.note === undefined ? [] : [{ type: "text", text: move.note }];
      return { content: [...note, ...move.uses], stopReason: "tool_use" };
    }
    case "end":
      return finished(reportPlan(steps, move.ended));
    case "strange":
      return finished({ text: STRANGE_TURN, isDone: false });
  }
}

function finished({ text, isDone }: FinalAnswer): Reply {
  return { content: [{ type: "text", text }], stopReason: isDone ? "end_turn" : "unfinished" };
}

/** @throws {ProviderError} such a request fails. */
function misfitReply(request: Extract<Request, { kind: "misfit" }>, prompt: string, fails: boolean): Reply {
  if (fails) throw new ProviderError(noModelText(request), undefined);
  return { content: [{ type: "text", text: misfitText(request, prompt) }], stopReason: "end_turn" };
}

/** A message that contains a request of a person; a message of tool results does not. */
function isRequest(message: Message): boolean {
  return message.role === "user" && !message.content.some(({ type }) => type === "tool_result");
}

/** The person's input: the last text. Earlier texts (piped input, the environment) are data. */
function promptOf({ content }: UserMessage): string {
  const last = content.findLast((block) => block.type === "text");
  return last?.text ?? "";
}

function usesFiles(message: Message): boolean {
  return message.role === "assistant" && toolUses(message).some(({ name }) => FILE_TOOLS.has(name));
}

function exchangesOf(messages: readonly Message[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || toolUses(message).length === 0) continue;
    exchanges.push({ uses: toolUses(message), answers: answersIn(messages[index + 1]) });
  }
  return exchanges;
}

function answersIn(message: Message | undefined): Exchange["answers"] {
  const blocks = message?.role === "user" ? message.content : [];
  return new Map(
    blocks.flatMap((block) => (block.type === "tool_result" ? [[block.toolUseId, answerOf(block)] as const] : [])),
  );
}

function* eventsOf({ content, stopReason }: Reply): Generator<ProviderEvent> {
  for (const block of content) {
    if (block.type === "text") for (const text of deltas(block.text)) yield { type: "text_delta", text };
    if (block.type === "tool_use") {
      const json = JSON.stringify(block.input);
      yield { type: "tool_input_delta", toolUseId: block.id, toolName: block.name, json };
    }
    yield { type: "block_done", block };
  }
  const message: Omit<AssistantMessage, "id"> = {
    role: "assistant",
    provider: OFFLINE,
    model: OFFLINE,
    content,
    stopReason,
    usage: NO_USAGE,
  };
  yield { type: "done", message };
}

/** Splits a text after line ends, and a very long line between characters. */
function* deltas(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.lastIndexOf("\n", at + DELTA_CHARS);
    let end = at + DELTA_CHARS >= text.length ? text.length : lineEnd > at ? lineEnd + 1 : at + DELTA_CHARS;
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}

type FinalAnswer = { readonly text: string; readonly isDone: boolean };

type MisfitRequest = Extract<Request, { kind: "misfit" }>;

/** The report on a plan: the result of each step, the reason of a failed step, and the steps not done. */
function reportPlan(steps: readonly PlannedStep[], ended: readonly EndedStep[]): FinalAnswer {
  const isDone = ended.length === steps.length && ended.every(({ end }) => end.ok);
  const sections = ended.map((step, index) => section(step, index, steps.length));
  if (!isDone) sections.push(...notDone(steps, ended.length));
  return { text: sections.join("\n\n"), isDone };
}

function section({ words, end }: EndedStep, index: number, total: number): string {
  const heading = total > 1 ? `${index + 1}. ${words}\n` : "";
  if (end.ok) return heading + (end.text.trimEnd() || "(nothing)");
  const where = total > 1 ? `Stopped at step ${index + 1} of ${total}, "${words}"` : `Not done: "${words}"`;
  const details = end.text.trimEnd();
  const stop = /[.?!]$/.test(end.problem) ? "" : ".";
  return `${where}: ${end.problem}${stop}${details === "" ? "" : `\n${details}`}`;
}

function notDone(steps: readonly PlannedStep[], reached: number): readonly string[] {
  const left = steps.slice(reached);
  if (left.length === 0) return [];
  return [`Not done:\n${left.map(({ words }, index) => `${reached + index + 1}. ${words}`).join("\n")}`];
}

/** The answer to a plan with a step that is impossible in this session. Nothing was run. */
function missingToolAnswer(steps: readonly PlannedStep[], index: number, tool: string): FinalAnswer {
  const step = `"${steps[index]?.words ?? ""}"`;
  const which = steps.length > 1 ? `step ${index + 1} of ${steps.length}, ${step}` : step;
  return { text: `Not done: ${which}: ${needsTool(tool)}. Nothing was run.`, isDone: false };
}

/** The answer to a request that matches no form. Nothing was run. */
function misfitText(request: MisfitRequest, prompt: string): string {
  const { number, words, problem } = request;
  const isPart = number > 1 || clip(prompt, words.length + 1) !== words;
  const which = words === "" ? "The request" : isPart ? `Step ${number}, "${words}",` : `"${words}"`;
  const what =
    problem === undefined
      ? `${which} matches none of the forms that the engine understands.`
      : `${which}${words === "" ? "" : " was not understood"}: ${problem}.`;
  const nearest = nearestForms(words).map(
    ({ form, example }) => `- ${example}${form.usage === example ? "" : `\n  (${form.usage})`}`,
  );
  return [
    "This is Quoll's offline engine, not a language model.",
    `${what} Nothing was run.`,
    "",
    "The most similar forms:",
    ...nearest,
    "",
    `"what can you do" shows all forms. For other requests, add a model: ${ADD_A_MODEL}.`,
  ].join("\n");
}

/** The same text as one line, for a failure. */
function noModelText({ words, number, problem }: MisfitRequest): string {
  const which = words === "" ? "this request" : `"${clip(words, 60)}"`;
  const why = problem === undefined ? `${which} matches none of them` : `${which}: ${problem}`;
  const step = number > 1 ? `step ${number}, ` : "";
  return `no model configured: ${ADD_A_MODEL}. The offline engine knows only the forms of "what can you do" (${step}${why}).`;
}

/** For a turn that a model began. */
const STRANGE_TURN =
  "A model began this turn, and the offline engine cannot continue its work. Ask again for the remaining work.";
