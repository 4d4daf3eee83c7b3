import type { Compactor } from "../contracts/compactor.ts";
import type { UserInput } from "../contracts/engine.ts";
import { ProviderError, SpendLimitError } from "../contracts/errors.ts";
import type { ContinueReason, EngineEvent, Outcome } from "../contracts/event.ts";
import type { HookCommon, HookInput, HookOutcome, Hooks } from "../contracts/hook.ts";
import {
  type AssistantMessage,
  type Message,
  type ToolResultBlock,
  textOf,
  toolUses,
  type UserBlock,
  type UserMessage,
} from "../contracts/message.ts";
import type { Asker } from "../contracts/permission.ts";
import type { Effort, Thinking } from "../contracts/provider.ts";
import { EMPTY_ANSWER, GO_ON_WRITING, hookSays, REPEATING, schemaMismatch } from "./harness-words.ts";
import type { InputQueue } from "./input-queue.ts";
import { lastWords } from "./last-words.ts";
import { LoopGuard } from "./loop-guard.ts";
import { type ChosenModel, ModelLine } from "./model-line.ts";
import { ended, failure, goOn, isEmpty, type Next, outcomeOf } from "./next.ts";
import { type OutputShape, readStructured } from "./structured-output.ts";
import { requestSize, type Step, type StepDeps, type StepRequest, takeStep } from "./take-step.ts";
import { waitAsAgreed } from "./wait-question.ts";

/** Times in a row that a model may pause its turn before we stop going on. */
const MAX_PAUSES = 5;
/** Times that a cut off answer may be gone on with. */
const MAX_CONTINUATIONS = 3;
/** Answers beside the schema that are sent back. */
const MAX_SCHEMA_RETRIES = 2;
/** Times that hooks may keep a turn from ending. */
const MAX_STOP_BLOCKS = 5;
/** Overloads in a row before another model is asked, where there is one. */
const OVERLOADS_BEFORE_FALLBACK = 3;
/** Of what is left of the window beside the answer: from here on old results are taken out. */
const COMPACT_AT = 0.9;

export type QueryDeps = StepDeps & {
  readonly compactor: Compactor;
  readonly hooks: Hooks;
  readonly asker: Asker;
  /** What every hook is told. */
  hookCommon(): HookCommon;
  /** Smaller pictures, where a provider refused them. Gives back the input itself when none can be made smaller. */
  reduceImages(messages: readonly Message[], signal: AbortSignal): Promise<readonly Message[]>;
  /** @throws {UserFacingError} the model cannot be used. */
  selectModel(name: string): Promise<ChosenModel>;
};

export type QueryRequest = ChosenModel & {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Model requests at most; undefined is no limit. */
  readonly maxSteps: number | undefined;
  /** Asked in turn when a model is overloaded. */
  readonly fallbackModels: readonly string[];
  readonly effort: Effort | undefined;
  readonly thinking: Thinking | undefined;
  readonly shape: OutputShape | undefined;
  readonly inputs: InputQueue;
  /** The message of the user's role for words that come in the middle of the turn. */
  userMessage(input: UserInput, hookNote?: string): UserMessage;
};

export type QueryResult = {
  readonly outcome: Outcome;
  readonly messages: readonly Message[];
  readonly steps: number;
  readonly apiMs: number;
  readonly structuredOutput?: unknown;
  /** The model that answered last: another one after a fall-back. */
  readonly chosen?: ChosenModel;
};

type Added = Extract<EngineEvent, { type: "words_added" }>["by"];

/**
 * Talks with the model until it asks for no more tools.
 *
 * Invariants: each `tool_use` is answered by one `tool_result` in the next message, whether it ran, failed, was refused
 * or was cancelled (the provider rejects a history that breaks this). Each way to go on has a name, and each recovery a
 * bound of its own, so that no loop can spin.
 */
