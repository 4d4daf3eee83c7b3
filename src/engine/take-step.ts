import type { AgentSource } from "../contracts/agent.ts";
import { ProviderError } from "../contracts/errors.ts";
import type { CacheMiss, EngineEvent } from "../contracts/event.ts";
import {
  type AssistantBlock,
  type AssistantMessage,
  addUsage,
  type Message,
  NO_USAGE,
  toolUses,
  type Usage,
  type UserMessage,
} from "../contracts/message.ts";
import type { Ids, Redactor } from "../contracts/ports.ts";
import type { Effort, ProviderRequest } from "../contracts/provider.ts";
import type { SpendGuard } from "../contracts/spend.ts";
import type { JsonSchema } from "../contracts/tool.ts";
import { type CacheWatch, missCost } from "./cache-watch.ts";
import { holdsText, showAnswer } from "./display-hooks.ts";
import type { ChosenModel } from "./model-fallback.ts";
import { inputSize, limitsOf, requestSize, type SizeDeps, type SizedRequest } from "./request-size.ts";
import { type Emit, streamEvents } from "./stream-events.ts";
import { ToolRun, type ToolRunDeps } from "./tool-run.ts";

/**
 * If a cap leaves no room for an answer of the usual length, a shorter limit of at least this many tokens is requested.
 */
const MIN_OUTPUT_TOKENS = 4_096;

export type StepDeps = ToolRunDeps &
  SizeDeps & {
    readonly agent: AgentSource;
    readonly ids: Ids;
    readonly spend: SpendGuard;
    readonly cacheWatch: CacheWatch;
    /** Called before each request, when its tools and notes are not fixed yet. */
    readonly beforeRequest?: ((messages: readonly Message[]) => Promise<void>) | undefined;
  };

/** The parts of one request in addition to the conversation. */
export type StepRequest = ChosenModel &
  SizedRequest & {
    readonly step: number;
    readonly effort: Effort | undefined;
    readonly outputSchema: JsonSchema | undefined;
    /** The number of overloads in a row after which the request fails, if another model can take over. */
    readonly maxOverloads: number | undefined;
    /** True if a truncated answer is dropped and requested again. */
    dropsTruncated(reply: AssistantMessage): boolean;
    /** Receives the time spent waiting for the provider, even when the request failed. */
    waited?(ms: number): void;
  };

export type Step =
  | { readonly kind: "answered"; readonly reply: AssistantMessage; readonly results: UserMessage | undefined }
  /** The answer was truncated, or had no room in the window, and was dropped: no part of it is in the history. */
  | { readonly kind: "dropped"; readonly reply: AssistantMessage }
  | { readonly kind: "aborted"; readonly reply: AssistantMessage | undefined };

/**
 * Makes one model request and runs its calls, as one stream of events.
 * @throws {ProviderError} the provider gave up; an event withdraws the part of the answer that was already shown.
 * @throws {SpendLimitError} a cap leaves no room for the request, and nothing was sent.
 */
export function takeStep(request: StepRequest, deps: StepDeps, signal: AbortSignal): AsyncGenerator<EngineEvent, Step> {
  return streamEvents((emit, inner) => answerAndRun(request, deps, emit, inner), signal);
}

async function answerAndRun(request: StepRequest, deps: StepDeps, emit: Emit, signal: AbortSignal): Promise<Step> {
  const { model } = request;
  const { inputTokens, maxTokens } = requestSize(request, deps);
  if (maxTokens < 1) {
    throw new ProviderError(
      `The conversation no longer fits the window of ${model}: start a new conversation with /clear.`,
      undefined,
      { kind: "too_long" },
    );
  }
  const { agentId, parentAgentId, spendSource: source } = deps.agent;
  const agent = { agentId, parentAgentId };
  const plan = { agent, source, model, provider: request.provider.name, inputTokens } as const;
  const atLeast = { maxOutputTokens: maxTokens, minOutputTokens: Math.min(maxTokens, MIN_OUTPUT_TOKENS) };
  const held = await deps.spend.reserve({ ...plan, ...atLeast }, signal);
  const sentAt = deps.clock.monotonicMs();
  let answer: Received | undefined;
  let used: Usage | undefined;
  const spent = (usage: Usage) => {
    used = used ? addUsage(used, usage) : usage;
  };
  const limits = { maxTokens: held.maxOutputTokens ?? maxTokens, spent };
  try {
    answer = await receive(request, limits, deps, emit, signal);
  } finally {
    request.waited?.(deps.clock.monotonicMs() - sentAt);
    await held.settle(used, answer?.reply?.model);
  }
  const { reply, run } = answer;
  if (reply && run && request.dropsTruncated(reply)) {
    await run.discard();
    return { kind: "dropped", reply };
  }
  try {
    return await keep(answer, request, deps, emit, signal);
  } catch (error) {
    // When the log cannot be written, all calls of this answer are ended.
    await run?.discard();
    throw error;
  }
}

