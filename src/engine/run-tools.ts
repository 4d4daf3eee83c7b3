import { titleFromInput } from "../contracts/call-title.ts";
import {
  errorMessage,
  ModelFacingError,
  PermissionDeniedError,
  UnansweredError,
  UnknownToolError,
} from "../contracts/errors.ts";
import type { EngineEvent, PermissionDenial } from "../contracts/event.ts";
import type { HookCommon, HookOutcome, Hooks } from "../contracts/hook.ts";
import type { ToolResultBlock, ToolResultContent, ToolUseBlock } from "../contracts/message.ts";
import type { PermissionEngine, Verdict } from "../contracts/permission.ts";
import type { ArtifactStore, Clock, Redactor } from "../contracts/ports.ts";
import type { SessionLog } from "../contracts/session.ts";
import type { Grant } from "../contracts/subject.ts";
import type { ToolCall, ToolContext, ToolResult } from "../contracts/tool.ts";
import { redactProgress, redactResult, refusePlaceholders } from "./redact-result.ts";
import { fitMessage, fitResult } from "./result-budget.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/** Calls that run side by side at most, and only those that say they are concurrency-safe. */
export const MAX_PARALLEL_CALLS = 10;
const CANCELLED = "Cancelled by the user before it ran.";
const NOTHING_SAID: HookOutcome = {};
const PART_TAKEN = "The user took only a part of this change: the rest was left out on purpose.";

export type RunToolsDeps = {
  readonly tools: ToolRegistry;
  readonly permissions: PermissionEngine;
  readonly log: SessionLog;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly hooks: Hooks;
  /** What every hook is told. */
  hookCommon(): HookCommon;
  /** Loaded at the first call. */
  redactor(): Promise<Redactor>;
  /** The working folder now. */
  cwd(): string;
  /** Ends the turn. @param why what a hook said; undefined where whoever answers questions wants no more of it. */
  endTurn?(why?: string): void;
};

