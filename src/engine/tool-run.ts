import { Semaphore } from "@quoll/async/semaphore";
import { untitledCall } from "../contracts/call-target.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { ToolResultBlock, ToolUseBlock } from "../contracts/message.ts";
import type { ArtifactStore } from "../contracts/ports.ts";
import type { ToolCall } from "../contracts/tool.ts";
import type { HookDeps } from "./ask-hooks.ts";
import { hookedBatch, hookedCall } from "./hooked-call.ts";
import { redactResult, refusePlaceholders } from "./redact-result.ts";
import { resultBlock, withCorrections } from "./result-block.ts";
import { fitMessage, fitResult } from "./result-budget.ts";
import {
  CallRunner,
  type CallScope,
  MalformedCallError,
  msSince,
  type Prepared,
  type RunCall,
  type RunCallDeps,
} from "./run-call.ts";

/** The maximum number of parallel calls; only concurrency-safe calls run in parallel. */
export const MAX_PARALLEL_CALLS = 10;

export type ToolRunDeps = RunCallDeps & HookDeps & { readonly artifacts: ArtifactStore };

type Finished = { readonly block: ToolResultBlock; readonly exempt: boolean };
type Slot = {
  readonly use: ToolUseBlock;
  prepared?: Promise<Prepared>;
  running?: Promise<Finished>;
};

/**
 * Runs the calls of one assistant message.
 *
 * Each call is offered when its block is complete. A concurrency-safe call starts at once unless an unsafe call
 * precedes it; all other calls wait for `finish` and run one at a time, in order. Each offered call always gets exactly
 * one result, and results come in call order.
 */
export class ToolRun {
  readonly #answerId: string;
  readonly #deps: ToolRunDeps;
  readonly #emit: (event: EngineEvent) => void;
  readonly #scope: CallScope;
  readonly #runner: CallRunner;
  readonly #runCall: RunCall;
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  readonly #slots: Slot[] = [];
  readonly #parallel = new Semaphore(MAX_PARALLEL_CALLS);
  #early: Promise<void> = Promise.resolve();
  #barrier = false;
  #discarded = false;
  /** Events that wait for `show`. */
  #held: EngineEvent[] | undefined;

  /** @param answerId The id that the answer gets if it is kept. */
  constructor(answerId: string, deps: ToolRunDeps, emit: (event: EngineEvent) => void, signal: AbortSignal) {
    this.#answerId = answerId;
    this.#deps = deps;
    this.#emit = emit;
    this.#signal = AbortSignal.any([signal, this.#abort.signal]);
    const { noteFault } = deps;
    this.#scope = { answerId, signal: this.#signal, emit: (event: EngineEvent) => this.#emitOrHold(event), noteFault };
    this.#runner = new CallRunner(deps, this.#scope);
    this.#runCall = hookedCall(this.#runner, deps, this.#scope);
  }

  /**
   * Holds back the events of the calls until `show` or `discard`, because the text before the calls is not shown yet.
   */
  hold(): void {
    this.#held = [];
  }

  /** Reports the held events, and from now on each event at once. */
  show(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.#emit(event);
  }

