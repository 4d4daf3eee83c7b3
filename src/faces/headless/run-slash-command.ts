import {
  type CommandProblem,
  type CommandResult,
  linesOf,
  type OperationProgress,
} from "../../contracts/command-result.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { Outcome, TurnReport } from "../../contracts/event.ts";
import { NO_USAGE, type UserBlock } from "../../contracts/message.ts";

export type CommandPrompt = Extract<CommandText, { readonly prompt: string }>;

export type CommandRun = {
  /** Receives the progress of an operation. */
  readonly notify: (line: string) => void;
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
  { notify, monotonicMs, signal }: CommandRun,
): Promise<TurnReport | CommandPrompt> {
  const startedAt = monotonicMs();
  const said = await answer
    .then((result) => commandText(result, notify, signal))
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

type Prompt = { readonly prompt: string; readonly attachments?: readonly UserBlock[]; readonly skill?: string };

/** The result of a command without a screen: text for the person, or a prompt for the model. */
type CommandText = { readonly text: string; readonly problem?: CommandProblem } | Prompt;

/**
 * Converts a command's result to text. An operation runs to its end; a list or form becomes lines that name the
 * argument to type.
 * @param notify Receives the progress of an operation.
 */
async function commandText(
  result: CommandResult,
  notify: (line: string) => void,
  signal: AbortSignal,
): Promise<CommandText> {
  if (result.kind === "prompt") return promptOf(result);
  if (result.kind === "text") {
    const { lines, problem } = result;
    return { text: lines.join("\n"), ...(problem && { problem }) };
  }
  if (result.kind !== "operation") return { text: linesOf(result).join("\n") };
  let isBegun = !result.isLate;
  if (isBegun) notify(result.title);
  const report = ({ text }: OperationProgress) => {
    if (!isBegun) notify(result.title);
    isBegun = true;
    notify(text);
  };
  return commandText(await result.run(report, signal), notify, signal);
}

function promptOf({ prompt, attachments, skill }: Extract<CommandResult, { kind: "prompt" }>): Prompt {
  return { prompt, ...(attachments && { attachments }), ...(skill !== undefined && { skill }) };
}
