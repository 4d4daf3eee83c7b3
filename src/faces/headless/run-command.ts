import type { CommandProblem, CommandResult } from "../../contracts/command-result.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { Outcome, TurnReport } from "../../contracts/event.ts";
import { NO_USAGE } from "../../contracts/message.ts";
import { type CommandText, commandText } from "./command-text.ts";

export type CommandPrompt = Extract<CommandText, { readonly prompt: string }>;

export type CommandRun = {
  /** Receives the progress of an operation. */
  readonly tell: (line: string) => void;
  readonly monotonicMs: () => number;
  readonly signal: AbortSignal;
};

const COMPLETED: Outcome = { reason: "completed" };
const ABORTED: Outcome = { reason: "aborted" };

/**
 * Waits for a slash command and reports it as a turn that asked no model. An error becomes the outcome.
 * @returns the prompt if the command returns one.
 */
export async function runCommand(
  answer: Promise<CommandResult>,
  { tell, monotonicMs, signal }: CommandRun,
): Promise<TurnReport | CommandPrompt> {
  const startedAt = monotonicMs();
  const said = await answer
    .then((result) => commandText(result, tell, signal))
    .catch((error: unknown) => ({ outcome: signal.aborted ? ABORTED : failed(error) }));
  if ("prompt" in said) return said;
  const { text, outcome } = "outcome" in said ? { text: "", ...said } : { ...said, outcome: outcomeOf(said, signal) };
  const durationMs = Math.round(monotonicMs() - startedAt);
  const nothing = { steps: 0, waitedMs: 0, apiMs: 0, usage: NO_USAGE, costUsd: 0, usageByModel: {}, denials: [] };
  return { outcome, text, durationMs, ...nothing };
}

function outcomeOf({ problem }: { readonly problem?: CommandProblem }, { aborted }: AbortSignal): Outcome {
  if (!problem) return COMPLETED;
  if (aborted) return ABORTED;
  const { reason, message } = problem;
  return { reason: reason === "limit" ? "budget" : "failed", message };
}

function failed(error: unknown): Outcome {
  return { reason: "failed", message: errorMessage(error) };
}
