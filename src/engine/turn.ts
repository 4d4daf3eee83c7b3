import type { CompactionReason } from "../contracts/compaction.ts";
import { typedWords, type UserInput } from "../contracts/engine.ts";
import type { CountLimit } from "../contracts/errors.ts";
import type { EngineEvent, Outcome } from "../contracts/event.ts";
import { toolUses, type UserMessage } from "../contracts/message.ts";
import type { Effort, Thinking } from "../contracts/provider.ts";
import type { Asker } from "../contracts/question.ts";
import type { CacheWarmth } from "./cache-warmth.ts";
import { isNearlyFull } from "./compact.ts";
import type { CompactDeps } from "./compact-request.ts";
import { ContinuationCounts } from "./continuation-counts.ts";
import { keepWords } from "./display-hooks.ts";
import { finalText } from "./final-text.ts";
import { hookedSteering, hookedStop } from "./hooked-step.ts";
import type { InputQueue } from "./input-queue.ts";
import { LoopGuard } from "./loop-guard.ts";
import { type ChosenModel, ModelFallback } from "./model-fallback.ts";
import { inputSize, limitsOf, requestSize } from "./request-size.ts";
import type { SessionState } from "./session-state.ts";
import { settleTools } from "./settle-tools.ts";
import { answeredStep, failureOutcome, isTooLong, outcomeOfReply, type StepResult } from "./step-result.ts";
import { type OutputShape, readStructured } from "./structured-output.ts";
import { budgetNearlySpent } from "./system-reminders.ts";
import { type Step, type StepDeps, type StepRequest, takeStep } from "./take-step.ts";
import { TurnBudget } from "./turn-budget.ts";
import { TurnRoom } from "./turn-room.ts";
import { windowNote } from "./window-notes.ts";

/** The number of overloads in a row before a fallback model is used, if there is one. */
const OVERLOADS_BEFORE_FALLBACK = 3;

export type TurnDeps = StepDeps &
  CompactDeps & {
    readonly cache: CacheWarmth;
    readonly asker: Asker;
    readonly state: SessionState;
    /** @throws {UserFacingError} the model cannot be used. */
    selectModel(name: string): Promise<ChosenModel>;
    /** Called when a step begins, before room is made for its request. */
    readonly stepBegins?: (() => Promise<void> | undefined) | undefined;
  };

export type TurnRequest = {
  readonly system: string;
  /** The maximum number of model requests; undefined for no limit. */
  readonly maxSteps: number | undefined;
  /** The fallback models, in the order of use. */
  readonly fallbackModels: readonly string[];
  readonly effort: Effort | undefined;
  readonly thinking: Thinking | undefined;
  readonly shape: OutputShape | undefined;
  /** The token budget of the turn. */
  readonly budgetTokens: number | undefined;
  readonly inputs: InputQueue;
  /** Makes the user message for an input that arrives during the turn. */
  userMessage(input: UserInput, hookNote?: string): Promise<UserMessage>;
};

export type TurnResult = {
  readonly outcome: Outcome;
  readonly steps: number;
  /** Time spent waiting for the provider. */
  readonly apiMs: number;
  readonly structuredOutput?: unknown;
  /** True if the prompt was too long: it was not sent, or the provider refused it, and no answer came. */
  readonly isPromptRefused?: true;
};

type Added = Extract<EngineEvent, { type: "words_added" }>["by"];
type Telling<Value> = AsyncGenerator<EngineEvent, Value>;

/** A running turn: its counters, and the actions of the loop and its continuations. */
export class Turn {
  readonly deps: TurnDeps;
  readonly signal: AbortSignal;
  readonly models: ModelFallback;
  readonly counts = new ContinuationCounts();
  readonly #request: TurnRequest;
  /** Undefined for a turn that ends when the model is done. */
  readonly budget: TurnBudget | undefined;
  readonly #loops = new LoopGuard();
  readonly #room: TurnRoom;
  #steps = 0;
  /**
   * The number of repeated requests that gave no usable answer: they are counted as steps, but not against the limit.
   */
  #lost = 0;
  #apiMs = 0;
  #isAnswered = false;
  #isPromptRefused = false;

