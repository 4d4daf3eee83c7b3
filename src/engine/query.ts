import { errorMessage, ProviderError } from "../contracts/errors.ts";
import type { ContinueReason, EngineEvent, Outcome } from "../contracts/event.ts";
import {
  type AssistantBlock,
  type AssistantMessage,
  type Message,
  NO_USAGE,
  textOf,
  toolUses,
  type UserMessage,
} from "../contracts/message.ts";
import type { Ids, ModelCatalog } from "../contracts/ports.ts";
import type { Provider, ProviderRequest } from "../contracts/provider.ts";
import { Channel } from "./channel.ts";
import { type RunToolsDeps, ToolRun } from "./run-tools.ts";
import { estimateInputTokens, outputTokensFor } from "./token-estimate.ts";

/** Times in a row that a model may pause its turn before we stop going on. */
const MAX_PAUSES = 5;

export type QueryDeps = RunToolsDeps & {
  readonly provider: Provider;
  readonly catalog: ModelCatalog;
  readonly ids: Ids;
};

export type QueryRequest = {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  /** Model requests at most; undefined is no limit. */
  readonly maxSteps: number | undefined;
};

export type QueryResult = {
  readonly outcome: Outcome;
  readonly messages: readonly Message[];
  readonly steps: number;
  readonly apiMs: number;
};

type Emit = (event: EngineEvent) => void;
type Step =
  | {
      readonly kind: "answered";
      readonly reply: AssistantMessage;
      readonly results: UserMessage | undefined;
      readonly apiMs: number;
    }
  | { readonly kind: "aborted"; readonly reply: AssistantMessage | undefined; readonly apiMs: number };

/**
 * Talks with the model until it asks for no more tools.
 *
 * Invariant: each `tool_use` is answered by one `tool_result` in the next message, whether it ran, failed, was refused
 * or was cancelled. The provider rejects a history that breaks this.
 */