type Finished = { readonly block: ToolResultBlock; readonly exempt: boolean };
type Prepared = { readonly call: ToolCall } | { readonly failure: unknown };
type Approved = { readonly call: ToolCall; readonly grant: Grant; readonly notes: readonly string[] };
/** What came of a call; `tried`: as it was really made, absent when it was refused or there is no such call. */
type Ended = {
  readonly result: ToolResult;
  readonly tried?: { readonly input: unknown; readonly durationMs: number };
  /** A hook's words about it, for the model. */
  readonly said?: string | undefined;
};
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
  readonly #deps: RunToolsDeps;
  readonly #emit: (event: EngineEvent) => void;
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  readonly #slots: Slot[] = [];
  readonly #lanes = new Lanes(MAX_PARALLEL_CALLS);
  #early: Promise<void> = Promise.resolve();
  #barrier = false;
  #discarded = false;

  constructor(deps: RunToolsDeps, emit: (event: EngineEvent) => void, signal: AbortSignal) {
    this.#deps = deps;
    this.#emit = emit;
    this.#signal = AbortSignal.any([signal, this.#abort.signal]);
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
    const running = this.#lanes.run(() => this.#run(slot, prepared));
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
    const { tool, forgiven } = this.#deps.tools.get(use.name);
    if (use.malformed) throw new MalformedCallError(use);
    if (!tool.spec.restoresSecrets) refusePlaceholders(tool.spec.name, use.input, await this.#deps.redactor());
    const call = await tool.prepare(use.input, this.#context(use));
    return forgiven.length === 0 ? call : withForgiven(call, forgiven);
  }

  #context(use: ToolUseBlock): ToolContext {
    return { toolUseId: use.id, cwd: this.#deps.cwd(), signal: this.#signal };
  }

  async #run(slot: Slot, prepared: Prepared): Promise<Finished> {
    const { use } = slot;
    const startedAt = this.#deps.clock.monotonicMs();
    const call = "call" in prepared ? prepared.call : undefined;
    const title = call?.title ?? titleFromInput(use.input, this.#deps.cwd());
    this.#tell({ type: "tool_started", use, title: title || use.name, level: call?.level ?? "none" });
    const result = await this.#withHooks(use, await this.#resultOf(use, prepared));
    const block = await this.#toBlock(use, result, call);
    if (!this.#discarded) this.#deps.log.append({ kind: "tool_finished", result: block });
    const durationMs = this.#msSince(startedAt);
    this.#tell({
      type: "tool_finished",
      result: block,
      durationMs,
      ...(result.display && { display: result.display }),
    });
    return { block, exempt: result.exemptFromSpill ?? false };
  }

  /** Every failure becomes a result: the model mends its own, and a bug of ours must not cost the session. */
  async #resultOf(use: ToolUseBlock, prepared: Prepared): Promise<Ended> {
    let said: string | undefined;
    let tried: { readonly input: unknown; readonly startedAt: number } | undefined;
    const ended = (result: ToolResult): Ended => ({
      result,
      said,
      ...(tried && { tried: { input: tried.input, durationMs: this.#msSince(tried.startedAt) } }),
    });
    try {
      if ("failure" in prepared && isNoCall(prepared.failure)) throw prepared.failure;
      const input = "call" in prepared ? prepared.call.input : use.input;
      const hooked = await this.#beforeHooks(use, input);
      said = hooked.additionalContext;
      refuseIfHooked(hooked, () => this.#refuse(use, { input }, { by: "a hook", unanswered: false }));
      tried = { input: hooked.updatedInput ?? input, startedAt: this.#deps.clock.monotonicMs() };
      const { call, grant, notes } = await this.#approve(use, prepared, hooked);
      this.#signal.throwIfAborted();
      this.#deps.log.append({ kind: "tool_started", toolUseId: use.id, toolName: use.name });
      if (call.level !== "read" && call.level !== "none") await this.#deps.log.sync();
      const redactor = await this.#deps.redactor();
      tried = { input: call.input, startedAt: this.#deps.clock.monotonicMs() };
      const result = await call
        .run(grant, (progress) =>
          this.#tell({ type: "tool_progress", toolUseId: use.id, progress: redactProgress(progress, redactor) }),
        )
        // The way back is told to the person too, above all when the call was broken off.
        .finally(() => this.#tellNotes(notes));
      return ended({ ...result, content: withNote(result.content, notes.map(bracketed).join("\n")) });
    } catch (error) {
      if (error instanceof PermissionDeniedError) tried = undefined;
      if (error instanceof UnansweredError)
        this.#refuse(use, { input: tried?.input ?? use.input }, { by: error.by, unanswered: true });
      if (error instanceof ModelFacingError) return ended({ content: error.message, isError: true });
      if (this.#signal.aborted) return ended({ content: CANCELLED, isError: true });
      const message = `${use.name} failed through a fault of Quoll: ${errorMessage(error)}`;
      this.#tell({ type: "notice", message });
      return ended({ content: message, isError: true });
    }
  }

  #tellNotes(notes: readonly string[]): void {
    for (const message of notes) this.#tell({ type: "notice", message });
  }

  #msSince(startedAt: number): number {
    return Math.round(this.#deps.clock.monotonicMs() - startedAt);
  }

  /** The call as it may run: of an edit a person may have taken only a part, which is then judged by itself. */
  async #approve(use: ToolUseBlock, prepared: Prepared, hooked: HookOutcome): Promise<Approved> {
    const { tool: own } = this.#deps.tools.get(use.name);
    const call = hooked.updatedInput ? await own.prepare(hooked.updatedInput, this.#context(use)) : callOf(prepared);
    const verdict = await this.#authorize(use, call, hooked);
    if (!verdict.updatedInput) return { call, grant: verdict.grant, notes: verdict.grant.notes };
    const { tool } = this.#deps.tools.get(use.name);
    const part = await tool.prepare(verdict.updatedInput, this.#context(use));
    const { grant } = await this.#authorize(use, part, hooked);
    const note = verdict.isPart === false ? [] : [PART_TAKEN];
    return { call: part, grant, notes: [...grant.notes, ...note] };
  }

  async #authorize(
    use: ToolUseBlock,
    call: ToolCall,
    { permission }: HookOutcome,
  ): Promise<Extract<Verdict, { decision: "allow" }>> {
    const hook = permission?.decision === "deny" ? undefined : permission;
    const request = { toolUseId: use.id, toolName: use.name, call };
    const verdict = await this.#deps.permissions.authorize(
      hook
        ? { ...request, hook: { decision: hook.decision === "allow" ? "allow" : "ask", reason: hook.reason } }
        : request,
      this.#signal,
    );
    if (verdict.decision === "allow") return verdict;
    this.#signal.throwIfAborted();
    const { by, unanswered, remedy, message, endsTurn = false } = verdict;
    this.#refuse(use, call, { by, unanswered, ...(remedy && { remedy }) });
    if (endsTurn) this.#deps.endTurn?.();
    throw new PermissionDeniedError(message);
  }

  #refuse(
    use: ToolUseBlock,
    { input }: Pick<ToolCall, "input">,
    why: Pick<PermissionDenial, "by" | "unanswered" | "remedy">,
  ): void {
    const denial: PermissionDenial = { toolName: use.name, toolUseId: use.id, input, ...why };
    this.#tell({ type: "permission_denied", denial });
  }

  /** Hooks see a call before it is judged, also one that can't be made as the model wrote it: they may know better. */
  async #beforeHooks(use: ToolUseBlock, toolInput: unknown): Promise<HookOutcome> {
    const { hooks } = this.#deps;
    if (!hooks.wants("PreToolUse", use.name)) return {};
    const about = { toolName: use.name, toolUseId: use.id, toolInput };
    const outcome = await hooks.run({ event: "PreToolUse", ...about, ...this.#deps.hookCommon() }, this.#signal);
    this.#tellHook(outcome);
    return outcome;
  }

  /** The result with what hooks say of it. They see what the model would, and may put something else in its place. */
  async #withHooks(use: ToolUseBlock, { result, tried, said }: Ended): Promise<ToolResult> {
    const redactor = await this.#deps.redactor();
    const seen = redactResult(result, redactor);
    const { updatedOutput, block, additionalContext } = tried ? await this.#afterHooks(use, seen, tried) : NOTHING_SAID;
    const notes = [said, block && `[A hook of the user's says: ${block.reason}]`, additionalContext];
    const words = notes.filter((note) => note !== undefined).join("\n");
    if (words === "" && updatedOutput === undefined) return seen;
    const content = updatedOutput !== undefined && !seen.isError ? updatedOutput : seen.content;
    return redactResult({ ...seen, content: withNote(content, words) }, redactor);
  }

  async #afterHooks(
    use: ToolUseBlock,
    { content, isError = false }: ToolResult,
    { input: toolInput, durationMs }: NonNullable<Ended["tried"]>,
  ): Promise<HookOutcome> {
    const { hooks } = this.#deps;
    if (this.#discarded || this.#signal.aborted || !hooks.wants("PostToolUse", use.name)) return NOTHING_SAID;
    const about = { toolName: use.name, toolUseId: use.id, toolInput };
    const seen = { toolResponse: content, isError, durationMs };
    const input = { event: "PostToolUse", ...about, ...seen, ...this.#deps.hookCommon() } as const;
    const outcome = await hooks.run(input, this.#signal).catch(() => NOTHING_SAID);
    this.#tellHook(outcome);
    return outcome;
  }

  #tellHook({ systemMessage, stop }: HookOutcome): void {
    if (systemMessage !== undefined) this.#tell({ type: "notice", message: systemMessage });
    if (stop) this.#deps.endTurn?.(stop.reason);
  }

  async #toBlock(use: ToolUseBlock, result: ToolResult, call: ToolCall | undefined): Promise<ToolResultBlock> {
    const notes = call && call.forgiven.length > 0 ? `(Input forgiven: ${call.forgiven.join("; ")}.)` : "";
    const content = withNote(result.content, notes);
    const block: ToolResultBlock = {
      type: "tool_result",
      toolUseId: use.id,
      content,
      isError: result.isError ?? false,
    };
    return fitResult({ block, exempt: result.exemptFromSpill ?? false }, this.#deps.artifacts);
  }

  #tell(event: EngineEvent): void {
    if (!this.#discarded) this.#emit(event);
  }
}

/** There is no such tool, or no input: nothing that anybody could judge. */
function isNoCall(failure: unknown): boolean {
  return failure instanceof UnknownToolError || failure instanceof MalformedCallError;
}

function callOf(prepared: Prepared): ToolCall {
  if ("failure" in prepared) throw prepared.failure;
  return prepared.call;
}

/** @throws {PermissionDeniedError} a hook refused the call. */
function refuseIfHooked({ block, permission }: HookOutcome, tell: () => void): void {
  const reason = block?.reason ?? (permission?.decision === "deny" ? permission.reason : undefined);
  if (reason === undefined) return;
  tell();
  throw new PermissionDeniedError(`Refused by a hook of the user's: ${reason}`);
}

class MalformedCallError extends ModelFacingError {
  override name = "MalformedCallError";
  constructor(use: ToolUseBlock) {
    const { text, problem } = use.malformed ?? { text: "", problem: "" };
    const end = text.length > 200 ? `…${text.slice(-200)}` : text;
    super(`The input of ${use.name} is not valid JSON (${problem}), so nothing was run. It ended: ${end}`);
  }
}

function withForgiven(call: ToolCall, forgiven: readonly string[]): ToolCall {
  return {
    input: call.input,
    level: call.level,
    concurrencySafe: call.concurrencySafe,
    subjects: call.subjects,
    title: call.title,
    ...(call.preview && { preview: call.preview }),
    ...(call.wantsOutside && { wantsOutside: true }),
    ...(call.takeHunks && { takeHunks: call.takeHunks }),
    forgiven: [...forgiven, ...call.forgiven],
    run: (grant, report) => call.run(grant, report),
  };
}

/** APIs refuse an empty result beside an error, and an empty answer tells a model nothing. */
function withNote(content: ToolResultContent, note: string): ToolResultContent {
  if (typeof content !== "string") {
    if (content.length === 0) return note || "(no output)";
    return note ? [...content, { type: "text", text: note }] : content;
  }
  if (content.trim() === "") return note || "(no output)";
  return note ? `${content}\n${note}` : content;
}

/** Lets at most `width` jobs run at once, the others in order of arrival. */
class Lanes {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  async run<Value>(job: () => Promise<Value>): Promise<Value> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Only the first line in brackets: what follows is a command that can be taken as it stands. */
function bracketed(note: string): string {
  return note.replace(/^.*/, (line) => `[${line}]`);
}
