import {
  type CommandProblem,
  type CommandResult,
  linesOf,
  type OperationProgress,
} from "../../contracts/command-result.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { Outcome, TurnReport } from "../../contracts/event.ts";
import { NO_USAGE, type UserBlock } from "../../contracts/message.ts";

type CommandRun = {
  /** Receives the title of an operation, and its progress. */
  readonly report: (title: string, progress?: OperationProgress) => void;
  readonly monotonicMs: () => number;
  readonly signal: AbortSignal;
};

type Prompt = { readonly prompt: string; readonly attachments?: readonly UserBlock[]; readonly skill?: string };

/** The result of a command without a screen: text for the person, or a prompt for the model. */
type CommandText = { readonly text: string; readonly problem?: CommandProblem } | Prompt;

const COMPLETED: Outcome = { reason: "completed" };
const ABORTED: Outcome = { reason: "aborted" };

/**
 * Waits for a slash command and reports it as a turn that asked no model. An error becomes the outcome.
 * @returns the prompt if the command returns one.
 */
export async function runCommand(
  answer: Promise<CommandResult>,
  { report, monotonicMs, signal }: CommandRun,
): Promise<TurnReport | Prompt> {
  const startedAt = monotonicMs();
  const said = await answer
    .then((result) => commandText(result, report, signal))
    .catch((error: unknown) => ({ outcome: signal.aborted ? ABORTED : failed(error) }));
  if ("prompt" in said) return said;
  const { text, outcome } = "outcome" in said ? { text: "", ...said } : { ...said, outcome: outcomeOf(said, signal) };
  return { ...unasked(outcome), text, durationMs: Math.round(monotonicMs() - startedAt) };
}

/** The report of an input that could not begin, which is a fault of Quoll. */
export function failedReport(error: unknown): TurnReport {
  return unasked(failed(error));
}

function unasked(outcome: Outcome): TurnReport {
  const nothing = { steps: 0, durationMs: 0, waitedMs: 0, apiMs: 0, costUsd: 0, usageByModel: {}, denials: [] };
  return { outcome, text: "", usage: NO_USAGE, ...nothing };
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

/**
 * Converts a command's result to text. An operation runs to its end; a list or form becomes lines that name the
 * argument to type.
 */
async function commandText(
  result: CommandResult,
  report: CommandRun["report"],
  signal: AbortSignal,
): Promise<CommandText> {
  if (result.kind === "prompt") return promptOf(result);
  if (result.kind === "text") {
    const { lines, problem } = result;
    return { text: lines.join("\n"), ...(problem && { problem }) };
  }
  if (result.kind !== "operation") return { text: linesOf(result).join("\n") };
  const { title, run } = result;
  let isBegun = !result.isLate;
  if (isBegun) report(title);
  const advance = (progress: OperationProgress) => {
    if (!isBegun) report(title);
    isBegun = true;
    report(title, progress);
  };
  return commandText(await run(advance, signal), report, signal);
}

function promptOf({ prompt, attachments, skill }: Extract<CommandResult, { kind: "prompt" }>): Prompt {
  return { prompt, ...(attachments && { attachments }), ...(skill !== undefined && { skill }) };
}
