import type { CompactionReason } from "../contracts/compaction.ts";
import type { Compaction, CompactionStage, CompactionView, StageContext } from "../contracts/compactor.ts";
import { withLogPath } from "../contracts/debug.ts";
import { errorMessage, ProviderError, SpendLimitError } from "../contracts/errors.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Message, ToolResultBlock } from "../contracts/message.ts";
import type { Tasks } from "../contracts/task.ts";
import { blockSize, blocksSize } from "../contracts/token-estimate.ts";
import { askModel } from "./ask-model.ts";
import type { CompactDeps, CompactRequest } from "./compact-request.ts";
import { hookedEnd, hookedStart } from "./compaction-hooks.ts";
import type { ChosenModel } from "./model-fallback.ts";
import { besideSize, inputSize, limitsOf, type SizeDeps } from "./request-size.ts";
import { type Emit, streamEvents } from "./stream-events.ts";
import { isWindowNote } from "./window-notes.ts";

/** The share of the usable window above which old results are cleared when the cache is cold. */
const WORTH_WHEN_COLD = 0.6;
/** More tokens than this are worth a summary before the cache expires, also where the window is much larger. */
const WORTH_WHEN_IDLE_TOKENS = 50_000;
/** The share to which a request that was refused as too long must shrink before it is sent again. */
const ENOUGH_OF_REFUSED = 0.75;

/** True if enough tokens are used that old results should be cleared as soon as this breaks no prompt cache. */
export function isWorthClearing({ model, system }: Pick<CompactRequest, "model" | "system">, deps: SizeDeps): boolean {
  return inputSize(system, deps) > limitsOf(model, deps).usable * WORTH_WHEN_COLD;
}

/**
 * True if the conversation has to become smaller before the next request: it is at the limit, or another step of the
 * recent size would pass the limit at which no further request is sent.
 */
export function isNearlyFull(
  { model, system }: Pick<CompactRequest, "model" | "system">,
  deps: SizeDeps & Pick<CompactDeps, "breaker">,
): boolean {
  const { compact, stop } = limitsOf(model, deps);
  const used = inputSize(system, deps);
  if (deps.breaker.isHeld) return used >= stop;
  return used >= compact || used + deps.conversation.tokens.growthTokens >= stop;
}

/**
 * Compacts the conversation stage by stage until it fits.
 * @returns the estimated number of freed tokens; undefined if nothing could be removed, or if a hook forbade the
 * compaction.
 * @throws the abort reason when `signal` aborts: the changes of earlier stages stay.
 */
export function compact(
  request: CompactRequest,
  deps: CompactDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, number | undefined> {
  return streamEvents(async (emit, inner) => {
    if (request.why === "image_too_large") return runStages(request, deps, emit, inner);
    emit({ type: "compaction_started", why: request.why, usedTokens: inputSize(request.system, deps) });
    return runStages(request, deps, emit, inner);
  }, signal);
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
    if (
      stage.isLastResort
        ? !needsLastResort(request, deps, { goal, freed })
        : freed !== undefined && inputSize(system, deps) < goal
    )
      continue;
    const asks = stage.asksModel === true && mayAsk(request, deps);
    if (stage.asksModel && !asks) continue;
    if (asks && !(await hookedStart(request, deps, emit, signal))) {
      // If a hook refuses a compaction that the person started, the compaction ends; otherwise the stages without a
      // model still run.
      if (why === "manual") return freed;
      continue;
    }
    const compaction = await runStage(stage, request, deps, emit, signal);
    signal.throwIfAborted();
    if (!compaction) continue;
    const preTokens = inputSize(system, deps);
    const hooked = await hookedEnd(compaction, request, deps, emit, signal);
    freed = (freed ?? 0) + applyCompaction(withoutNotes(hooked, deps), why, deps);
    if (freed > 0) deps.breaker.madeRoom();
    const { note, report } = compaction;
    const freedTokens = preTokens - inputSize(system, deps);
    if (why === "image_too_large") continue;
    emit({ type: "compacted", why, freedTokens, preTokens, note, ...(report && { report }) });
  }
  return freed;
}

/** True if a summary pays for itself when the conversation goes on after the provider's cache has expired. */
export function isWorthSummarising(
  { model, system }: Pick<CompactRequest, "model" | "system">,
  deps: SizeDeps,
): boolean {
  const used = inputSize(system, deps);
  return used > Math.min(WORTH_WHEN_IDLE_TOKENS, limitsOf(model, deps).usable * WORTH_WHEN_COLD);
}

/**
 * True if the next request would not be sent, or would be refused again. If the person asked for room and the other
 * stages made none, the last resort runs if a prompt did not fit, or if a large prompt would not.
 */
function needsLastResort(
  { why, system, model, isLastResort }: CompactRequest,
  deps: CompactDeps,
  { goal, freed }: { readonly goal: number; readonly freed: number | undefined },
): boolean {
  const used = inputSize(system, deps);
  const { stop, usable } = limitsOf(model, deps);
  if (why === "too_long") return used >= goal;
  if (isLastResort === true || used >= stop) return true;
  return why === "manual" && freed === undefined && (deps.breaker.lacksRoom || used > usable * WORTH_WHEN_COLD);
}

/** Also removes the notes about the window, because what they say does not hold after a compaction. */
function withoutNotes(compaction: Compaction, { conversation }: Pick<CompactDeps, "conversation">): Compaction {
  const notes = conversation.messages.filter(isWindowNote).map(({ id }) => id);
  if (notes.length === 0) return compaction;
  return { ...compaction, removedIds: [...(compaction.removedIds ?? []), ...notes] };
}

