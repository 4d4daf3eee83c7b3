import { Semaphore } from "@quoll/async/semaphore";
import { titleFromInput } from "../contracts/call-title.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { ToolResultBlock, ToolUseBlock } from "../contracts/message.ts";
import type { ArtifactStore } from "../contracts/ports.ts";
import type { ToolCall } from "../contracts/tool.ts";
import type { HookDeps } from "./ask-hooks.ts";
import { hookedCall } from "./hooked-call.ts";
import { redactResult, refusePlaceholders } from "./redact-result.ts";
import { resultBlock, withCorrections } from "./result-block.ts";
import { fitMessage, fitResult } from "./result-budget.ts";
import { CallRunner, MalformedCallError, msSince, type Prepared, type RunCall, type RunCallDeps } from "./run-call.ts";

/** Calls that run side by side at most, and only those that say they are concurrency-safe. */
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
 * Calls are offered as their blocks complete. One that is concurrency-safe starts at once unless a call that is not
 * stands before it; the others wait for `finish` and run alone, in order. Whatever happens, each offered call gets
 * exactly one result, and results come in call order.
 */
export class ToolRun {
  readonly #answerId: string;
  readonly #deps: ToolRunDeps;
  readonly #emit: (event: EngineEvent) => void;
  readonly #runner: CallRunner;
  readonly #runCall: RunCall;
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  readonly #slots: Slot[] = [];
  readonly #parallel = new Semaphore(MAX_PARALLEL_CALLS);
  #early: Promise<void> = Promise.resolve();
  #barrier = false;
  #discarded = false;

  /** @param answerId The id that the answer gets, if it is kept. */
  constructor(answerId: string, deps: ToolRunDeps, emit: (event: EngineEvent) => void, signal: AbortSignal) {
    this.#answerId = answerId;
    this.#deps = deps;
    this.#emit = emit;
    this.#signal = AbortSignal.any([signal, this.#abort.signal]);
    const { noteFault } = deps;
    const scope = { answerId, signal: this.#signal, tell: (event: EngineEvent) => this.#tell(event), noteFault };
    this.#runner = new CallRunner(deps, scope);
    this.#runCall = hookedCall(this.#runner, deps, scope);
  }

  /** A complete call arrived from the stream. */
  offer(use: ToolUseBlock): void {
    const slot: Slot = { use };
    this.#slots.push(slot);
    this.#early = this.#early.then(() => this.#startEarly(slot));
  }

  /** The stream is complete: runs what has not run and gives every result, fitted to the message's bound. */
  async finish(): Promise<readonly ToolResultBlock[]> {
    await this.#early;
    const finished: Promise<Finished>[] = [];
    for (const slot of this.#slots) finished.push(slot.running ?? (await this.#inTurn(slot, finished)).running);
    return fitMessage(await Promise.all(finished), this.#deps.artifacts);
  }

  /** Starts a call behind those before it: beside them if it is safe, else when they are done, and waits for its end. */
  async #inTurn(slot: Slot, before: readonly Promise<Finished>[]): Promise<{ readonly running: Promise<Finished> }> {
    const prepared = await this.#prepare(slot);
    if ("call" in prepared && prepared.call.concurrencySafe) return { running: this.#start(slot, prepared) };
    await Promise.all(before);
    // What came before may be what it needs (a Read before an Edit) or have changed what it would touch.
    if (before.length > 0) delete slot.prepared;
    const running = this.#start(slot, await this.#prepare(slot));
    await running;
    return { running };
  }

  #start(slot: Slot, prepared: Prepared): Promise<Finished> {
    const running = this.#parallel.run(() => this.#run(slot, prepared));
    // A log that can't be written fails it long before anybody waits for it.
    running.catch(() => undefined);
    return running;
  }

  /** The stream failed: ends what was started and throws its results away. */
  async discard(): Promise<void> {
    this.#discarded = true;
    this.#abort.abort(new Error("The answer that asked for this call was lost."));
    await this.#early;
    const started = this.#slots.filter(({ running }) => running);
    await Promise.allSettled(started.map(({ running }) => running));
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
    // What it would touch may have changed by the time its turn comes: it is prepared again then.
    delete slot.prepared;
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
    return corrections.length === 0 ? call : withCorrections(call, corrections);
  }

  async #run({ use }: Slot, prepared: Prepared): Promise<Finished> {
    const startedAt = this.#deps.clock.monotonicMs();
    const call = "call" in prepared ? prepared.call : undefined;
    const title = call?.title ?? titleFromInput(use.input, this.#deps.cwd());
    this.#tell({ type: "tool_started", use, title: title || use.name, level: call?.level ?? "none" });
    const { result: raw } = await this.#runCall({ use, prepared });
    const result = redactResult(raw, await this.#deps.redactor());
    const exempt = result.exemptFromSpill ?? false;
    const block = await fitResult({ block: resultBlock(use, result, call), exempt }, this.#deps.artifacts);
    const { conversation, clock } = this.#deps;
    const answerId = this.#answerId;
    if (!this.#discarded) conversation.append({ kind: "tool_finished", result: block, answerId });
    const durationMs = msSince(startedAt, clock);
    const { display } = result;
    this.#tell({ type: "tool_finished", result: block, durationMs, ...(display && { display }) });
    return { block, exempt };
  }

  #tell(event: EngineEvent): void {
    if (!this.#discarded) this.#emit(event);
  }
}
