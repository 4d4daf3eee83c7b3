import type { Engine, EngineState, UserInput } from "../contracts/engine.ts";
import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import type {
  EngineEvent,
  EventEnvelope,
  Outcome,
  PermissionDenial,
  QueueTime,
  TurnReport,
} from "../contracts/event.ts";
import type { HookCommon, HookInput } from "../contracts/hook.ts";
import type { Message, UserBlock, UserMessage } from "../contracts/message.ts";
import type { PermissionMode, Questions } from "../contracts/permission.ts";
import type { Effort, Provider, ProviderRequest, Thinking } from "../contracts/provider.ts";
import type { RestoredSession } from "../contracts/session.ts";
import type { Charge } from "../contracts/spend.ts";
import { estimateInputTokens } from "../contracts/token-estimate.ts";
import { InputQueue } from "./input-queue.ts";
import { lastWords } from "./last-words.ts";
import { type QueryDeps, type QueryResult, query } from "./query.ts";
import { QuestionRelay } from "./question-relay.ts";
import { shellNote } from "./shell-note.ts";
import { SpendTally } from "./spend-tally.ts";
import type { OutputShape } from "./structured-output.ts";
import { EndedByHook, stoppedByHook } from "./turn-end.ts";

export type EngineDeps = Omit<QueryDeps, "hookCommon" | "endTurn"> & {
  readonly questions: Questions;
  readonly system: string;
  /** Working folder, platform, date, branch and instruction file, as text for the first message. */
  describeSession(): Promise<string>;
  /** Where the conversation is written; empty where nothing is kept. */
  readonly transcriptPath: string;
  /** Called when the conversation starts anew. */
  forgetFiles(): void;
  /** Ends what runs in the background. @returns one phrase for each thing that it ended. */
  endBackgroundWork(): Promise<readonly string[]>;
};

export type EngineOptions = {
  readonly provider: Provider;
  readonly model: string;
  readonly restored?: RestoredSession;
  /** What the session has spent before this process. */
  readonly earlierCharges?: readonly Charge[];
  readonly maxSteps?: number;
  /** Asked in turn when a model is overloaded: names or aliases. */
  readonly fallbackModels?: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: Thinking;
  /** The shape that each turn's answer must have. */
  readonly shape?: OutputShape;
};

const MAX_KEPT_PROMPTS = 20;
/** Hooks at the end of a session keep nobody waiting for longer. */
const CLOSE_HOOKS_MS = 1_500;
const PLAN_NOTE = "Plan mode is on: look at whatever you need, change nothing, and answer with a plan.";

/** One conversation: its messages, its turns one at a time, and the stream of events that all readers see. */
export class QueryEngine implements Engine {
  readonly #deps: EngineDeps;
  readonly #options: EngineOptions;
  readonly #queue: InputQueue;
  readonly #listeners = new Set<(envelope: EventEnvelope) => void>();
  readonly #relay: QuestionRelay;
  readonly #total = new SpendTally();
  readonly #unwatchSpend: () => void;
  #provider: Provider;
  #model: string;
  #effort: Effort | undefined;
  #thinking: Thinking | undefined;
  #isStarted = false;
  #isCleared = false;
  #messages: readonly Message[];
  /** What the person ran with `!` since the last turn: told to the model with the next input. */
  #shellNotes: string[] = [];
  /** The person's own words of this session, for a judge of calls; the oldest are dropped. */
  #prompts: readonly string[] = [];
  #turn: AbortController | undefined;
  #isClosed = false;
  /** Of the newest turn. */
  #spentInTurn = new SpendTally();
  #denials: readonly PermissionDenial[] = [];

  constructor(deps: EngineDeps, options: EngineOptions) {
    const { provider, model, restored, effort, thinking } = options;
    this.#deps = deps;
    this.#options = options;
    this.#provider = provider;
    this.#model = model;
    this.#effort = effort;
    this.#thinking = thinking;
    this.#messages = restored?.messages ?? [];
    this.#queue = new InputQueue((queue, total) => this.#emit({ type: "queue_changed", queue, total }));
    for (const charge of options.earlierCharges ?? []) this.#total.add(charge);
    this.#unwatchSpend = deps.spend.watch?.((charge) => this.#charge(charge)) ?? (() => undefined);
    this.#relay = new QuestionRelay(deps.questions, (event) => this.#emit(event));
  }