/**
 * Records a compaction.
 * @returns the estimated number of freed tokens.
 * @throws {Error} for the same reasons as `Conversation.compact`.
 */
export function applyCompaction(
  compaction: Compaction,
  why: CompactionReason,
  deps: Pick<CompactDeps, "conversation" | "forgetResults">,
): number {
  const before = deps.conversation.messages;
  const freedTokens = deps.conversation.compact(compaction, why);
  deps.forgetResults(lostResults(before, deps.conversation.messages));
  return freedTokens;
}

/** The ids of the calls whose results were removed or changed. */
function lostResults(before: readonly Message[], after: readonly Message[]): ReadonlySet<string> {
  const kept = new Set(after.flatMap(resultsOf));
  return new Set(before.flatMap(resultsOf).flatMap((result) => (kept.has(result) ? [] : [result.toolUseId])));
}

function resultsOf({ role, content }: Message): readonly ToolResultBlock[] {
  return role === "user" ? content.filter((block) => block.type === "tool_result") : [];
}

/** A stage that fails removes nothing; the other stages still run. */
async function runStage(
  stage: CompactionStage,
  request: CompactRequest,
  deps: CompactDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<Compaction | undefined> {
  const asks = stage.asksModel === true;
  try {
    const compaction = await stage.run(viewOf(request, deps), stageContext(request, deps, emit, signal));
    if (asks && compaction) deps.breaker.succeeded();
    return compaction;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpendLimitError) throw error;
    const message = `Making room (${stage.name}) failed: ${errorMessage(error)}`;
    const notify = request.onFailure ?? ((line: string) => emit({ type: "notice", message: line }));
    notify(withLogPath(message, deps.noteFault?.(error)));
    const last = asks && deps.breaker.failed();
    if (last) notify(last);
    return undefined;
  }
}

/** The offline engine writes no summaries. */
function mayAsk({ why, provider }: CompactRequest, { breaker }: CompactDeps): boolean {
  return provider.name !== "offline" && (why === "manual" || !breaker.isOpen);
}

function viewOf(
  { why, system, model, countLimit, instructions, part }: CompactRequest,
  deps: CompactDeps,
): CompactionView {
  const { messages, entryIds } = deps.conversation;
  const limits = limitsOf(model, deps);
  return {
    why,
    messages,
    entryIds,
    usedTokens: inputSize(system, deps),
    besideTokens: besideSize(system, deps),
    windowTokens: limits.window,
    reservedTokens: limits.reserved,
    stopTokens: limits.stop,
    isPinned: (id) => deps.conversation.pinned.has(id),
    tokensOf: (block) => deps.conversation.tokens.calibrated(blockSize(block)),
    ...(countLimit && { countLimit }),
    ...(instructions !== undefined && { instructions }),
    ...(part && { part }),
  };
}

/** The size below which no further stage is needed. */
function goalOf({ why, system, model }: CompactRequest, deps: CompactDeps): number {
  if (why === "manual" || why === "idle") return Number.POSITIVE_INFINITY;
  const { compact: full, usable } = limitsOf(model, deps);
  if (why === "cold") return usable * WORTH_WHEN_COLD;
  return why === "too_long" ? Math.min(full, inputSize(system, deps) * ENOUGH_OF_REFUSED) : full;
}

/** The number of characters of a summary between two progress events. */
const PROGRESS_CHARS = 400;

/** The services that a stage of a compaction gets. */
function stageContext(request: CompactRequest, deps: CompactDeps, emit: Emit, signal: AbortSignal): StageContext {
  const { conversation, toolPorts } = deps;
  let told: number | undefined;
  let isOwn = false;
  const written = (chars: number) => {
    if (told !== undefined && chars - told < PROGRESS_CHARS) return;
    told = chars;
    emit({ type: "compaction_progress", writtenTokens: Math.round(chars / 4) });
  };
  const tokensOf = (content: Message["content"]) => conversation.tokens.calibrated(blocksSize(content));
  return {
    signal,
    emit,
    async ask(question) {
      if (told === undefined) written(0);
      const own = { ...request, source: "compaction", tokensOf, written } as const;
      const chosen = isOwn ? request : await modelFor(request, deps, emit);
      isOwn = chosen === request;
      if (isOwn) return askModel(question, own, deps, signal);
      try {
        return await askModel(question, { ...own, ...chosen }, deps, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError)) throw error;
        isOwn = true;
        const message = `${chosen.model} could not write the summary (${error.message}): ${request.model} writes it.`;
        emit({ type: "notice", message });
        return askModel(question, own, deps, signal);
      }
    },
    history: (kinds) => conversation.history(kinds),
    describeSession: () => deps.describeSession(),
    skillsInUse: async (kept) => (await deps.skills?.inUse(conversation.messages, kept)) ?? "",
    runningTasks: () => runningTasks(toolPorts.tasks),
  };
}

/** The model that writes the summary: the conversation's own if the configured model's window is too small. */
async function modelFor(request: CompactRequest, deps: CompactDeps, emit: Emit): Promise<ChosenModel> {
  const chosen = await deps.summaryModel?.();
  if (!chosen) return request;
  if (inputSize(request.system, deps) < limitsOf(chosen.model, deps).usable) return chosen;
  const message = `The window of ${chosen.model} is too small for this conversation: ${request.model} writes the summary.`;
  emit({ type: "notice", message });
  return request;
}

function runningTasks(tasks: Pick<Tasks, "list">): readonly string[] {
  return tasks
    .list()
    .flatMap(({ id, title, status, outputFile }) =>
      status === "running" ? [`${id}: ${title} (output: ${outputFile})`] : [],
    );
}
