import type { CompactionReason, CompactionReport } from "./compaction.ts";
import type { DecidedBy } from "./decided-by.ts";
import type { Display, Progress, Todo } from "./display.ts";
import type { AssistantMessage, ToolResultBlock, ToolUseBlock, Usage, UserMessage } from "./message.ts";
import type { Remedy } from "./permission.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { ProviderEvent } from "./provider.ts";
import type { AnswerNote, Question } from "./question.ts";
import type { TaskInfo } from "./task.ts";
import type { Level } from "./tool.ts";

/** How a turn ended. */
export type Outcome =
  | { readonly reason: "completed" }
  | { readonly reason: "aborted" }
  | { readonly reason: "step_limit"; readonly steps: number }
  /** A cap on tokens or money; `message` names the cap. */
  | { readonly reason: "budget"; readonly message: string }
  /** The model declined, was cut off, or its window was full; `message` gives the reason and the remedy. */
  | {
      readonly reason: "stopped_short";
      readonly message: string;
      /** The answer does not fit the schema. */
      readonly why?: "schema";
    }
  | { readonly reason: "failed"; readonly message: string; readonly status?: number };

export type PermissionDenial = {
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: unknown;
  readonly decidedBy: DecidedBy;
  /** True if no person could be asked. */
  readonly unanswered: boolean;
  /** The setting or rule that would have allowed the call; set only if no person could be asked. */
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
  /** The answer in the form of the requested schema; absent without a schema, or if the answer did not fit. */
  readonly structuredOutput?: unknown;
};

/** A queued input. */
export type QueuedInput = {
  readonly id: string;
  readonly prompt: string;
  /**
   * `steer`: at the next tool boundary of the running turn. `next`: as a separate turn. `later`: after all inputs
   * of the user. `shell`: a command typed with `!`, after everything else. `early`: like `shell`, but it never starts by
   * itself while nothing runs, because it waits for tools.
   */
  readonly when: QueueTime;
};

export type QueueTime = "steer" | "next" | "later" | "shell" | "early";

/**
 * The state of an input. `queued`: it waits. `edited`: a person took it back into an editor. `taken`: its turn or
 * command begins. `sent`: the conversation has its message. `cancelled`: it was dropped.
 */
export type InputReceipt = QueuedInput & {
  readonly state: "queued" | "edited" | "taken" | "sent" | "cancelled";
  /** The message of an input that was sent. */
  readonly messageId?: string;
};

/**
 * Input that was not read from the prompt cache, although the previous request had stored it there and no other event
 * explains the miss.
 */
export type CacheMiss = {
  /** The first part of the request that changed; `nothing`: the provider lost its cache. */
  readonly changed: "tools" | "prompt" | "thinking" | "effort" | "outputSchema" | "message" | "nothing";
  /** The name of the tool; the number of the message, from 1. */
  readonly detail?: string;
  readonly missedTokens: number;
  /** The additional US dollars compared with reading from the cache; absent if the price is unknown. */
  readonly costUsd?: number;
};

/**
 * The one stream of events for all readers: a closed union, delivered in order, serialisable. docs/protocol.md has a
 * table of the events.
 */
