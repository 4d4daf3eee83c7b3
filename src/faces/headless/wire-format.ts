import type { PermissionDenial, TurnReport } from "../../contracts/event.ts";
import type {
  AssistantBlock,
  AssistantMessage,
  StopReason,
  ToolResultContent,
  Usage,
  UserBlock,
  UserMessage,
} from "../../contracts/message.ts";

/** The shapes of the stream-json lines: snake_case, one object a line, as programs of this ecosystem expect them. */
export type WireLine = Readonly<Record<string, unknown>>;

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
  };
}

export function wireAssistant(message: AssistantMessage): WireLine {
  return {
    id: message.id,
    type: "message",
    role: "assistant",
    model: message.model,
    content: message.content.map(wireAssistantBlock),
    stop_reason: STOP_REASONS[message.stopReason] ?? message.stopReason,
    stop_sequence: null,
    usage: wireUsage(message.usage),
  };
}

export function wireUser(message: UserMessage): WireLine {
  return { role: "user", content: message.content.map(wireUserBlock) };
}

function wireAssistantBlock(block: AssistantBlock): WireLine {
  if (block.type !== "tool_use") return block;
  return { type: "tool_use", id: block.id, name: block.name, input: block.input };
}

function wireUserBlock(block: UserBlock): WireLine {
  if (block.type === "tool_result") {
    const { toolUseId, content, isError } = block;
    return { type: "tool_result", tool_use_id: toolUseId, content: wireContent(content), is_error: isError };
  }
  return block.type === "image" ? wireImage(block) : block;
}

function wireContent(content: ToolResultContent): unknown {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "image" ? wireImage(block) : block));
}

function wireImage(block: Extract<UserBlock, { type: "image" }>): WireLine {
  return { type: "image", source: { type: "base64", media_type: block.mediaType, data: block.data } };
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

/** The closing line. `total_cost_usd` is null when a price is unknown: never a false 0. */
export function wireResult(report: TurnReport, sessionId: string, uuid: string): WireLine {
  const { outcome } = report;
  const isError = outcome.reason !== "completed";
  return {
    type: "result",
    subtype: SUBTYPES[outcome.reason],
    is_error: isError,
    duration_ms: report.durationMs,
    duration_api_ms: report.apiMs,
    num_turns: report.steps,
    result: report.text,
    session_id: sessionId,
    total_cost_usd: report.costUsd ?? null,
    usage: wireUsage(report.usage),
    modelUsage: Object.fromEntries(
      Object.entries(report.usageByModel).map(([model, share]) => [model, wireShare(share)]),
    ),
    permission_denials: report.denials.map(wireDenial),
    ...(isError && { errors: [outcomeLine(report)] }),
    uuid,
  };
}

function wireShare({ usage, costUsd }: TurnReport["usageByModel"][string]): WireLine {
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadInputTokens: usage.cacheReadTokens,
    cacheCreationInputTokens: usage.cacheWriteTokens,
    costUSD: costUsd ?? null,
  };
}

/** Why a turn did not complete, in one line. */
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
