import type { Engine, EngineState, UserInput } from "../contracts/engine.ts";
import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import type { EngineEvent, EventEnvelope, Outcome, TurnReport } from "../contracts/event.ts";
import { type Message, textOf, type Usage, type UserBlock, type UserMessage } from "../contracts/message.ts";
import type { PermissionMode, Questions } from "../contracts/permission.ts";
import type { Provider } from "../contracts/provider.ts";
import type { RestoredSession } from "../contracts/session.ts";
import { type QueryDeps, type QueryResult, query } from "./query.ts";
import { QuestionRelay } from "./question-relay.ts";
import { shellNote } from "./shell-note.ts";
import { estimateInputTokens } from "./token-estimate.ts";
import { TurnLedger } from "./turn-ledger.ts";

export type EngineDeps = Omit<QueryDeps, "provider"> & {
  readonly questions: Questions;
  readonly system: string;
  /** Working folder, platform, date, branch and instruction file, as text for the first message. */
  describeSession(): Promise<string>;
  /** @throws {UserFacingError} the model cannot be used. */
  selectModel(name: string): Promise<{ readonly provider: Provider; readonly model: string }>;
  /** Called when the conversation starts anew. */
  forgetFiles(): void;
  /** Ends what runs in the background. @returns one phrase for each thing that it ended. */
  endBackgroundWork(): Promise<readonly string[]>;
};

export type EngineOptions = {
  readonly provider: Provider;
  readonly model: string;
  readonly restored?: RestoredSession;
  readonly maxSteps?: number;
};

const MAX_KEPT_PROMPTS = 20;
const PLAN_NOTE = "Plan mode is on: look at whatever you need, change nothing, and answer with a plan.";

/** One conversation: its messages, its turns one at a time, and the stream of events that all readers see. */
export class QueryEngine implements Engine {
  readonly #deps: EngineDeps;
  readonly #maxSteps: number | undefined;
  readonly #listeners = new Set<(envelope: EventEnvelope) => void>();
  readonly #relay: QuestionRelay;
  readonly #total: TurnLedger;
  #provider: Provider;
  #model: string;
  #messages: readonly Message[];
  /** What the person ran with `!` since the last turn: told to the model with the next input. */
  #shellNotes: string[] = [];
  /** The person's own words of this session, for a judge of calls; the oldest are dropped. */
  #prompts: readonly string[] = [];
  #turn: AbortController | undefined;
  /** Of the newest turn. */
  #ledger: TurnLedger | undefined;

  constructor(deps: EngineDeps, { provider, model, restored, maxSteps }: EngineOptions) {
    this.#deps = deps;
    this.#provider = provider;
    this.#model = model;
    this.#messages = restored?.messages ?? [];
    this.#maxSteps = maxSteps;
    this.#total = new TurnLedger(deps.catalog);
    this.#relay = new QuestionRelay(deps.questions, (event) => this.#emit(event));
  }

  get questions(): Questions {
    return this.#deps.questions;
  }