export async function* query(
  request: QueryRequest,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, QueryResult> {
  let messages = request.messages;
  let steps = 0;
  let pauses = 0;
  let apiMs = 0;
  const end = (outcome: Outcome): QueryResult => ({ outcome, messages, steps, apiMs });

  for (;;) {
    if (signal.aborted) return end({ reason: "aborted" });
    if (request.maxSteps !== undefined && steps >= request.maxSteps) return end({ reason: "step_limit", steps });
    steps += 1;
    let step: Step;
    try {
      step = yield* takeStep({ ...request, messages }, steps, deps, signal);
    } catch (error) {
      if (signal.aborted) return end({ reason: "aborted" });
      return end(failure(error));
    }
    apiMs += step.apiMs;
    if (step.reply) messages = [...messages, step.reply];
    if (step.kind === "aborted") return end({ reason: "aborted" });
    if (step.results) messages = [...messages, step.results];
    if (signal.aborted) return end({ reason: "aborted" });

    const next = continueReason(step.reply);
    if (!next) return end(outcomeOf(step.reply));
    pauses = next === "pause_turn" ? pauses + 1 : 0;
    if (pauses > MAX_PAUSES) return end({ reason: "stopped_short", message: "The model paused again and again." });
    yield { type: "continued", reason: next };
  }
}

/** One model request and the calls it asks for, told as one stream. */
async function* takeStep(
  request: QueryRequest,
  step: number,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, Step> {
  const channel = new Channel<EngineEvent>();
  const abort = new AbortController();
  const emit: Emit = (event) => channel.push(event);
  const work = answerAndRun(request, step, deps, emit, AbortSignal.any([signal, abort.signal]));
  work.then(
    () => channel.close(),
    (error: unknown) => channel.fail(error),
  );
  try {
    yield* channel;
    return await work;
  } finally {
    // Reached early only when the reader gave up (`.return()`): nothing may go on behind its back.
    abort.abort(new Error("The reader of this turn has gone."));
  }
}

async function answerAndRun(
  request: QueryRequest,
  step: number,
  deps: QueryDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<Step> {
  const startedAt = deps.clock.monotonicMs();
  const answer = await receive(request, step, deps, emit, signal);
  const apiMs = Math.round(deps.clock.monotonicMs() - startedAt);
  const { reply, run } = answer;
  if (reply) {
    deps.log.append({ kind: "assistant", message: reply });
    emit({ type: "assistant_message", message: reply });
    const windowTokens = deps.catalog.capabilities(request.model).contextWindow;
    emit({ type: "context_changed", usedTokens: estimateInputTokens([reply], 0), windowTokens });
  }
  if (!reply || !run) return { kind: "aborted", reply, apiMs };
  if (toolUses(reply).length === 0) return { kind: "answered", reply, results: undefined, apiMs };

  const content = await run.finish();
  const results: UserMessage = { role: "user", id: deps.ids.next(), content };
  deps.log.append({ kind: "results", message: results });
  emit({ type: "tool_results", message: results });
  return { kind: "answered", reply, results, apiMs };
}

/**
 * Receives one answer, starting its safe calls while it streams. `run` is missing when the user broke it off; what had
 * been said by then is kept as text, so that the history shows what the person saw.
 */
async function receive(
  request: QueryRequest,
  step: number,
  deps: QueryDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<{ reply: AssistantMessage | undefined; run: ToolRun | undefined }> {
  emit({ type: "request_started", step, model: request.model });
  let run = new ToolRun(deps, emit, signal);
  let said: string[] = [];
  let offered = new Set<string>();
  try {
    for await (const event of deps.provider.stream(providerRequest(request, deps), signal)) {
      if (event.type === "done") {
        for (const use of toolUses({ ...event.message, id: "" })) if (!offered.has(use.id)) run.offer(use);
        return { reply: { ...event.message, id: deps.ids.next() }, run };
      }
      if (event.type === "block_done") {
        if (event.block.type === "tool_use") {
          offered.add(event.block.id);
          run.offer(event.block);
        }
        continue;
      }
      if (event.type === "restarted") {
        await run.discard();
        run = new ToolRun(deps, emit, signal);
        said = [];
        offered = new Set();
      }
      if (event.type === "text_delta") said.push(event.text);
      emit(event);
    }
  } catch (error) {
    await run.discard();
    if (!signal.aborted) throw error;
    return { reply: brokenOff(said.join(""), request.model, deps), run: undefined };
  }
  await run.discard();
  throw new Error("The provider's stream ended without a `done` event.");
}

function brokenOff(text: string, model: string, deps: QueryDeps): AssistantMessage | undefined {
  if (text.trim() === "") return undefined;
  const content: readonly AssistantBlock[] = [{ type: "text", text }];
  return { role: "assistant", id: deps.ids.next(), model, content, stopReason: "other", usage: NO_USAGE };
}

function providerRequest(request: QueryRequest, deps: QueryDeps): ProviderRequest {
  const { model, system, messages } = request;
  const tools = deps.tools.declarations;
  const staticChars = system.length + tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  const maxTokens = outputTokensFor(estimateInputTokens(messages, staticChars), deps.catalog.capabilities(model));
  if (maxTokens < 1) {
    throw new ProviderError(
      `The conversation no longer fits the window of ${model}: start anew with /clear.`,
      undefined,
    );
  }
  return { model, system, messages, tools, maxTokens };
}

function continueReason(reply: AssistantMessage): ContinueReason | undefined {
  if (toolUses(reply).length > 0) return "tool_results";
  return reply.stopReason === "pause_turn" && reply.content.length > 0 ? "pause_turn" : undefined;
}

function outcomeOf(reply: AssistantMessage): Outcome {
  switch (reply.stopReason) {
    case "refusal":
      return { reason: "stopped_short", message: "The model declined to answer. Put the request another way." };
    case "max_tokens":
      return { reason: "stopped_short", message: "The answer was cut off at its greatest length. Ask for the rest." };
    case "context_exceeded":
      return { reason: "stopped_short", message: "The model's window is full: start anew with /clear." };
    case "unfinished":
      return { reason: "stopped_short", message: textOf(reply.content) };
    default:
      return { reason: "completed" };
  }
}

function failure(error: unknown): Outcome {
  const message = errorMessage(error);
  const status = error instanceof ProviderError ? error.status : undefined;
  return status === undefined ? { reason: "failed", message } : { reason: "failed", message, status };
}