export async function* query(
  request: QueryRequest,
  deps: QueryDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, QueryResult> {
  const turn = new Turn(request, deps, signal);
  for (;;) {
    let next: Next;
    try {
      next = yield* turn.iterate();
    } catch (error) {
      // What was said and done before our own fault stays.
      next = ended(signal.aborted ? { reason: "aborted" } : failure(error));
    }
    if (next.kind === "end") return turn.result(next);
    yield { type: "continued", reason: next.reason };
  }
}

class Turn {
  readonly #request: QueryRequest;
  readonly #deps: QueryDeps;
  readonly #signal: AbortSignal;
  readonly #loops = new LoopGuard();
  readonly #models: ModelLine;
  #messages: readonly Message[];
  #steps = 0;
  /** Requests that gave nothing and are made again: they count as steps, and not against the limit. */
  #lost = 0;
  #apiMs = 0;
  // Guards: each recovery at most so often.
  #wantsLargest = false;
  #pauses = 0;
  #continuations = 0;
  #isCompacted = false;
  #isReduced = false;
  #isEmptyTold = false;
  #schemaRetries = 0;
  #stopBlocks = 0;

  constructor(request: QueryRequest, deps: QueryDeps, signal: AbortSignal) {
    this.#request = request;
    this.#deps = deps;
    this.#signal = signal;
    this.#models = new ModelLine(request, deps);
    this.#messages = request.messages;
  }

  result(end: Extract<Next, { kind: "end" }>): QueryResult {
    return {
      outcome: end.outcome,
      messages: this.#messages,
      steps: this.#steps,
      apiMs: this.#apiMs,
      chosen: this.#models.chosen,
      ...("structuredOutput" in end && { structuredOutput: end.structuredOutput }),
    };
  }

  async *iterate(): AsyncGenerator<EngineEvent, Next> {
    const { maxSteps } = this.#request;
    if (this.#signal.aborted) return ended({ reason: "aborted" });
    if (maxSteps !== undefined && this.#steps - this.#lost >= maxSteps)
      return ended({ reason: "step_limit", steps: maxSteps });
    yield* this.#takeSteering();
    if (this.#signal.aborted) return ended({ reason: "aborted" });
    let step: Step;
    try {
      await this.#deps.catalog.ready?.(this.#models.chosen.model);
      yield* this.#fit();
      this.#steps += 1;
      step = yield* takeStep(this.#stepRequest(), this.#deps, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) return ended({ reason: "aborted" });
      return this.#again(yield* this.#recover(error));
    }
    if (step.kind === "dropped") return this.#again(yield* this.#afterDrop(step.reply));
    if (step.reply) this.#add(step.reply);
    if (step.kind === "aborted") return ended({ reason: "aborted" });
    if (step.results) this.#add(step.results);
    if (this.#signal.aborted) return ended({ reason: "aborted" });
    return step.results ? yield* this.#afterResults(step.reply, step.results) : yield* this.#afterAnswer(step.reply);
  }

  #again(next: Next): Next {
    if (next.kind === "go_on") this.#lost += 1;
    return next;
  }

  #stepRequest(): StepRequest {
    const { system, effort, thinking, shape } = this.#request;
    return {
      ...this.#models.chosen,
      step: this.#steps,
      system,
      messages: this.#messages,
      effort,
      thinking,
      outputSchema: shape?.schema,
      wantsLargest: this.#wantsLargest,
      maxOverloads: this.#models.hasMore ? OVERLOADS_BEFORE_FALLBACK : undefined,
      dropsTruncated: (reply) => this.#dropReason(reply) !== undefined,
      waited: (ms) => {
        this.#apiMs += Math.round(ms);
      },
    };
  }

  /** Whether an answer that was cut off is better asked for again, and how. */
  #dropReason({ stopReason }: AssistantMessage): ContinueReason | undefined {
    if (stopReason === "max_tokens" && !this.#wantsLargest && this.#canBeLarger()) return "output_cap_raised";
    return stopReason === "context_exceeded" && !this.#isCompacted ? "compacted" : undefined;
  }

  #canBeLarger(): boolean {
    const request = { ...this.#bareRequest(), wantsLargest: false };
    const usual = requestSize(request, this.#deps).maxTokens;
    return requestSize({ ...request, wantsLargest: true }, this.#deps).maxTokens > usual;
  }

  #bareRequest(): StepRequest {
    return { ...this.#stepRequest(), dropsTruncated: () => false };
  }

  async *#afterDrop(reply: AssistantMessage): AsyncGenerator<EngineEvent, Next> {
    const reason = this.#dropReason(reply);
    if (reason === "output_cap_raised") {
      this.#wantsLargest = true;
      yield { type: "restarted", reason: "The answer was cut off at its usual length and is asked for again." };
      return goOn(reason);
    }
    if (yield* this.#compact(true)) {
      yield { type: "restarted", reason: "The window was full before the answer was complete." };
      return goOn("compacted");
    }
    yield* this.#keepWords(reply);
    return ended(outcomeOf(reply));
  }

  /** Takes an answer that can't be asked for again into the history. Its calls never ran, so they are left out. */
  async *#keepWords(reply: AssistantMessage): AsyncGenerator<EngineEvent, void> {
    const content = reply.content.filter((block) => block.type !== "tool_use");
    if (textOf(content) === "") return;
    const message = { ...reply, content };
    this.#deps.log.append({ kind: "assistant", message });
    this.#add(message);
    yield { type: "assistant_message", message };
  }

  async *#afterResults(reply: AssistantMessage, results: UserMessage): AsyncGenerator<EngineEvent, Next> {
    this.#pauses = 0;
    const verdict = this.#loops.note(toolUses(reply), results.content.filter(isResult));
    if (verdict === "stop") {
      const message = "The model went on repeating the same calls after it was told; the turn was ended.";
      return ended({ reason: "stopped_short", message });
    }
    if (verdict === "fine") return goOn("tool_results");
    yield* this.#say(REPEATING, "harness");
    return goOn("loop_told");
  }

  async *#afterAnswer(reply: AssistantMessage): AsyncGenerator<EngineEvent, Next> {
    if (reply.stopReason === "pause_turn" && reply.content.length > 0) {
      this.#pauses += 1;
      if (this.#pauses <= MAX_PAUSES) return goOn("pause_turn");
      return ended({ reason: "stopped_short", message: "The model paused again and again." });
    }
    if (reply.stopReason === "max_tokens" && this.#continuations < MAX_CONTINUATIONS) {
      this.#continuations += 1;
      yield* this.#say(GO_ON_WRITING, "harness");
      return goOn("output_continued");
    }
    if (isEmpty(reply)) return yield* this.#afterNothing();
    const outcome = outcomeOf(reply);
    if (outcome.reason !== "completed") return ended(outcome);
    return yield* this.#beforeEnd();
  }

  async *#afterNothing(): AsyncGenerator<EngineEvent, Next> {
    if (this.#isEmptyTold) return ended({ reason: "stopped_short", message: "The model gave empty answers." });
    this.#isEmptyTold = true;
    yield* this.#say(EMPTY_ANSWER, "harness");
    return goOn("empty_answer");
  }

  /** The model is done; others may still have something to say. */
  async *#beforeEnd(): AsyncGenerator<EngineEvent, Next> {
    if (yield* this.#takeSteering()) return goOn("steered");
    const { shape } = this.#request;
    const structured = shape && readStructured(lastWords(this.#messages), shape);
    if (structured && "problem" in structured && this.#schemaRetries < MAX_SCHEMA_RETRIES) {
      this.#schemaRetries += 1;
      yield* this.#say(schemaMismatch(structured.problem), "harness");
      return goOn("schema_mismatch");
    }
    if (yield* this.#isKeptGoing()) return goOn("stop_hook");
    if (this.#signal.aborted) return ended({ reason: "aborted" });
    if (structured && "problem" in structured) {
      const message = `The answer does not fit the schema that was asked for: ${structured.problem}.`;
      return ended({ reason: "stopped_short", why: "schema", message });
    }
    return { ...ended({ reason: "completed" }), ...(structured && { structuredOutput: structured.value }) };
  }

  async *#isKeptGoing(): AsyncGenerator<EngineEvent, boolean> {
    const { hooks } = this.#deps;
    if (!hooks.wants("Stop")) return false;
    if (this.#stopBlocks >= MAX_STOP_BLOCKS) {
      yield { type: "notice", message: `Hooks kept the turn from ending ${MAX_STOP_BLOCKS} times: now it ends.` };
      return false;
    }
    const about = { isAgain: this.#stopBlocks > 0, lastText: lastWords(this.#messages) };
    const said = await this.#askHooks({ event: "Stop", ...about, ...this.#deps.hookCommon() });
    if (said?.systemMessage !== undefined) yield { type: "notice", message: said.systemMessage };
    if (said?.stop) yield { type: "notice", message: `A hook ended the turn: ${said.stop.reason}` };
    const words = said?.block ? hookSays(said.block.reason) : said?.additionalContext;
    if (words === undefined || said?.stop) return false;
    this.#stopBlocks += 1;
    yield* this.#say(words, "hook");
    return true;
  }

  /** @returns undefined when the turn was broken off meanwhile. */
  async #askHooks(input: HookInput & HookCommon): Promise<HookOutcome | undefined> {
    try {
      return await this.#deps.hooks.run(input, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      throw error;
    }
  }

  /** Words of the user's that came while the turn ran. They are claimed when hooks have seen them. @returns whether there were any. */
  async *#takeSteering(): AsyncGenerator<EngineEvent, boolean> {
    const { inputs, userMessage } = this.#request;
    let isTaken = false;
    for (const { id, prompt } of inputs.steering) {
      const said = await this.#askAbout(prompt);
      if (!said) return isTaken;
      const input = inputs.withdraw(id);
      if (!input) continue;
      const refusal = said.block ?? said.stop;
      if (said.systemMessage !== undefined) yield { type: "notice", message: said.systemMessage };
      if (refusal) yield { type: "notice", message: `A hook refused what was said: ${refusal.reason}` };
      else yield* this.#addWords(userMessage(input, said.additionalContext), "user", input.prompt);
      if (said.stop) this.#deps.endTurn?.(said.stop.reason);
      isTaken ||= !refusal;
    }
    return isTaken;
  }

  /** @returns undefined when the turn was broken off meanwhile. */
  async #askAbout(prompt: string): Promise<HookOutcome | undefined> {
    if (!this.#deps.hooks.wants("UserPromptSubmit")) return {};
    return this.#askHooks({ event: "UserPromptSubmit", prompt, ...this.#deps.hookCommon() });
  }

  async *#say(text: string, by: Added): AsyncGenerator<EngineEvent, void> {
    const content: readonly UserBlock[] = [{ type: "text", text }];
    yield* this.#addWords({ role: "user", id: this.#deps.ids.next(), content }, by, text);
  }

  async *#addWords(message: UserMessage, by: Added, prompt: string): AsyncGenerator<EngineEvent, void> {
    this.#deps.log.append({ kind: "user", message, prompt, ...(by !== "user" && { by }) });
    this.#add(message);
    yield { type: "words_added", message, by, prompt };
  }

  /** Makes room before it is missing. */
  async *#fit(): AsyncGenerator<EngineEvent, void> {
    const { inputTokens } = requestSize(this.#bareRequest(), this.#deps);
    const { contextWindow, maxOutputTokens } = this.#deps.catalog.capabilities(this.#models.chosen.model);
    const reservedTokens = Math.min(maxOutputTokens, contextWindow / 10);
    if (inputTokens >= (contextWindow - reservedTokens) * COMPACT_AT) yield* this.#compact(false);
  }

  async *#compact(isTooLong: boolean): AsyncGenerator<EngineEvent, boolean> {
    if (isTooLong && this.#isCompacted) return false;
    if (isTooLong) this.#isCompacted = true;
    const { contextWindow, maxOutputTokens } = this.#deps.catalog.capabilities(this.#models.chosen.model);
    const fitted = await this.#deps.compactor.fit(
      {
        messages: this.#messages,
        usedTokens: requestSize(this.#bareRequest(), this.#deps).inputTokens,
        windowTokens: contextWindow,
        reservedTokens: Math.min(maxOutputTokens, Math.floor(contextWindow / 10)),
        isTooLong,
      },
      this.#signal,
    );
    if (fitted.messages === this.#messages) return false;
    this.#messages = fitted.messages;
    const { freedTokens, note = "" } = fitted;
    yield { type: "compacted", why: isTooLong ? "too_long" : "full", freedTokens, note };
    return true;
  }

  /** Errors that a later step may still mend are not told before nothing is left to try. */
  async *#recover(error: unknown): AsyncGenerator<EngineEvent, Next> {
    if (error instanceof SpendLimitError) return ended({ reason: "budget", message: error.message });
    if (!(error instanceof ProviderError)) return ended(failure(error));
    if (error.kind === "too_long" && (yield* this.#compact(true))) return goOn("compacted");
    if (error.kind === "image_too_large" && !this.#isReduced) {
      this.#isReduced = true;
      const reduced = await this.#deps.reduceImages(this.#messages, this.#signal);
      if (reduced !== this.#messages) {
        this.#messages = reduced;
        return goOn("images_reduced");
      }
    }
    if (error.kind === "overloaded" && (yield* this.#models.fallBack(error))) return goOn("fallback_model");
    if (yield* waitAsAgreed(error, this.#deps, this.#signal)) return goOn("waited");
    return ended(this.#signal.aborted ? { reason: "aborted" } : failure(error));
  }

  #add(message: Message): void {
    this.#messages = [...this.#messages, message];
  }
}

function isResult(block: UserBlock): block is ToolResultBlock {
  return block.type === "tool_result";
}