  constructor(request: TurnRequest, deps: TurnDeps, signal: AbortSignal) {
    this.#request = request;
    this.deps = deps;
    this.signal = signal;
    this.models = new ModelFallback(request.fallbackModels, deps);
    this.#room = new TurnRoom(
      {
        chosen: () => this.#chosen(),
        asked: request,
        say: (text) => this.say(text, "harness"),
        takeNotes: () => this.takeNotes(),
      },
      deps,
      signal,
    );
    this.budget = request.budgetTokens === undefined ? undefined : new TurnBudget(request.budgetTokens);
  }

  /** The outcome when the limit of requests is reached; undefined while further requests are possible. */
  get limitOutcome(): Outcome | undefined {
    const { maxSteps } = this.#request;
    if (maxSteps === undefined || this.#steps - this.#lost < maxSteps) return undefined;
    return { reason: "step_limit", steps: maxSteps };
  }

  result(outcome: Outcome): TurnResult {
    const structured = outcome.reason === "completed" ? this.#structured() : undefined;
    return {
      outcome,
      steps: this.#steps,
      apiMs: this.#apiMs,
      ...(this.#isPromptRefused && { isPromptRefused: true }),
      ...(structured && "value" in structured && { structuredOutput: structured.value }),
    };
  }

  /**
   * Sends the next request and runs its calls.
   * @param dropsTruncated True if a truncated answer is dropped.
   * @throws the error of the request.
   */
  async *step(dropsTruncated: StepRequest["dropsTruncated"]): Telling<StepResult> {
    await this.deps.stepBegins?.();
    await this.deps.catalog.ready?.(this.models.chosen.model);
    yield* this.#room.make();
    this.#steps += 1;
    const step = yield* takeStep({ ...this.#stepRequest(), dropsTruncated }, this.deps, this.signal);
    this.#isAnswered ||= step.kind === "answered";
    if (this.budget && step.kind === "answered") {
      this.budget.note(step.reply.usage, step.results !== undefined);
      const { spentTokens, totalTokens } = this.budget;
      yield { type: "budget_changed", spentTokens, totalTokens };
    }
    return this.#found(step);
  }

  /** Records that the last request returned nothing usable. */
  noteLost(): void {
    this.#lost += 1;
  }

  /** The outcome of the turn when no continuation applies. */
  async *end(found: StepResult): Telling<Outcome> {
    switch (found.kind) {
      case "failed":
        this.#isPromptRefused = !this.#isAnswered && isTooLong(found.error);
        return failureOutcome(found.error, this.deps.noteFault);
      case "dropped":
        yield* keepWords(found.reply, this.deps, this.signal);
        return outcomeOfReply(found.reply);
      case "answered": {
        const problem = found.isDone ? this.schemaProblem() : undefined;
        if (problem === undefined) return outcomeOfReply(found.reply);
        const message = `The answer does not fit the schema that was asked for: ${problem}.`;
        return { reason: "stopped_short", why: "schema", message };
      }
      default:
        return { reason: "aborted" };
    }
  }

  /** True if the model can give a longer answer than the usual length. */
  canBeLarger(): boolean {
    const size = (wantsLargest: boolean) => requestSize({ ...this.#stepRequest(), wantsLargest }, this.deps).maxTokens;
    return size(true) > size(false);
  }

  /** @throws {NoRoomError} several compactions in a row freed almost nothing. */
  compact(why: CompactionReason, countLimit?: CountLimit): Telling<boolean> {
    return this.#room.compact(why, countLimit);
  }

  /** Adds a text from Quoll or from a hook for the model. */
  async *say(text: string, by: Added, announced?: readonly string[]): Telling<true> {
    const content = [{ type: "text", text }] as const;
    yield* this.#addWords({ role: "user", id: this.deps.ids.next(), content }, by, text, announced);
    return true;
  }

  /** The mismatch between the answer and its schema; undefined if the answer matches or there is no schema. */
  schemaProblem(): string | undefined {
    const structured = this.#structured();
    return structured && "problem" in structured ? structured.problem : undefined;
  }

  /** The reason with which a hook keeps the turn going; undefined if no hook does. */
  stopWords(): Telling<string | undefined> {
    const about = { isAgain: this.counts.of("stop_hook") > 0, lastText: finalText(this.deps.conversation.messages) };
    return hookedStop(about, this.deps, this.signal);
  }

  /** Adds the inputs that the user sent during the turn. @returns true if there were any such inputs. */
  takeSteering(): Telling<boolean> {
    const { inputs, userMessage } = this.#request;
    const { checkpoints } = this.deps;
    const add = (message: UserMessage, prompt: string) => this.#addWords(message, "user", prompt);
    const sent = (id: string) => inputs.sent(id);
    async function* take(input: UserInput, hookNote?: string): Telling<void> {
      const message = await userMessage(input, hookNote);
      yield* add(message, typedWords(input));
      sent(message.id);
      checkpoints?.promptSent(message.id);
    }
    return hookedSteering({ inputs, take, endTurn: this.deps.endTurn }, this.deps, this.signal);
  }

  /** Fixes the tools of the next request, and tells the model about events outside the turn. */
  async *takeNotes(): Telling<void> {
    const { inputs } = this.#request;
    yield* settleTools(
      { model: this.models.chosen.model, system: this.#request.system, inputs },
      this.deps,
      this.signal,
    );
    for (const note of inputs.notes) {
      yield* this.say(note.text, "harness", note.announced);
      inputs.noteSent(note);
    }
    const left = this.#windowNote();
    if (left !== undefined) yield* this.say(left, "harness");
    if (this.budget?.takeWarning()) yield* this.say(budgetNearlySpent(this.budget.leftTokens), "harness");
  }

  #windowNote(): string | undefined {
    const chosen = this.#chosen();
    // The offline engine would treat the text as a task.
    if (chosen.provider.name === "offline") return undefined;
    const { windowSettings, conversation } = this.deps;
    if (conversation.isWindowNoted) return undefined;
    const use = {
      usedTokens: inputSize(chosen.system, this.deps),
      growthTokens: conversation.tokens.growthTokens,
      isAuto: windowSettings?.auto !== false,
      isFull: isNearlyFull(chosen, this.deps),
    };
    return windowNote(use, limitsOf(chosen.model, this.deps));
  }

  #found(step: Step): StepResult {
    if (step.kind === "dropped") return step;
    if (step.kind === "aborted") return { kind: "aborted" };
    this.counts.reset("accepted");
    if (!step.results) return answeredStep(step.reply);
    this.counts.reset("results");
    const results = step.results.content.filter((block) => block.type === "tool_result");
    return { kind: "results", isLoop: this.#loops.note(toolUses(step.reply), results) };
  }

  #chosen(): ChosenModel & { readonly system: string } {
    return { ...this.models.chosen, system: this.#request.system };
  }

  #stepRequest(): Omit<StepRequest, "dropsTruncated"> {
    const { thinking, shape } = this.#request;
    return {
      ...this.#chosen(),
      step: this.#steps,
      effort: this.deps.state.skillEffort ?? this.#request.effort,
      thinking,
      outputSchema: shape?.schema,
      wantsLargest: this.counts.of("output_cap_raised") > 0,
      maxOverloads: this.models.hasMore ? OVERLOADS_BEFORE_FALLBACK : undefined,
      waited: (ms) => {
        this.#apiMs += Math.round(ms);
      },
    };
  }

  #structured() {
    const { shape } = this.#request;
    return shape && readStructured(finalText(this.deps.conversation.messages), shape);
  }

  async *#addWords(message: UserMessage, by: Added, prompt: string, announced?: readonly string[]): Telling<void> {
    const about = { ...(by !== "user" && { by }), ...(announced && { announced }) };
    this.deps.conversation.append({ kind: "user", message, prompt, ...about });
    yield { type: "words_added", message, by, prompt };
  }
}
