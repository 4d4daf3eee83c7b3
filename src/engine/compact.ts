import type { CompactionReason } from "../contracts/compaction.ts";
import type { Compaction, CompactionStage, CompactionView } from "../contracts/compactor.ts";
import { type NoteFault, withLogPath } from "../contracts/debug.ts";
import { errorMessage, SpendLimitError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Message, ToolResultBlock } from "../contracts/message.ts";
import { blockSize } from "../contracts/token-estimate.ts";
import { type AskDeps, askModel } from "./ask-model.ts";
import type { ChosenModel } from "./model-fallback.ts";
import { inputSize, limitsOf, type SizeDeps } from "./request-size.ts";
import { type Emit, streamEvents } from "./stream-events.ts";

/** Of the usable window: the size above which a cold cache is an occasion to clear old results. */
const WORTH_WHEN_COLD = 0.6;
/** Of a request that was refused as too long: when no more than this is left, it is sent again. */
const ENOUGH_OF_REFUSED = 0.75;

export type CompactDeps = SizeDeps &
  AskDeps & {
    readonly compactor: readonly CompactionStage[];
    readonly noteFault?: NoteFault;
    /** The model no longer sees the results of these calls. */
    forgetResults(toolUseIds: ReadonlySet<string>): void;
  };

export type CompactRequest = ChosenModel & {
  readonly system: string;
  readonly why: CompactionReason;
  /** With `manual`. */
  readonly instructions?: string | undefined;
};

/** Whether so much is used that old results are cleared as soon as that breaks no prompt cache. */
export function isWorthClearing({ model, system }: Pick<CompactRequest, "model" | "system">, deps: SizeDeps): boolean {
  return inputSize(system, deps) > limitsOf(model, deps).usable * WORTH_WHEN_COLD;
}

/**
 * Whether the conversation has to become smaller before the next request: it is at the limit, or one more round like the last ones
 * would take it past the limit where nothing is sent any more.
 */
export function isNearlyFull({ model, system }: Pick<CompactRequest, "model" | "system">, deps: SizeDeps): boolean {
  const { compact, stop } = limitsOf(model, deps);
  const used = inputSize(system, deps);
  return used >= compact || used + deps.conversation.tokens.growthTokens >= stop;
}

/**
 * Makes the conversation smaller: stage after stage, until there is room.
 * @returns how many tokens were freed, estimated; undefined when there was nothing to take out.
 * @throws the abort reason when `signal` aborts: what earlier stages took out stays out.
 */
export function compact(
  request: CompactRequest,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, number | undefined> {
  return streamEvents((emit, inner) => runStages(request, deps, emit, inner), signal);
}

async function runStages(
  request: CompactRequest,
  deps: CompactDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { why, system } = request;
  const goal = goalOf(request, deps);
  let freed: number | undefined;
  for (const stage of deps.compactor) {
    if (freed !== undefined && inputSize(system, deps) < goal) break;
    const compaction = await runStage(stage, request, deps, emit, signal);
    signal.throwIfAborted();
    if (!compaction) continue;
    const before = deps.conversation.messages;
    const freedTokens = deps.conversation.compact(compaction, why);
    deps.forgetResults(lostResults(before, deps.conversation.messages));
    freed = (freed ?? 0) + freedTokens;
    if (why !== "image_too_large") emit({ type: "compacted", why, freedTokens, note: compaction.note });
  }
  return freed;
}

/** The ids of the calls whose results are no longer there as they were. */
function lostResults(before: readonly Message[], after: readonly Message[]): ReadonlySet<string> {
  const kept = new Set(after.flatMap(resultsOf));
  return new Set(before.flatMap(resultsOf).flatMap((result) => (kept.has(result) ? [] : [result.toolUseId])));
}

function resultsOf({ role, content }: Message): readonly ToolResultBlock[] {
  return role === "user" ? content.filter((block) => block.type === "tool_result") : [];
}

/** A stage that fails takes nothing out: the others may still do. */
async function runStage(
  stage: CompactionStage,
  request: CompactRequest,
  deps: CompactDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<Compaction | undefined> {
  const asking = { ...request, source: "compaction" } as const;
  try {
    return await stage.run(viewOf(request, deps), {
      signal,
      emit,
      ask: (question) => askModel(question, asking, deps, signal),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpendLimitError) throw error;
    const message = `Making room (${stage.name}) failed: ${errorMessage(error)}`;
    emit({ type: "notice", message: withLogPath(message, deps.noteFault?.(error)) });
    return undefined;
  }
}

function viewOf({ why, system, model, instructions }: CompactRequest, deps: CompactDeps): CompactionView {
  const { messages, entryIds } = deps.conversation;
  const limits = limitsOf(model, deps);
  return {
    why,
    messages,
    entryIds,
    usedTokens: inputSize(system, deps),
    windowTokens: limits.window,
    reservedTokens: limits.reserved,
    tokensOf: (block) => deps.conversation.tokens.calibrated(blockSize(block)),
    ...(instructions !== undefined && { instructions }),
  };
}

/** A size below which no further stage is needed. */
function goalOf({ why, system, model }: CompactRequest, deps: CompactDeps): number {
  if (why === "manual") return 0;
  const { compact: full, usable } = limitsOf(model, deps);
  if (why === "cold") return usable * WORTH_WHEN_COLD;
  return why === "too_long" ? Math.min(full, inputSize(system, deps) * ENOUGH_OF_REFUSED) : full;
}