  /** Adds a call whose block is complete. */
  offer(use: ToolUseBlock): void {
    const slot: Slot = { use: this.#deps.tools.targetOf(use) };
    this.#slots.push(slot);
    this.#early = this.#early.then(() => this.#startEarly(slot));
  }

  /** Runs the remaining calls after the stream is complete. @returns every result, within the message's size limit. */
  async finish(): Promise<readonly ToolResultBlock[]> {
    await this.#early;
    const finished: Promise<Finished>[] = [];
    for (const slot of this.#slots) finished.push(slot.running ?? (await this.#inTurn(slot, finished)).running);
    const blocks = await fitMessage(await Promise.all(finished), this.#deps.artifacts);
    return hookedBatch(
      blocks,
      this.#slots.map(({ use }) => use),
      this.#deps,
      this.#scope,
    );
  }

  /** Starts a call and waits for its end: a safe call at once, an unsafe call after all calls before it. */
  async #inTurn(slot: Slot, before: readonly Promise<Finished>[]): Promise<{ readonly running: Promise<Finished> }> {
    const prepared = await this.#prepare(slot);
    if ("call" in prepared && prepared.call.concurrencySafe) return { running: this.#start(slot, prepared) };
    await Promise.all(before);
    // An earlier call may provide what a later call needs (a Read before an Edit), or change the files that it affects.
    if (before.length > 0) delete slot.prepared;
    const running = this.#start(slot, await this.#prepare(slot));
    await running;
    return { running };
  }

  #start(slot: Slot, prepared: Prepared): Promise<Finished> {
    const running = this.#parallel.run(() => this.#run(slot, prepared));
    // The promise may reject long before it is awaited, when the log cannot be written.
    running.catch(() => undefined);
    return running;
  }

  /** Ends all started calls and drops their results, because the stream failed. */
  async discard(): Promise<void> {
    this.#discarded = true;
    this.#abort.abort(new Error("The answer that asked for this call was lost."));
    await this.#early;
    const started = this.#slots.filter(({ running }) => running);
    await Promise.allSettled(started.map(({ running }) => running));
    this.show();
    for (const { use } of started) this.#emit({ type: "tool_discarded", toolUseId: use.id });
  }

  async #startEarly(slot: Slot): Promise<void> {
    if (this.#barrier || this.#discarded) return;
    const prepared = await this.#prepare(slot);
    if (this.#discarded) return;
    if ("call" in prepared && prepared.call.concurrencySafe) {
      slot.running = this.#start(slot, prepared);
      return;
    }
    this.#barrier = true;
    // Earlier calls may change the files that this one affects, so it is prepared again after them.
    if (slot !== this.#slots[0]) delete slot.prepared;
  }

  #prepare(slot: Slot): Promise<Prepared> {
    slot.prepared ??= this.#prepareCall(slot.use).then(
      (call) => ({ call }),
      (failure: unknown) => ({ failure }),
    );
    return slot.prepared;
  }

  async #prepareCall(use: ToolUseBlock): Promise<ToolCall> {
    this.#signal.throwIfAborted();
    const { tool, corrections } = this.#deps.tools.get(use.name);
    if (use.malformed) throw new MalformedCallError(use);
    if (!tool.spec.restoresSecrets) refusePlaceholders(tool.spec.name, use.input, await this.#deps.redactor());
    const call = await tool.prepare(use.input, this.#runner.context(use));
    if (call.level === "execute") this.#deps.checkpoints?.expectWrite();
    return corrections.length === 0 ? call : withCorrections(call, corrections);
  }

  async #run({ use }: Slot, prepared: Prepared): Promise<Finished> {
    const startedAt = this.#deps.clock.monotonicMs();
    const call = "call" in prepared ? prepared.call : undefined;
    const title = call ? call.title || use.name : untitledCall(use, this.#deps.cwd());
    this.#emitOrHold({ type: "tool_started", use, title, level: call?.level ?? "none" });
    const { result: raw } = await this.#runCall({ use, prepared });
    const result = redactResult(raw, await this.#deps.redactor());
    const exempt = result.exemptFromSpill ?? false;
    const { maxShownChars } = result;
    const block = await fitResult(
      { block: resultBlock(use, result, call), exempt, ...(maxShownChars !== undefined && { maxShownChars }) },
      this.#deps.artifacts,
    );
    const { conversation, clock } = this.#deps;
    const answerId = this.#answerId;
    if (!this.#discarded) conversation.append({ kind: "tool_finished", result: block, answerId });
    const durationMs = msSince(startedAt, clock);
    const { display } = result;
    this.#emitOrHold({ type: "tool_finished", result: block, durationMs, ...(display && { display }) });
    return { block, exempt };
  }

  #emitOrHold(event: EngineEvent): void {
    if (this.#discarded) return;
    if (!this.#held) this.#emit(event);
    // A call that is not shown yet has no progress to show.
    else if (event.type !== "tool_progress") this.#held.push(event);
  }
}
