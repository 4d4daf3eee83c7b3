import { ProviderError } from "../contracts/errors.ts";
import type { EngineEvent, Outcome } from "../contracts/event.ts";
import type { AssistantMessage } from "../contracts/message.ts";
import type { Bounded } from "./continuation-counts.ts";
import type { StepResult } from "./step-result.ts";
import {
  budgetLeft,
  CONTINUE_WRITING,
  EMPTY_ANSWER,
  MISSING_CALLS,
  REPEATED_CALLS,
  schemaMismatch,
} from "./system-reminders.ts";
import type { Turn } from "./turn.ts";

export type Continuation = Bounded & {
  /** The condition in words, for docs/protocol.md. */
  readonly about: string;
  when(found: StepResult, turn: Turn): boolean;
  /** Prepares the next request. @returns false if the preparation failed: the next continuation is tried. */
  apply(found: StepResult, turn: Turn): AsyncGenerator<EngineEvent, boolean>;
  /**
   * Handles the use after the last allowed use: either ends the turn with an outcome, or tells the person, after which
   * the next continuation is tried.
   */
  readonly spent?: { readonly outcome: Outcome } | { readonly notice: string };
};

const MAX_STOP_BLOCKS = 5;

/** All reasons for the loop to make another request, in the order in which they are tried. */
export const CONTINUATIONS: readonly Continuation[] = [
  {
    reason: "output_cap_raised",
    max: 1,
    resetsOn: "turn",
    about: "the answer reached the usual length limit: it is dropped, and requested again with the model's maximum",
    when: (found, turn) => found.kind === "dropped" && found.reply.stopReason === "max_tokens" && turn.canBeLarger(),
    async *apply() {
      yield { type: "restarted", reason: "The answer reached the usual length limit and is requested again." };
      return true;
    },
  },
  {
    reason: "compacted",
    max: 3,
    resetsOn: "accepted",
    about: "the conversation was too long for the window: it is compacted",
    when: (found) =>
      found.kind === "dropped" ? found.reply.stopReason === "context_exceeded" : failedAs(found) === "too_long",
    async *apply(found, turn) {
      if (!(yield* turn.compact("too_long"))) return false;
      if (found.kind === "dropped")
        yield { type: "restarted", reason: "The window was full before the answer was complete." };
      return true;
    },
  },
  {
    reason: "images_reduced",
    max: 2,
    resetsOn: "turn",
    about: "the provider refused an image: all images are encoded anew and smaller, and left out if that does not help",
    when: (found) => failedAs(found) === "image_too_large",
    apply: (_, turn) => turn.compact("image_too_large"),
  },
  {
    reason: "media_left_out",
    max: 3,
    resetsOn: "accepted",
    about: "the provider refused the number of images or documents: the oldest are left out",
    when: (found) => failedAs(found) === "too_many" && providerError(found).countLimit?.what !== "tools",
    apply: (found, turn) => turn.compact("image_too_large", providerError(found).countLimit),
  },
  {
    reason: "fallback_model",
    max: "each fallback model once",
    resetsOn: "turn",
    about: "the model is overloaded: the next fallback model takes over",
    when: (found) => failedAs(found) === "overloaded",
    apply: (found, turn) => turn.models.fallBack(providerError(found)),
  },
  {
    reason: "waited",
    max: "as often as the person agrees to wait",
    resetsOn: "turn",
    about: "the server asked to wait for longer than a minute, and the person agreed",
    when: (found) => failedAs(found) !== undefined,
    async *apply(found, turn) {
      const { confirmRetryWait } = await import("./confirm-retry-wait.ts");
      return yield* confirmRetryWait(providerError(found), turn.deps, turn.signal);
    },
  },
  {
    reason: "loop_told",
    max: 1,
    resetsOn: "turn",
    about: "the model repeats the same calls with the same results, and is told so",
    when: (found) => found.kind === "results" && found.isLoop,
    apply: (_, turn) => turn.say(REPEATED_CALLS, "harness"),
    spent: {
      outcome: {
        reason: "stopped_short",
        message: "The model kept repeating the same calls after a reminder, so the turn was ended.",
      },
    },
  },
  {
    reason: "tool_results",
    max: "as long as the model makes calls",
    resetsOn: "turn",
    about: "there are results to send",
    when: (found) => found.kind === "results",
    apply: asItIs,
  },
  {
    reason: "pause_turn",
    max: 5,
    resetsOn: "results",
    about: "the provider paused its answer",
    when: (found) =>
      found.kind === "answered" && found.reply.stopReason === "pause_turn" && found.reply.content.length > 0,
    apply: asItIs,
    spent: { outcome: { reason: "stopped_short", message: "The model paused again and again." } },
  },
  {
    reason: "output_continued",
    max: 3,
    resetsOn: "turn",
    about: "the answer reached its maximum length: the model is asked for the rest",
    when: (found) => found.kind === "answered" && found.reply.stopReason === "max_tokens",
    apply: (_, turn) => turn.say(CONTINUE_WRITING, "harness"),
  },
  {
    reason: "empty_answer",
    max: 1,
    resetsOn: "turn",
    about: "the answer was empty",
    when: (found) => found.kind === "answered" && found.isEmpty,
    apply: (_, turn) => turn.say(EMPTY_ANSWER, "harness"),
    spent: { outcome: { reason: "stopped_short", message: "The model gave empty answers." } },
  },
  {
    reason: "missing_calls",
    max: 1,
    resetsOn: "results",
    about: "the answer ended as if it made a call, but it made none",
    when: (found) => found.kind === "answered" && !found.isEmpty && found.reply.stopReason === "tool_use",
    apply: (_, turn) => turn.say(MISSING_CALLS, "harness"),
  },
  {
    reason: "steered",
    max: "each user input once",
    resetsOn: "turn",
    about: "the user sent an input before the turn ended",
    when: (found) => found.kind === "answered" && found.isDone,
    apply: (_, turn) => turn.takeSteering(),
  },
  {
    reason: "schema_mismatch",
    max: 2,
    resetsOn: "turn",
    about: "the answer does not fit the schema that was asked for",
    when: (found, turn) => found.kind === "answered" && found.isDone && turn.schemaProblem() !== undefined,
    apply: (_, turn) => turn.say(schemaMismatch(turn.schemaProblem() ?? ""), "harness"),
  },
  {
    reason: "stop_hook",
    max: MAX_STOP_BLOCKS,
    resetsOn: "turn",
    about: "a hook keeps the turn from ending",
    when: (found, turn) => found.kind === "answered" && found.isDone && turn.deps.hooks.wants("Stop"),
    async *apply(_, turn) {
      const words = yield* turn.stopWords();
      return words !== undefined && (yield* turn.say(words, "hook"));
    },
    spent: { notice: `Hooks kept the turn from ending ${MAX_STOP_BLOCKS} times, so it was ended.` },
  },
  {
    reason: "budget_left",
    max: "until the budget is spent, or two answers in a row make no calls",
    resetsOn: "turn",
    about: "the prompt gave the turn a budget (`+500k`), and some of it is left",
    when: (found, turn) => found.kind === "answered" && found.isDone && turn.budget?.goesOn === true,
    apply: (_, turn) => turn.say(budgetLeft(turn.budget?.leftTokens ?? 0), "harness"),
  },
];

/** True to drop a truncated answer and ask for it again. */
export function isBetterDropped(reply: AssistantMessage, turn: Turn): boolean {
  const found: StepResult = { kind: "dropped", reply };
  return CONTINUATIONS.some((one) => !turn.counts.isSpent(one) && one.when(found, turn));
}

/** The next request needs no preparation. */
// biome-ignore lint/correctness/useYield: nothing happens, so there is no event.
async function* asItIs(): AsyncGenerator<EngineEvent, boolean> {
  return true;
}

function failedAs(found: StepResult): ProviderError["kind"] | undefined {
  return found.kind === "failed" && found.error instanceof ProviderError ? found.error.kind : undefined;
}

function providerError(found: StepResult): ProviderError {
  if (found.kind === "failed" && found.error instanceof ProviderError) return found.error;
  throw new Error("Only a failed request can be recovered so.");
}
