import type { CompactionReason, CompactionReport } from "./compaction.ts";
import type { Display, Progress, Todo } from "./display.ts";
import type { AssistantMessage, ToolResultBlock, ToolUseBlock, Usage, UserMessage } from "./message.ts";
import type { Remedy } from "./permission.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { ProviderEvent } from "./provider.ts";
import type { AnswerNote, Question } from "./question.ts";
import type { TaskInfo } from "./task.ts";
import type { Level } from "./tool.ts";

/** How a turn came to rest. */
export type Outcome =
  | { readonly reason: "completed" }
  | { readonly reason: "aborted" }
  | { readonly reason: "step_limit"; readonly steps: number }
  /** A cap on tokens or money; `message` names it. */
  | { readonly reason: "budget"; readonly message: string }
  /** The model declined, was cut off, or its window was full; `message` says which and what to do. */
  | {
      readonly reason: "stopped_short";
      readonly message: string;
      /** The answer is not as the schema wants it. */
      readonly why?: "schema";
    }
  | { readonly reason: "failed"; readonly message: string; readonly status?: number };

export type PermissionDenial = {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: unknown;
  readonly by: string;
  /** True when nobody could be asked. */
  readonly unanswered: boolean;
  /** The setting or rule that would have allowed the call; only where no person could be asked. */
  readonly remedy?: Remedy;
};

export type TurnReport = {
  readonly outcome: Outcome;
  /** The text of the last answer; empty when there was none. */
  readonly text: string;
  readonly steps: number;
  readonly durationMs: number;
  /** The part of `durationMs` in which a question waited for the person. */
  readonly waitedMs: number;
  /** Time spent waiting for the provider. */
  readonly apiMs: number;
  readonly usage: Usage;
  /** US dollars; undefined when a model's price is unknown. */
  readonly costUsd: number | undefined;
  readonly usageByModel: Readonly<Record<string, { readonly usage: Usage; readonly costUsd: number | undefined }>>;
  readonly denials: readonly PermissionDenial[];
  /** The answer as the schema that was asked for has it; absent where none was, or the model did not keep to it. */
  readonly structuredOutput?: unknown;
};

/** An input that waits for its time. */
export type QueuedInput = {
  readonly id: string;
  readonly prompt: string;
  /** `steer`: at the next tool boundary of the running turn. `next`: a turn of its own. `later`: behind all of the user's. */
  readonly when: QueueTime;
};

export type QueueTime = "steer" | "next" | "later";

/** Input that was not read from the prompt cache although the last request left it there, and no other event tells why. */
export type CacheMiss = {
  /** The first part of the request that is not as it was; `nothing`: the provider lost its cache. */
  readonly changed: "tools" | "prompt" | "thinking" | "effort" | "outputSchema" | "message" | "nothing";
  /** The name of the tool; the number of the message, from 1. */
  readonly detail?: string;
  readonly missedTokens: number;
  /** US dollars more than from the cache; absent where the price is unknown. */
  readonly costUsd?: number;
};

/** The one stream that all readers see: a closed union, delivered in order, serialisable. docs/protocol.md is its table. */
export type EngineEvent =
  | { readonly type: "turn_started"; readonly message: UserMessage; readonly prompt: string }
  | { readonly type: "request_started"; readonly step: number; readonly model: string }
  | Exclude<ProviderEvent, { type: "done" | "block_done" }>
  | { readonly type: "assistant_message"; readonly message: AssistantMessage }
  /** Words that reached the model in the middle of a turn: the user's, a hook's, or the harness's own (`by`). */
  | {
      readonly type: "words_added";
      readonly message: UserMessage;
      readonly by: "user" | "hook" | "harness";
      readonly prompt: string;
    }
  /** `queue`: the first that wait, at most a hundred; `total`: how many there are. */
  | { readonly type: "queue_changed"; readonly queue: readonly QueuedInput[]; readonly total: number }
  /** The conversation is another one: `/clear`, or the person went to another entry of it. `Engine.state` has its messages. */
  | { readonly type: "conversation_changed"; readonly by: "clear" | "move" }
  /** The model sees less of the conversation from here on; the session's file keeps all of it. */
  | {
      readonly type: "compacted";
      readonly why: Exclude<CompactionReason, "image_too_large">;
      readonly freedTokens: number;
      /** Input tokens of the next request before it, estimated; absent where it is shown again. */
      readonly preTokens?: number;
      readonly note: string;
      /** With a summary. */
      readonly report?: CompactionReport;
    }
  /** A compaction begins; it ends with `compacted`, with a notice, or with the end of the turn or operation. */
  | { readonly type: "compaction_started"; readonly why: CompactionReason; readonly usedTokens: number }
  /** The model writes a summary. */
  | { readonly type: "compaction_progress"; readonly writtenTokens: number }
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
      /** Without the time that it waited for the person. */
      readonly durationMs: number;
      readonly display?: Display;
    }
  /** A call that was started from a stream which then failed: its result is thrown away. */
  | { readonly type: "tool_discarded"; readonly toolUseId: string }
  /** The tool array changed in a session under way, so the provider's cached prefix is lost. Names of tools. */
  | {
      readonly type: "tools_changed";
      readonly added: readonly string[];
      readonly changed: readonly string[];
      /** Input tokens that are sent again without the cache, estimated. */
      readonly resentTokens: number;
    }
  | ({ readonly type: "cache_missed" } & CacheMiss)
  | { readonly type: "tool_results"; readonly message: UserMessage }
  | { readonly type: "permission_denied"; readonly denial: PermissionDenial }
  | { readonly type: "question_asked"; readonly question: Question }
  /** `answer`: of a person who said more than yes. */
  | { readonly type: "question_settled"; readonly id: string; readonly toolUseId: string; readonly answer?: AnswerNote }
  /** Work in the background came, or ended: the end comes once for each task. */
  | { readonly type: "task_started" | "task_ended"; readonly task: TaskInfo }
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
      /** From here on little is left; undefined where the window's limits are not known. */
      readonly warnTokens?: number;
    }
  /** A turn with a budget of its own has spent so much of it. */
  | { readonly type: "budget_changed"; readonly spentTokens: number; readonly totalTokens: number }
  | { readonly type: "turn_finished"; readonly report: TurnReport };

/** Why the loop goes round again: `CONTINUATIONS` of the engine says when, and how often; docs/protocol.md is its table. */
export type ContinueReason =
  | "tool_results"
  | "pause_turn"
  | "output_cap_raised"
  | "output_continued"
  | "compacted"
  | "images_reduced"
  | "fallback_model"
  | "empty_answer"
  | "steered"
  | "stop_hook"
  | "schema_mismatch"
  | "loop_told"
  | "budget_left"
  | "waited";

/** An event, and the agent that it comes from. */
export type EventEnvelope = {
  readonly sessionId: string;
  readonly agentId: string;
  /** Null for the session's own agent. */
  readonly parentAgentId: string | null;
  /** The call that this agent answers; null for the session's own agent. */
  readonly parentToolUseId: string | null;
  readonly event: EngineEvent;
};
