import { type CompactOptions, type Engine, type EngineState, typedWords, type UserInput } from "../contracts/engine.ts";
import { errorMessage } from "../contracts/errors.ts";
import type { EngineEvent, EventEnvelope, QueueTime, TurnReport } from "../contracts/event.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Effort, Thinking } from "../contracts/provider.ts";
import type { Questions } from "../contracts/question.ts";
import type { ContextChange } from "./apply-context-edit.ts";
import { hookFields } from "./ask-hooks.ts";
import { CacheWarmth, lastRequestOf } from "./cache-warmth.ts";
import { CacheWatch } from "./cache-watch.ts";
import { CompactionBreaker } from "./compact-request.ts";
import { Compactions } from "./compactions.ts";
import { Conversation } from "./conversation.ts";
import { ConversationMoves } from "./conversation-moves.ts";
import { type EngineDeps, type EngineOptions, turnDeps } from "./engine-deps.ts";
import { engineState } from "./engine-state.ts";
import { EventHub } from "./event-hub.ts";
import { InputHooks } from "./input-hooks.ts";
import { InputQueue, type Waiting } from "./input-queue.ts";
import { query } from "./query.ts";
import { QuestionRelay } from "./question-relay.ts";
import { followScreen, type ScreenLog } from "./screen-log.ts";
import { settleTools } from "./settle-tools.ts";
import { SpendBook } from "./spend-tally.ts";
import { failureOutcome } from "./step-result.ts";
import { emitAll } from "./stream-events.ts";
import { TaskNotices } from "./task-notices.ts";
import type { TurnDeps, TurnResult } from "./turn.ts";
import { EndedByHook, TurnRecord } from "./turn-end.ts";
import { turnRequest } from "./turn-request.ts";
import { TurnSlot } from "./turn-slot.ts";
import { UserMessages } from "./user-messages.ts";
import { UserShell } from "./user-shell.ts";

/** How long closing a session waits for an interrupted turn, and then for its hooks. */
const CLOSE_MS = 1_500;

