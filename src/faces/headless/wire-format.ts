import type { PermissionDenial, TurnReport } from "../../contracts/event.ts";
import type {
  AssistantBlock,
  AssistantMessage,
  StopReason,
  Usage,
  UserBlock,
  UserMessage,
} from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { RunResult } from "../../contracts/run-result.ts";
import type { SourceSpend } from "../../contracts/spend.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import { wireBlock, wireContent } from "../../contracts/wire-content.ts";

/** The form of the stream-json lines: snake_case, one object a line, as programs of this ecosystem expect them. */
export type WireLine = Readonly<Record<string, unknown>>;

/** Returns the uuid of a line; the line of a message has the message's id. */
export function uuidOf(fields: WireLine, ids: Ids): string {
  return typeof fields["uuid"] === "string" ? fields["uuid"] : ids.next();
}

const STOP_REASONS: Readonly<Partial<Record<StopReason, string>>> = {
  context_exceeded: "model_context_window_exceeded",
  unfinished: "end_turn",
  other: "end_turn",
};

export function wireUsage(usage: Usage): WireLine {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    ...(usage.estimated && { is_estimate: true }),
  };
}

export function wireStopReason(reason: StopReason): string {
  return STOP_REASONS[reason] ?? reason;
}

export function wireAssistant(message: AssistantMessage): WireLine {
  return {
    id: message.id,
    type: "message",
    role: "assistant",
    model: message.model,
    content: message.content.map(wireAssistantBlock),
    stop_reason: wireStopReason(message.stopReason),
    stop_sequence: null,
    usage: wireUsage(message.usage),
  };
}

export function wireUser(message: UserMessage): WireLine {
  return { role: "user", content: message.content.map(wireUserBlock) };
}

/** A block in the form of the API, without fields of Quoll or of other providers. */
export function wireAssistantBlock(block: AssistantBlock): WireLine {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...(block.citations && { citations: block.citations }) };
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input };
    case "opaque":
      return block.data;
    default:
      return block;
  }
}

function wireUserBlock(block: UserBlock): WireLine {
  if (block.type !== "tool_result") return wireBlock(block);
  const { toolUseId, content, isError } = block;
  return { type: "tool_result", tool_use_id: toolUseId, content: wireContent(content), is_error: isError };
}

export function wireDenial(denial: PermissionDenial): WireLine {
  return { tool_name: denial.toolName, tool_use_id: denial.toolUseId, tool_input: denial.input };
}

const SUBTYPES = {
  completed: "success",
  step_limit: "error_max_turns",
  budget: "error_max_budget_usd",
  aborted: "error_during_execution",
  stopped_short: "error_during_execution",
  failed: "error_during_execution",
} as const;

/** A model's limits for input and output, in tokens. */
export type ModelLimits = (model: string) => { readonly contextWindow: number; readonly maxOutputTokens: number };

/** Makes the closing line of a run. `total_cost_usd` is null when a price is unknown, never a false 0. */
export function wireResult(result: RunResult, { uuid, limits }: { uuid: string; limits: ModelLimits }): WireLine {
  const { outcome, stopReason, total, endedTasks } = result;
  const isError = outcome.reason !== "completed";
  return {
    type: "result",
    subtype: subtypeOf(result),
    is_error: isError,
    duration_ms: result.durationMs,
    duration_api_ms: result.apiMs,
    num_turns: result.steps,
    result: result.text,
    stop_reason: stopReason === undefined ? null : wireStopReason(stopReason),
    session_id: result.sessionId,
    total_cost_usd: total.costUsd ?? null,
    ...(total.usage.estimated && { total_cost_is_estimate: true }),
    usage: wireUsage(result.usage),
    modelUsage: Object.fromEntries(
      Object.entries(total.usageByModel).map(([model, share]) => [model, { ...wireShare(share), ...limits(model) }]),
    ),
    ...(total.spendBySource.length > 0 && {
      sourceUsage: Object.fromEntries(
        total.spendBySource.map(({ source, server, ...spend }) => [
          server === undefined ? source : `${source}:${server}`,
          wireSpend(spend),
        ]),
      ),
    }),
    permission_denials: result.denials.map(wireDenial),
    ...("structuredOutput" in result && { structured_output: result.structuredOutput }),
    ...(isError && { errors: [outcomeLine(result)] }),
    ...terminalReason(result),
    uuid,
    ...(endedTasks.length > 0 && { ended_tasks: endedTasks.map(wireEndedTask) }),
  };
}

function wireEndedTask({ id, title, description }: TaskInfo): WireLine {
  return { task_id: id, command: title, description };
}

function subtypeOf({ outcome }: TurnReport): string {
  if (outcome.reason === "stopped_short" && outcome.why === "schema") return "error_max_structured_output_retries";
  return SUBTYPES[outcome.reason];
}

const TERMINAL_REASONS: Readonly<Partial<Record<TurnReport["outcome"]["reason"], string>>> = {
  completed: "completed",
  step_limit: "max_turns",
  budget: "budget_exhausted",
};

/** The reason why the loop ended, if this format has a name for it. */
function terminalReason({ outcome, steps }: TurnReport): WireLine {
  const isSchema = outcome.reason === "stopped_short" && outcome.why === "schema";
  const isRefused = outcome.reason === "failed" && outcome.status !== undefined;
  const known = isRefused ? "api_error" : TERMINAL_REASONS[outcome.reason];
  const reason = isSchema ? "structured_output_retry_exhausted" : known;
  // A slash command has no loop that could end.
  return reason === undefined || (steps === 0 && outcome.reason === "completed") ? {} : { terminal_reason: reason };
}

function wireSpend({ usd, tokens, isUnpriced, isEstimate }: Omit<SourceSpend, "source">): WireLine {
  return { tokens, costUSD: isUnpriced ? null : usd, ...(isEstimate && { isEstimate }) };
}

function wireShare({ usage, costUsd }: TurnReport["usageByModel"][string]): WireLine {
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadInputTokens: usage.cacheReadTokens,
    cacheCreationInputTokens: usage.cacheWriteTokens,
    costUSD: costUsd ?? null,
    ...(usage.estimated && { isEstimate: true }),
    webSearchRequests: usage.webSearches ?? 0,
  };
}

/** The reason why a turn did not complete, in one line. */
export function outcomeLine({ outcome }: Pick<TurnReport, "outcome">): string {
  switch (outcome.reason) {
    case "completed":
      return "";
    case "aborted":
      return "Interrupted.";
    case "step_limit":
      return `Stopped after ${outcome.steps} step${outcome.steps === 1 ? "" : "s"}, the limit that --max-turns sets.`;
    default:
      return outcome.message;
  }
}
