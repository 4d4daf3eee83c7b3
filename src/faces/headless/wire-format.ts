import { wireBlock, wireContent } from "../../contracts/content-block.ts";
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
import type { SourceSpend } from "../../contracts/spend.ts";

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

/** Fields of a result in addition to the turn's report. */
export type ResultExtras = {
  readonly sessionId: string;
  readonly uuid: string;
  /** The totals of the whole session; absent in a report of the turn alone. */
  readonly total?: Pick<TurnReport, "costUsd" | "usage" | "usageByModel">;
  /** The model's last stop reason. */
  readonly stopReason?: StopReason | undefined;
  /** The data about a model in addition to its usage. */
  aboutModel?(model: string): WireLine;
  /** The spending of the whole session. */
  readonly spendBySource?: readonly SourceSpend[] | undefined;
};

/** Makes the closing line of a turn. `total_cost_usd` is null when a price is unknown, never a false 0. */
export function wireResult(
  report: TurnReport,
  { sessionId, uuid, total = report, stopReason, aboutModel, spendBySource = [] }: ResultExtras,
): WireLine {
  const { outcome } = report;
  const isError = outcome.reason !== "completed";
  return {
    type: "result",
    subtype: subtypeOf(report),
    is_error: isError,
    duration_ms: report.durationMs,
    duration_api_ms: report.apiMs,
    num_turns: report.steps,
    result: report.text,
    stop_reason: stopReason === undefined ? null : wireStopReason(stopReason),
    session_id: sessionId,
    total_cost_usd: total.costUsd ?? null,
    ...(total.usage.estimated && { total_cost_is_estimate: true }),
    usage: wireUsage(report.usage),
    modelUsage: Object.fromEntries(
      Object.entries(total.usageByModel).map(([model, share]) => [
        model,
        { ...wireShare(share), ...aboutModel?.(model) },
      ]),
    ),
    ...(spendBySource.length > 0 && {
      sourceUsage: Object.fromEntries(
        spendBySource.map(({ source, server, ...spend }) => [
          server === undefined ? source : `${source}:${server}`,
          wireSpend(spend),
        ]),
      ),
    }),
    permission_denials: report.denials.map(wireDenial),
    ...("structuredOutput" in report && { structured_output: report.structuredOutput }),
    ...(isError && { errors: [outcomeLine(report)] }),
    ...terminalReason(report),
    uuid,
  };
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
  };
}

/** The reason why a turn did not complete, in one line. */
export function outcomeLine({ outcome }: TurnReport): string {
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