  get state(): EngineState {
    const { usage, costUsd, byModel } = this.#total.snapshot();
    return {
      sessionId: this.#deps.log.sessionId,
      model: this.#model,
      providerName: this.#provider.name,
      mode: this.#deps.permissions.mode,
      busy: this.#turn !== undefined,
      messages: this.#messages,
      usage,
      costUsd,
      usageByModel: byModel,
      usedTokens: estimateInputTokens(this.#messages, 0),
      windowTokens: this.#deps.catalog.capabilities(this.#model).contextWindow,
    };
  }

  /** What the person typed since the start, oldest first: at most the last `MAX_KEPT_PROMPTS`. */
  get prompts(): readonly string[] {
    return this.#prompts;
  }

  /** Tells the person one line, beside the conversation. */
  tell(message: string): void {
    this.#emit({ type: "notice", message });
  }

  /** Counts a request that was made beside the conversation, such as a judge's. */
  charge(model: string, usage: Usage): void {
    this.#total.charge(model, usage);
    this.#ledger?.charge(model, usage);
  }

  subscribe(listener: (envelope: EventEnvelope) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async submit(input: UserInput): Promise<TurnReport> {
    const turn = this.#begin();
    const startedAt = this.#deps.clock.monotonicMs();
    const ledger = new TurnLedger(this.#deps.catalog);
    this.#ledger = ledger;
    const result = await this.#runTurn(input, ledger, turn.signal).catch((error: unknown): QueryResult => {
      // Only our own faults and a log that can't be written come here: the turn ends, the session stays.
      return {
        outcome: { reason: "failed", message: errorMessage(error) },
        messages: this.#messages,
        steps: 0,
        apiMs: 0,
      };
    });
    this.#messages = result.messages;
    await Promise.all([ledger.settle(), this.#total.settle()]);
    const report = this.#report(result, ledger, startedAt);
    const outcome = this.#persistEnd(report);
    await this.#deps.log.sync().catch(() => undefined);
    if (this.#turn === turn) this.#turn = undefined;
    const final = { ...report, outcome };
    this.#emit({ type: "turn_finished", report: final });
    return final;
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

  clear(): void {
    if (this.#turn) throw new UserFacingError("A turn is running: wait for it or press Esc, then clear.");
    this.#messages = [];
    this.#prompts = [];
    this.#shellNotes = [];
    this.#deps.log.append({ kind: "cleared" });
    this.#deps.forgetFiles();
  }

  async close(): Promise<void> {
    this.interrupt();
    this.#relay.close();
    this.#listeners.clear();
    await this.#deps.endBackgroundWork();
    await this.#deps.log.sync();
  }

  #begin(): AbortController {
    if (this.#turn) throw new Error("A turn is already running.");
    this.#turn = new AbortController();
    return this.#turn;
  }

  async #runTurn(input: UserInput, ledger: TurnLedger, signal: AbortSignal): Promise<QueryResult> {
    this.#prompts = [...this.#prompts, input.prompt].slice(-MAX_KEPT_PROMPTS);
    const message = await this.#userMessage(input);
    this.#deps.log.append({ kind: "user", message, prompt: input.prompt });
    await this.#deps.log.sync();
    this.#messages = [...this.#messages, message];
    this.#emit({ type: "turn_started", message, prompt: input.prompt });

    const request = {
      model: this.#model,
      system: this.#deps.system,
      messages: this.#messages,
      maxSteps: this.#maxSteps,
    };
    const events = query(request, { ...this.#deps, provider: this.#provider }, signal);
    for (;;) {
      const next = await events.next();
      if (next.done) return next.value;
      ledger.note(next.value);
      this.#total.note(next.value);
      this.#tellTodos(next.value);
      this.#emit(next.value);
    }
  }

  #tellTodos(event: EngineEvent): void {
    if (event.type !== "tool_finished" || event.display?.kind !== "todos") return;
    this.#emit({ type: "todos_changed", todos: event.display.todos });
  }

  async #userMessage({ prompt, attachments = [] }: UserInput): Promise<UserMessage> {
    const notes: string[] = [];
    if (this.#messages.length === 0) notes.push(await this.#deps.describeSession());
    notes.push(...this.#shellNotes.splice(0));
    if (this.#deps.permissions.mode === "plan") notes.push(PLAN_NOTE);
    const context: UserBlock[] = notes.filter((note) => note !== "").map((text) => ({ type: "text", text }));
    // The person's own words come last: the offline engine and every reader of the log find them there.
    const content: UserBlock[] = [...context, ...attachments, { type: "text", text: prompt }];
    return { role: "user", id: this.#deps.ids.next(), content };
  }

  #report(result: QueryResult, ledger: TurnLedger, startedAt: number): TurnReport {
    const last = result.messages.at(-1);
    const { usage, costUsd, byModel, denials } = ledger.snapshot();
    return {
      outcome: result.outcome,
      text: last?.role === "assistant" ? textOf(last.content) : "",
      steps: result.steps,
      durationMs: Math.round(this.#deps.clock.monotonicMs() - startedAt),
      apiMs: result.apiMs,
      usage,
      costUsd,
      usageByModel: byModel,
      denials,
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