/** Adds an answer to the conversation, followed by the results of its calls. */
async function keep(
  { reply, run }: Received,
  { system, model }: StepRequest,
  deps: StepDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<Step> {
  if (reply) {
    deps.conversation.append({ kind: "assistant", message: reply });
    await showAnswer(reply, deps, emit, signal);
    run?.show();
    const miss = deps.cacheWatch.answered(reply.usage);
    if (miss) emit({ type: "cache_missed", ...miss, ...(await priceOf(miss, reply, deps)) });
    const { window: windowTokens, warn: warnTokens } = limitsOf(model, deps);
    emit({ type: "context_changed", usedTokens: inputSize(system, deps), windowTokens, warnTokens });
  }
  if (!reply || !run) return { kind: "aborted", reply };
  if (toolUses(reply).length === 0) return { kind: "answered", reply, results: undefined };

  const content = await run.finish();
  const results: UserMessage = { role: "user", id: deps.ids.next(), content };
  deps.conversation.append({ kind: "results", message: results });
  emit({ type: "tool_results", message: results });
  return { kind: "answered", reply, results };
}

async function priceOf(
  miss: CacheMiss,
  reply: AssistantMessage,
  { catalog }: StepDeps,
): Promise<Pick<CacheMiss, "costUsd">> {
  const costUsd = await missCost(miss, reply, catalog);
  return costUsd === undefined ? {} : { costUsd };
}

type Limits = Required<Pick<ProviderRequest, "maxTokens" | "spent">>;
type Received = { readonly reply: AssistantMessage | undefined; readonly run: ToolRun | undefined };

/**
 * Receives one answer, and starts its safe calls while the answer streams. `run` is missing if the user interrupted the
 * answer; the text so far is kept, so that the history contains what the person saw.
 */
async function receive(
  request: StepRequest,
  limits: Limits,
  deps: StepDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<Received> {
  const { provider, model } = request;
  emit({ type: "request_started", step: request.step, model, ...(holdsText(deps) && { holdsText: true }) });
  let answerId = deps.ids.next();
  let run = startRun(answerId, deps, emit, signal);
  let said: string[] = [];
  let offered = new Set<string>();
  let isShown = false;
  let coming = "";
  try {
    const sent = providerRequest(request, limits, deps);
    deps.cacheWatch.sending(sent);
    for await (const event of provider.stream(sent, signal)) {
      deps.checkpoints?.answerBegan();
      if (event.type === "done") {
        for (const use of toolUses({ ...event.message, id: "" })) if (!offered.has(use.id)) run.offer(use);
        return { reply: { provider: provider.name, ...event.message, id: answerId }, run };
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
        answerId = deps.ids.next();
        run = startRun(answerId, deps, emit, signal);
        said = [];
        offered = new Set();
      }
      if (event.type === "tool_input_delta" && event.toolUseId !== coming) {
        coming = event.toolUseId;
        makeReady(event.toolName, deps);
      }
      isShown = event.type === "restarted" ? false : isShown || event.type.endsWith("_delta");
      if (event.type === "text_delta") said.push(event.text);
      emit(event);
    }
  } catch (error) {
    await run.discard();
    if (!signal.aborted) {
      // Before a recovery or the end of the turn, the partial answer is removed from the screen.
      if (isShown && error instanceof ProviderError) emit({ type: "restarted", reason: error.message });
      throw error;
    }
    return { reply: brokenOff(said.join(""), request, answerId), run: undefined };
  }
  await run.discard();
  throw new Error("The provider's stream ended without a `done` event.");
}

/** The rows of calls wait for the text that precedes them. */
function startRun(answerId: string, deps: StepDeps, emit: Emit, signal: AbortSignal): ToolRun {
  const run = new ToolRun(answerId, deps, emit, signal);
  if (holdsText(deps)) run.hold();
  return run;
}

/** Redactors that were used once. */
const used = new WeakSet<Redactor>();

/** The code of the tool, and the redactor, are loaded while the input of the first call still streams. */
function makeReady(toolName: string, { tools, redactor, checkpoints }: StepDeps): void {
  const load = async () => {
    const { tool } = tools.get(toolName);
    await tool.load?.();
    if (tool.spec.level === "write" || tool.spec.level === "execute") checkpoints?.makeReady();
    const made = await redactor();
    if (used.has(made)) return;
    used.add(made);
    // A first use makes the redactor compile its expressions.
    made.redact("");
  };
  // A failure here occurs again during the call and is reported there.
  load().catch(() => undefined);
}

function brokenOff(text: string, { model, provider }: StepRequest, id: string): AssistantMessage | undefined {
  if (text.trim() === "") return undefined;
  const content: readonly AssistantBlock[] = [{ type: "text", text }];
  return { role: "assistant", id, provider: provider.name, model, content, stopReason: "other", usage: NO_USAGE };
}

function providerRequest(request: StepRequest, limits: Limits, deps: StepDeps): ProviderRequest {
  const { model, system, effort, thinking, outputSchema, maxOverloads } = request;
  return {
    model,
    system,
    messages: deps.conversation.messages,
    tools: deps.tools.declarations,
    ...limits,
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(maxOverloads !== undefined && { maxOverloads }),
  };
}