  get questions(): Questions {
    return this.#deps.questions;
  }

  get state(): EngineState {
    const { usage, costUsd, usageByModel, bySource } = this.#total.spent;
    return {
      sessionId: this.#deps.log.sessionId,
      model: this.#model,
      providerName: this.#provider.name,
      mode: this.#deps.permissions.mode,
      busy: this.#turn !== undefined,
      messages: this.#messages,
      usage,
      costUsd,
      usageByModel,
      spendBySource: bySource,
      usedTokens: estimateInputTokens(this.#messages, 0),
      windowTokens: this.#deps.catalog.capabilities(this.#model).contextWindow,
      ...(this.#effort !== undefined && { effort: this.#effort }),
      ...(this.#thinking !== undefined && { thinking: this.#thinking }),
      queue: this.#queue.items,
    };
  }

  /** What stands before every conversation. */
  get system(): string {
    return this.#deps.system;
  }

  /** What the person typed since the start, oldest first: at most the last `MAX_KEPT_PROMPTS`. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** Tells the person one line, beside the conversation. */
  tell(message: string): void {
    this.#emit({ type: "notice", message });
  }

  #charge(charge: Charge): void {
    this.#total.add(charge);
    this.#spentInTurn.add(charge);
  }

  /** Input tokens of a request as the provider counts them; undefined where it can't. */
  async countTokens(
    request: Pick<ProviderRequest, "system" | "tools" | "messages">,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { maxOutputTokens } = this.#deps.catalog.capabilities(this.#model);
    return this.#provider.countTokens?.({ ...request, model: this.#model, maxTokens: maxOutputTokens }, signal);
  }

  subscribe(listener: (envelope: EventEnvelope) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async submit(input: UserInput): Promise<TurnReport> {
    const turn = this.#begin();
    const startedAt = this.#deps.clock.monotonicMs();
    this.#spentInTurn = new SpendTally();
    this.#denials = [];
    const result = await this.#runTurn(input, turn.signal).catch((error: unknown): QueryResult => {
      // Only our own faults and a log that can't be written come here: the turn ends, the session stays.
      return {
        outcome: { reason: "failed", message: errorMessage(error) },
        messages: this.#messages,
        steps: 0,
        apiMs: 0,
      };
    });
    this.#messages = result.messages;
    if (result.chosen) {
      this.#provider = result.chosen.provider;
      this.#model = result.chosen.model;
    }
    const report = this.#report(stoppedByHook(result, turn.signal), startedAt);
    const outcome = this.#persistEnd(report);
    await this.#deps.log.sync().catch(() => undefined);
    if (this.#turn === turn) this.#turn = undefined;
    const final = { ...report, outcome };
    this.#emit({ type: "turn_finished", report: final });
    if (outcome.reason !== "aborted") this.#startWaiting();
    return final;
  }

  enqueue(input: UserInput, when: QueueTime): string {
    const id = this.#deps.ids.next();
    this.#queue.add(id, input, when);
    if (!this.#turn) this.#startWaiting();
    return id;
  }

  withdraw(id: string): UserInput | undefined {
    return this.#queue.withdraw(id);
  }

  /** Begins a turn with what waits, if nothing runs. Its end is told as an event; nobody awaits it. */
  #startWaiting(): void {
    if (this.#turn || this.#isClosed) return;
    const input = this.#queue.takeNext();
    // `submit` turns every fault into a report.
    if (input) void this.submit(input);
  }

  async runShell(command: string): Promise<void> {
    const turn = this.#begin();
    try {
      const note = await shellNote(command, this.#deps, (event) => this.#emit(event), turn.signal);
      this.#shellNotes.push(note);
    } finally {
      if (this.#turn === turn) this.#turn = undefined;
    }
  }

  interrupt(): void {
    this.#turn?.abort(new Error("Interrupted by the user."));
  }

  setMode(mode: PermissionMode): void {
    this.#deps.permissions.mode = mode;
    this.#emit({ type: "mode_changed", mode });
  }

  async setModel(name: string): Promise<void> {
    if (this.#turn) throw new UserFacingError("A turn is running: wait for it or press Esc, then change the model.");
    const { provider, model } = await this.#deps.selectModel(name);
    this.#provider = provider;
    this.#model = model;
    this.#emit({ type: "model_changed", model });
  }

  setEffort(effort: Effort | undefined): void {
    this.#effort = effort;
  }

  setThinking(thinking: Thinking | undefined): void {
    this.#thinking = thinking;
  }

  clear(): void {
    if (this.#turn) throw new UserFacingError("A turn is running: wait for it or press Esc, then clear.");
    this.#messages = [];
    this.#prompts = [];
    this.#shellNotes = [];
    this.#deps.log.append({ kind: "cleared" });
    this.#deps.forgetFiles();
    void this.#runHooks({ event: "SessionEnd", reason: "clear" }, new AbortController().signal);
    this.#isStarted = false;
    this.#isCleared = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.interrupt();
    if (this.#isStarted)
      await this.#runHooks({ event: "SessionEnd", reason: "exit" }, AbortSignal.timeout(CLOSE_HOOKS_MS));
    this.#relay.close();
    this.#unwatchSpend();
    this.#listeners.clear();
    await this.#deps.endBackgroundWork();
    await this.#deps.log.sync();
  }

  #begin(): AbortController {
    if (this.#turn) throw new Error("A turn is already running.");
    this.#turn = new AbortController();
    return this.#turn;
  }

  async #runTurn(input: UserInput, signal: AbortSignal): Promise<QueryResult> {
    const hooked = await this.#greet(input, signal);
    if ("refusal" in hooked) {
      const outcome = { reason: "stopped_short", message: hooked.refusal } as const;
      return { outcome, messages: this.#messages, steps: 0, apiMs: 0 };
    }
    this.#prompts = [...this.#prompts, input.prompt].slice(-MAX_KEPT_PROMPTS);
    const message = await this.#userMessage(input, hooked.notes);
    this.#deps.log.append({ kind: "user", message, prompt: input.prompt });
    await this.#deps.log.sync();
    this.#messages = [...this.#messages, message];
    this.#emit({ type: "turn_started", message, prompt: input.prompt });

    this.#deps.spend.startTurn();
    const { maxSteps, fallbackModels = [], shape } = this.#options;
    const request = {
      provider: this.#provider,
      model: this.#model,
      system: this.#deps.system,
      messages: this.#messages,
      maxSteps,
      fallbackModels,
      effort: this.#effort,
      thinking: this.#thinking,
      shape,
      inputs: this.#queue,
      userMessage: (steering: UserInput, hookNote?: string) => this.#plainMessage(steering, hookNote),
    };
    const deps = {
      ...this.#deps,
      hookCommon: () => this.#hookCommon(),
      endTurn: (why?: string) => this.#endTurn(signal, why),
    };
    const events = query(request, deps, signal);
    for (;;) {
      const next = await events.next();
      if (next.done) return next.value;
      if (next.value.type === "permission_denied") this.#denials = [...this.#denials, next.value.denial];
      this.#tellTodos(next.value);
      this.#emit(next.value);
    }
  }

  #tellTodos(event: EngineEvent): void {
    if (event.type !== "tool_finished" || event.display?.kind !== "todos") return;
    this.#emit({ type: "todos_changed", todos: event.display.todos });
  }

  /** A hook, or who answers questions, wants no more of this turn. */
  #endTurn(signal: AbortSignal, why: string | undefined): void {
    if (signal.aborted) return;
    if (why === undefined) this.interrupt();
    else this.#turn?.abort(new EndedByHook(why));
  }

  /** Lets hooks look at an input before it is taken. */
  async #greet(
    { prompt }: UserInput,
    signal: AbortSignal,
  ): Promise<{ readonly notes: readonly string[] } | { readonly refusal: string }> {
    const notes: string[] = [];
    if (!this.#isStarted) {
      this.#isStarted = true;
      const source = this.#isCleared ? "clear" : this.#messages.length > 0 ? "resume" : "startup";
      const start = { event: "SessionStart", source, model: this.#model } as const;
      const { additionalContext, stop } = await this.#runHooks(start, signal);
      if (stop) return { refusal: `A hook ended the session's first turn: ${stop.reason}` };
      if (additionalContext !== undefined) notes.push(additionalContext);
    }
    const { block, stop, additionalContext } = await this.#runHooks({ event: "UserPromptSubmit", prompt }, signal);
    const refusal = block?.reason ?? stop?.reason;
    if (refusal !== undefined) return { refusal: `A hook refused the prompt: ${refusal}` };
    return { notes: additionalContext === undefined ? notes : [...notes, additionalContext] };
  }

  async #runHooks(input: HookInput, signal: AbortSignal) {
    const { hooks } = this.#deps;
    if (!hooks.wants(input.event)) return {};
    const outcome = await hooks.run({ ...input, ...this.#hookCommon() }, signal).catch(() => ({}));
    if ("systemMessage" in outcome && outcome.systemMessage !== undefined) this.tell(outcome.systemMessage);
    return outcome;
  }

  #hookCommon(): HookCommon {
    const { log, transcriptPath, permissions } = this.#deps;
    return { sessionId: log.sessionId, transcriptPath, cwd: this.#deps.cwd(), mode: permissions.mode };
  }

  #plainMessage({ prompt, attachments = [], id }: UserInput, hookNote: string | undefined): UserMessage {
    this.#prompts = [...this.#prompts, prompt].slice(-MAX_KEPT_PROMPTS);
    const notes: UserBlock[] = hookNote === undefined ? [] : [{ type: "text", text: hookNote }];
    const content: UserBlock[] = [...notes, ...attachments, { type: "text", text: prompt }];
    return { role: "user", id: id ?? this.#deps.ids.next(), content };
  }

  async #userMessage({ prompt, attachments = [], id }: UserInput, hookNotes: readonly string[]): Promise<UserMessage> {
    const notes: string[] = [...hookNotes];
    if (this.#messages.length === 0) notes.push(await this.#deps.describeSession());
    notes.push(...this.#shellNotes.splice(0));
    if (this.#deps.permissions.mode === "plan") notes.push(PLAN_NOTE);
    const context: UserBlock[] = notes.filter((note) => note !== "").map((text) => ({ type: "text", text }));
    // The person's own words come last: the offline engine and every reader of the log find them there.
    const content: UserBlock[] = [...context, ...attachments, { type: "text", text: prompt }];
    return { role: "user", id: id ?? this.#deps.ids.next(), content };
  }

  #report(result: QueryResult, startedAt: number): TurnReport {
    const { usage, costUsd, usageByModel } = this.#spentInTurn.spent;
    return {
      outcome: result.outcome,
      text: lastWords(result.messages),
      steps: result.steps,
      durationMs: Math.round(this.#deps.clock.monotonicMs() - startedAt),
      apiMs: result.apiMs,
      usage,
      costUsd,
      usageByModel,
      denials: this.#denials,
      ...("structuredOutput" in result && { structuredOutput: result.structuredOutput }),
    };
  }

  #persistEnd(report: TurnReport): Outcome {
    try {
      this.#deps.log.append({ kind: "turn_finished", reason: report.outcome.reason, costUsd: report.costUsd ?? null });
      return report.outcome;
    } catch (error) {
      return { reason: "failed", message: errorMessage(error) };
    }
  }

  #emit(event: EngineEvent): void {
    const envelope = { sessionId: this.#deps.log.sessionId, agentId: "main", parentToolUseId: null, event };
    for (const listener of this.#listeners) listener(envelope);
  }
}
