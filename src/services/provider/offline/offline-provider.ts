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
import { type FinalAnswer, misfitText, missingToolAnswer, noModelText, reportPlan, STRANGE_TURN } from "./answer.ts";
import { answerOf } from "./calls.ts";
import { parseRequest, type Request } from "./parse-request.ts";
import { type Exchange, type Move, missingTool, nextMove } from "./plan.ts";
import type { PlannedStep } from "./step.ts";

/** The engine's name as a provider and as a model. */
export const OFFLINE = "offline";

/** Approximate length of a text delta; a line is not split. */
const DELTA_CHARS = 500;
const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);
/** Ids may contain letters, digits, `_` and `-`, at most 64 characters. */
const MAX_ID_CHARS = 48;

type OfflineOptions = {
  /** True if the engine is only the fallback: a request outside its grammar is then an error, never a quiet answer. */
  readonly fallback: boolean;
};

/**
 * The engine that answers without a model: it parses the newest request with a small grammar (docs/guide/offline.md), and plays
 * its plan over the tool results that follow. The offline engine stores nothing between two requests.
 */
export function offlineProvider({ fallback }: OfflineOptions): Provider {
  return {
    name: OFFLINE,
    async *stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
      signal.throwIfAborted();
      for (const event of eventsOf(reply(request, fallback))) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

type Reply = { readonly content: readonly AssistantBlock[]; readonly stopReason: StopReason };

function reply({ messages, tools }: ProviderRequest, fallback: boolean): Reply {
  const at = messages.findLastIndex(isRequest);
  const message = messages[at];
  const prompt = message?.role === "user" ? promptOf(message) : "";
  const request = parseRequest(prompt);
  if (request.kind === "misfit") return misfitReply(request, prompt, fallback);
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

/** @throws {ProviderError} the engine is only the fallback. */
function misfitReply(request: Extract<Request, { kind: "misfit" }>, prompt: string, fallback: boolean): Reply {
  if (fallback) throw new ProviderError(noModelText(request), undefined);
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
