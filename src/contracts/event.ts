import type { AssistantMessage, ToolResultBlock, ToolUseBlock, Usage, UserMessage } from "./message.ts";
import type { PermissionMode, Question } from "./permission.ts";
import type { ProviderEvent } from "./provider.ts";
import type { Display, Level, Progress, Todo } from "./tool.ts";

/** How a turn came to rest. */
export type Outcome =
  | { readonly reason: "completed" }
  | { readonly reason: "aborted" }
  | { readonly reason: "step_limit"; readonly steps: number }
  /** The model declined, was cut off, or its window was full; `message` says which and what to do. */
  | { readonly reason: "stopped_short"; readonly message: string }
  | { readonly reason: "failed"; readonly message: string; readonly status?: number };

export type PermissionDenial = {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: unknown;
  readonly by: string;
  /** True when nobody could be asked. */
  readonly unanswered: boolean;
};

export type TurnReport = {
  readonly outcome: Outcome;
  /** The text of the last answer; empty when there was none. */
  readonly text: string;
  readonly steps: number;
  readonly durationMs: number;
  /** Time spent waiting for the provider. */
  readonly apiMs: number;
  readonly usage: Usage;
  /** US dollars; undefined when a model's price is unknown. */
  readonly costUsd: number | undefined;
  readonly usageByModel: Readonly<Record<string, { readonly usage: Usage; readonly costUsd: number | undefined }>>;
  readonly denials: readonly PermissionDenial[];
};

/** The one stream that all readers see: a closed union, delivered in order, serialisable. docs/protocol.md is its table. */
export type EngineEvent =
  | { readonly type: "turn_started"; readonly message: UserMessage; readonly prompt: string }
  | { readonly type: "request_started"; readonly step: number; readonly model: string }
  | Exclude<ProviderEvent, { type: "done" | "block_done" }>
  | { readonly type: "assistant_message"; readonly message: AssistantMessage }
  | {
      readonly type: "tool_started";
      readonly use: ToolUseBlock;
      /** A few words for a screen line. */
      readonly title: string;
      readonly level: Level;
    }
  | { readonly type: "tool_progress"; readonly toolUseId: string; readonly progress: Progress }
  | {
      readonly type: "tool_finished";
      readonly result: ToolResultBlock;
      readonly durationMs: number;
      readonly display?: Display;
    }
  /** A call that was started from a stream which then failed: its result is thrown away. */
  | { readonly type: "tool_discarded"; readonly toolUseId: string }
  | { readonly type: "tool_results"; readonly message: UserMessage }
  | { readonly type: "permission_denied"; readonly denial: PermissionDenial }
  | { readonly type: "question_asked"; readonly question: Question }
  | { readonly type: "question_settled"; readonly id: string }
  | { readonly type: "todos_changed"; readonly todos: readonly Todo[] }
  | { readonly type: "mode_changed"; readonly mode: PermissionMode }
  | { readonly type: "model_changed"; readonly model: string }
  /** Why the loop goes round again. */
  | { readonly type: "continued"; readonly reason: ContinueReason }
  | {
      readonly type: "context_changed";
      /** Input tokens of the last request plus its output. */
      readonly usedTokens: number;
      readonly windowTokens: number;
    }
  | { readonly type: "turn_finished"; readonly report: TurnReport };

export type ContinueReason = "tool_results" | "pause_turn";

/** Which agent an event belongs to; `main` is the user's own conversation. */
export type EventEnvelope = {
  readonly sessionId: string;
  readonly agentId: string;
  /** The Agent call that this agent answers, null for `main`. */
  readonly parentToolUseId: string | null;
  readonly event: EngineEvent;
};