/** An agent: its conversation, its turns (one at a time), and the event stream for all readers. */
export class QueryEngine implements Engine {
  /** The system prompt. After a change between turns, the next request sends everything without the cache. */
  system: string;
  readonly #deps: EngineDeps;
  readonly #options: EngineOptions;
  readonly #shell: UserShell;
  readonly taskNews: TaskNotices;
  readonly conversation: Conversation;
  readonly cache: CacheWarmth;
  readonly #breaker = new CompactionBreaker();
  readonly #cacheWatch: CacheWatch;
  readonly #events: EventHub;
  readonly userMessages: UserMessages;
  readonly #inputHooks: InputHooks;
  readonly #queue: InputQueue;
  readonly #relay: QuestionRelay;
  readonly #spend: SpendBook;
  readonly #screen: ScreenLog;
  readonly #record: TurnRecord;
  readonly #unwatch: () => void;
  readonly #compactions: Compactions;
  readonly moves: ConversationMoves;
  readonly #slot = new TurnSlot({
    rested: () => {
      this.#queue.rested();
      this.taskNews.rested();
    },
    emit: (event) => this.#events.emit(event),
    startNext: () => this.#startNext(),
  });

  constructor(deps: EngineDeps, options: EngineOptions) {
    this.system = deps.system;
    this.#deps = deps;
    this.#options = options;
    this.conversation = new Conversation(deps, options.restored);
    this.cache = new CacheWarmth(deps.clock, deps.cacheTtlMs, lastRequestOf(options.restored));
    this.#cacheWatch = new CacheWatch(deps.clock, deps.cacheTtlMs);
    this.#events = new EventHub(deps.log.sessionId, deps.agent);
    this.#events.subscribe(({ event }) => this.#cacheWatch.note(event));
    const hooking = {
      hooks: deps.hooks,
      hookCommon: () => hookFields(this.#deps),
      notify: (line: string) => this.notify(line),
    };
    this.#inputHooks = new InputHooks(hooking, this.conversation.messages.length > 0 ? "resume" : "startup");
    this.#queue = new InputQueue(this.#events.emit);
    const own = { conversation: this.conversation, inputs: this.#queue, events: this.#events };
    this.userMessages = new UserMessages(deps, own);
    this.#shell = new UserShell(deps, { inputs: this.#queue, messages: this.userMessages, emit: this.#events.emit });
    this.taskNews = new TaskNotices(this.#queue, this.#events, this.#slot);
    this.#spend = new SpendBook(deps.spend, options.earlierCharges);
    this.#relay = new QuestionRelay(deps, this.#queue, this.#events.emit);
    const recorded = { conversation: this.conversation, spend: this.#spend, relay: this.#relay };
    this.#record = new TurnRecord(deps, { ...recorded, prompt: this.userMessages.prompt });
    this.#screen = followScreen({ redactor: deps.redactor, conversation: this.conversation }, this.#events);
    this.#compactions = new Compactions(deps, {
      conversation: this.conversation,
      cache: this.cache,
      slot: this.#slot,
      events: this.#events,
      system: () => this.system,
      loopDeps: (signal) => this.#loopDeps(signal),
      publish: (events) => this.#publish(events),
    });
    this.moves = new ConversationMoves({
      conversation: this.conversation,
      userMessages: this.userMessages,
      events: this.#events,
      forgetFiles: () => deps.forgetFiles(),
      assertRest: (then) => this.#slot.assertRest(then),
    });
    this.#unwatch = deps.state.onChanged((change) => {
      if (change === "mode") this.#events.emit({ type: "mode_changed", mode: deps.permissions.mode });
    });
  }

  get prompts() {
    return this.conversation.prompts;
  }

  get state(): EngineState {
    return engineState(this.#deps, this, { spend: this.#spend, queue: this.#queue, isBusy: this.#slot.isBusy });
  }

  get questions(): Questions {
    return this.#deps.questions;
  }

  /** Shows the person one line, outside the conversation. */
  notify(message: string, level?: "info"): void {
    this.#events.emit({ type: "notice", message, ...(level && { level }) });
  }

  subscribe(listener: (envelope: EventEnvelope) => void): () => void {
    return this.#events.subscribe(listener);
  }

  async submit(input: UserInput): Promise<TurnReport> {
    const signal = this.#slot.begin();
    this.#record.start(input);
    // This catches only Quoll's own faults and failed log writes: the turn ends, the session continues.
    const result = await this.#runTurn(input, signal).catch(
      (error: unknown): TurnResult => ({ outcome: failureOutcome(error, this.#deps.noteFault), steps: 0, apiMs: 0 }),
    );
    const report = this.#record.report(result, signal);
    await this.#screen.settled();
    const final = await this.#record.end(report);
    if (result.isPromptRefused) this.userMessages.dropRefused(this.#deps.noteFault);
    this.#slot.end({ report: final, interrupted: final.outcome.reason === "aborted" });
    return final;
  }

  enqueue(input: UserInput, when: QueueTime, work?: Waiting["work"]): string {
    this.#slot.assertOpen();
    const id = work?.id ?? this.#deps.ids.next();
    this.#queue.add({ id, input, when, work });
    this.#slot.queued(when);
    return id;
  }

  withdraw(id: string, to?: "edited" | "cancelled"): UserInput | undefined {
    return this.#queue.withdraw(id, to);
  }

  startQueued(): void {
    this.#slot.startNext();
  }

  takeBackPrompt(): UserInput | undefined {
    const input = this.#slot.isBusy ? undefined : this.userMessages.takeBack();
    if (input) this.#slot.hold();
    return input;
  }

  /** Starts a turn with the next waiting input. Events report the end of the turn, so no caller awaits it. */
  #startNext(): void {
    const next = this.#queue.takeNext();
    const answer = this.#shell.takeAnswer();
    const input = next?.input ?? this.taskNews.takeWaking() ?? answer;
    if (next?.work) void this.#slot.lead(next.work);
    else if (next?.when === "shell") this.runShell(next.input.prompt, true).catch((e) => this.notify(errorMessage(e)));
    // `submit` turns every fault into a report.
    else if (input) void this.submit(input);
  }

  /** @param isWaiting True if the command comes from the queue. */
  async runShell(command: string, isWaiting = false): Promise<void> {
    await this.#slot.operate((signal) => this.#shell.run(command, { isWaiting, signal }));
  }

  interrupt(): void {
    this.#queue.interrupted();
    this.#slot.abort(new Error("Interrupted by the user."));
  }

  compact(options: CompactOptions = {}): Promise<number | undefined> {
    this.#slot.assertRest("compact");
    return this.#compactions.start(options);
  }

  /** Removes parts from the model's view, or pins them. @throws {UserFacingError} a turn runs. */
  editContext(change: ContextChange): void {
    this.#slot.assertRest("change the context");
    this.#compactions.edit(change);
  }

  undoCompaction(): void {
    this.#slot.assertRest("undo the compaction");
    if (this.conversation.undoCompaction() !== "chosen") this.#breaker.hold();
    this.#events.emit({ type: "conversation_changed", by: "move" });
  }

  setMode(mode: PermissionMode): void {
    this.#deps.permissions.mode = mode;
  }

  async setModel(name: string): Promise<void> {
    this.#slot.assertRest("change the model");
    const { state, selectModel } = this.#deps;
    state.model = await selectModel(name);
    this.#events.emit({ type: "model_changed", model: state.model.model });
  }

  setEffort(effort: Effort | undefined): void {
    this.#deps.state.effort = effort;
  }

  setThinking(thinking: Thinking | undefined): void {
    this.#deps.state.thinking = thinking;
  }

  clear(): string {
    const clearedId = this.moves.clear();
    this.#inputHooks.clear();
    return clearedId;
  }

  async close(): Promise<void> {
    this.#slot.close();
    this.#compactions.close();
    this.interrupt();
    await this.#slot.settled(CLOSE_MS);
    await this.#inputHooks.end(AbortSignal.timeout(CLOSE_MS));
    this.#relay.close();
    this.#unwatch();
    this.#spend.close();
    this.#events.close();
    await this.#deps.endBackgroundWork();
    await this.#screen.settled();
    await this.conversation.sync();
  }

  async #runTurn(input: UserInput, signal: AbortSignal): Promise<TurnResult> {
    const { state } = this.#deps;
    const hooked = await this.#inputHooks.ask(input.prompt, state.model.model, signal);
    if ("refusal" in hooked)
      return { outcome: { reason: "stopped_short", message: hooked.refusal }, steps: 0, apiMs: 0 };
    this.#deps.notePrompt?.(typedWords(input));
    const settled = { model: state.model.model, system: this.system, inputs: this.#queue };
    await this.#publish(settleTools(settled, this.#loopDeps(signal), signal));
    const message = await this.userMessages.open(input, hooked, signal);
    this.#deps.checkpoints?.promptSent(message.id);
    await this.conversation.sync();
    this.#events.emit({ type: "turn_started", message, prompt: typedWords(input) });

    this.#deps.spend.startTurn();
    const { userMessages, system } = this;
    const parts = { options: this.#options, state, system, inputs: this.#queue, userMessages };
    return this.#publish(query(turnRequest(input, parts, signal), this.#loopDeps(signal), signal));
  }

  #loopDeps(signal: AbortSignal): TurnDeps {
    return turnDeps(this.#deps, {
      conversation: this.conversation,
      cache: this.cache,
      cacheWatch: this.#cacheWatch,
      breaker: this.#breaker,
      hookCommon: () => hookFields(this.#deps),
      endTurn: (why?: string) => this.#endTurn(signal, why),
    });
  }

  #publish<Value>(events: AsyncGenerator<EngineEvent, Value>): Promise<Value> {
    return emitAll(events, (event) => {
      this.#record.note(event);
      this.#events.emit(this.#relay.withoutWait(event));
    });
  }

  /** Called when a hook, or the program that answers questions, ended this turn. */
  #endTurn(signal: AbortSignal, why: string | undefined): void {
    if (signal.aborted) return;
    if (why === undefined) this.interrupt();
    else this.#slot.abort(new EndedByHook(why));
  }
}
