import { typedWords, type UserInput } from "../contracts/engine.ts";
import type { EngineOptions } from "./engine-deps.ts";
import type { SessionState } from "./session-state.ts";
import type { TurnRequest } from "./turn.ts";
import { budgetIn } from "./turn-budget.ts";
import type { UserMessages } from "./user-messages.ts";

type Parts = Pick<TurnRequest, "system" | "inputs"> & {
  readonly options: Pick<EngineOptions, "maxSteps" | "fallbackModels" | "shape" | "turnBudgetTokens">;
  readonly state: Pick<SessionState, "effort" | "thinking">;
  readonly userMessages: Pick<UserMessages, "steering">;
};

/** The request of a turn for this input. */
export function turnRequest(input: UserInput, parts: Parts, signal: AbortSignal): TurnRequest {
  const { system, inputs, options, state, userMessages } = parts;
  const { maxSteps, fallbackModels = [], shape, turnBudgetTokens } = options;
  return {
    system,
    inputs,
    maxSteps,
    fallbackModels,
    shape,
    effort: state.effort,
    thinking: state.thinking,
    budgetTokens: budgetIn(typedWords(input)) ?? turnBudgetTokens,
    userMessage: (steering, hookNote) => userMessages.steering(steering, hookNote, signal),
  };
}