export type EngineEvent =
  | { readonly type: "turn_started"; readonly message: UserMessage; readonly prompt: string }
  /** `holdsText`: hooks decide which text is shown, so screens wait for `assistant_message` instead of showing deltas. */
  | { readonly type: "request_started"; readonly step: number; readonly model: string; readonly holdsText?: true }
  | Exclude<ProviderEvent, { type: "done" | "block_done" }>
  /** `displayText`: the text that hooks show in place of the message; the model and the log keep the message. */
  | { readonly type: "assistant_message"; readonly message: AssistantMessage; readonly displayText?: string }
  /** A message that reached the model during a turn: from the user, a hook, or Quoll itself (`by`). */
  | {
      readonly type: "words_added";
      readonly message: UserMessage;
      readonly by: "user" | "hook" | "harness";
      readonly prompt: string;
    }
  /** `queue`: the first hundred queued inputs; `total`: the number of queued inputs. */
  | { readonly type: "queue_changed"; readonly queue: readonly QueuedInput[]; readonly total: number }
  | { readonly type: "input_receipt"; readonly receipt: InputReceipt }
  /**
   * The conversation was replaced: by `/clear`, because the person moved to another entry, or because a cancelled prompt
   * was taken out. `Engine.state` contains the new messages.
   */
  | { readonly type: "conversation_changed"; readonly by: "clear" | "move" | "take_back" }
  /** The model's view of the conversation becomes smaller here; the session's file keeps all messages. */
  | {
      readonly type: "compacted";
      readonly why: Exclude<CompactionReason, "image_too_large">;
      readonly freedTokens: number;
      /** Estimated input tokens of the next request before the compaction; absent if the event is replayed. */
      readonly preTokens?: number;
      readonly note: string;
      /** Present if the compaction wrote a summary. */
      readonly report?: CompactionReport;
    }
  /** A compaction begins; it ends with `compacted`, with a notice, or with the end of the turn or operation. */
  | { readonly type: "compaction_started"; readonly why: CompactionReason; readonly usedTokens: number }
  /** The model is asked for a summary (0 tokens), and writes it. */
  | { readonly type: "compaction_progress"; readonly writtenTokens: number }
  | {
      readonly type: "tool_started";
      readonly use: ToolUseBlock;
      /** A short title of the call for a screen line. */
      readonly title: string;
      readonly level: Level;
    }
  | { readonly type: "tool_progress"; readonly toolUseId: string; readonly progress: Progress }
  | {
      readonly type: "tool_finished";
      readonly result: ToolResultBlock;
      /** The duration without the time in which the call waited for the person. */
      readonly durationMs: number;
      readonly display?: Display;
    }
  /** The stream that requested a running call failed, so the result is discarded. */
  | { readonly type: "tool_discarded"; readonly toolUseId: string }
  /** The tool array changed during the session, so the provider's cached prefix is lost. Names of tools. */
  | {
      readonly type: "tools_changed";
      readonly added: readonly string[];
      readonly changed: readonly string[];
      /** Estimated input tokens that are sent again without the cache. */
      readonly resentTokens: number;
    }
  | ({ readonly type: "cache_missed" } & CacheMiss)
  | { readonly type: "tool_results"; readonly message: UserMessage }
  | { readonly type: "permission_denied"; readonly denial: PermissionDenial }
  | { readonly type: "question_asked"; readonly question: Question }
  /** `toolUseId`: the call that it was about. `answer`: set if the person answered more than a plain yes. */
  | {
      readonly type: "question_settled";
      readonly id: string;
      readonly toolUseId?: string;
      readonly answer?: AnswerNote;
    }
  /** `text`: the status line of a slow hook; absent when the hook has ended. */
  | { readonly type: "hook_status"; readonly text?: string }
  /** An agent or background work started, changed or ended: each task's end is reported once. */
  | { readonly type: "task_started" | "task_changed" | "task_ended"; readonly task: TaskInfo }
  | { readonly type: "todos_changed"; readonly todos: readonly Todo[] }
  | { readonly type: "mode_changed"; readonly mode: PermissionMode }
  | { readonly type: "model_changed"; readonly model: string }
  /** A turn, an operation or a shell command of the person began or ended. `interrupted`: queued inputs wait for the next input. */
  | { readonly type: "busy_changed"; readonly busy: boolean; readonly interrupted: boolean }
  /** Why the loop continues. */
  | { readonly type: "continued"; readonly reason: ContinueReason }
  | {
      readonly type: "context_changed";
      /** Input tokens of the last request plus its output. */
      readonly usedTokens: number;
      readonly windowTokens: number;
      /** The number of used tokens at which a warning is due; undefined if the window's limits are unknown. */
      readonly warnTokens?: number;
    }
  /** The spent part of a turn's token budget. */
  | { readonly type: "budget_changed"; readonly spentTokens: number; readonly totalTokens: number }
  | { readonly type: "turn_finished"; readonly report: TurnReport };

/**
 * The reason why the loop continues: the engine's `CONTINUATIONS` define when and how often; docs/protocol.md has the
 * table.
 */
export type ContinueReason =
  | "tool_results"
  | "pause_turn"
  | "output_cap_raised"
  | "output_continued"
  | "compacted"
  | "images_reduced"
  | "media_left_out"
  | "fallback_model"
  | "empty_answer"
  | "missing_calls"
  | "steered"
  | "stop_hook"
  | "schema_mismatch"
  | "loop_told"
  | "budget_left"
  | "waited";

/** An event and its agent. */
export type EventEnvelope = {
  readonly sessionId: string;
  readonly agentId: string;
  /** Null for the session's own agent. */
  readonly parentAgentId: string | null;
  /** The call that this agent answers; null for the session's own agent. */
  readonly parentToolUseId: string | null;
  readonly event: EngineEvent;
};
