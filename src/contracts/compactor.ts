import type { CompactedPart, CompactionReason } from "./compaction.ts";
import type { CountLimit } from "./errors.ts";
import type { EngineEvent } from "./event.ts";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "./message.ts";
import type { Entry } from "./session.ts";

/** The conversation as the model sees it, and the space that it may use. */
export type CompactionView = {
  readonly why: CompactionReason;
  readonly messages: readonly Message[];
  /** The id of the log entry of each message, in the same order. */
  readonly entryIds: readonly string[];
  /** The estimated size of the next request: the last exact count plus an estimate of what was added. */
  readonly usedTokens: number;
  /** The part of `usedTokens` that the system prompt and the tools take. */
  readonly besideTokens: number;
  readonly windowTokens: number;
  /** Tokens to keep free for the answer. */
  readonly reservedTokens: number;
  /** The size from which on no request is sent. */
  readonly stopTokens: number;
  /** True if the person pinned the message, or the result of the call with this id: no stage removes it. */
  isPinned(id: string): boolean;
  /** Tokens of a block, estimated as the model counts. */
  tokensOf(block: UserBlock | AssistantBlock): number;
  /** The limit that the provider stated, for the reason `image_too_large`: leave out the oldest images and documents above it. */
  readonly countLimit?: CountLimit;
  /** The person's instruction for the reason `manual`. */
  readonly instructions?: string;
  /** The part that the person chose, for the reason `manual`; if absent, the stage chooses. */
  readonly part?: CompactedPart;
};

/** The entries that a stage removes. A call and its result are kept or dropped together. */
export type Compaction = Pick<Compacted, Removal> & {
  /** The content of the summary, which replaces every message that is not kept. */
  readonly summary?: readonly UserBlock[];
};
type Compacted = Extract<Entry, { readonly kind: "compacted" }>;
type Removal = "stubs" | "firstKeptId" | "lastKeptId" | "keptIds" | "removedIds" | "report" | "note";

/** A question that a stage asks the conversation's model. */
export type StageQuestion = {
  readonly messages: readonly Message[];
  /** The maximum length of the answer, in tokens. */
  readonly maxTokens: number;
  /**
   * Replaces the conversation's system prompt and tools. The provider's prompt cache can be reused only if `system` is
   * absent.
   */
  readonly system?: string;
};

/** The services that a stage gets in addition to the view. */
export type StageContext = {
  readonly signal: AbortSignal;
  /**
   * Asks the model; the spend guard counts the request as `compaction`. Tool calls in the answer are not run.
   * @throws {ProviderError} the model did not answer.
   * @throws {SpendLimitError} a cap leaves no room for the question.
   */
  ask(question: StageQuestion): Promise<AssistantMessage>;
  emit(event: EngineEvent): void;
  /**
   * The entries of the conversation since it was last cleared, oldest first, including those that earlier compactions
   * removed. It reads the log.
   * @param kinds The kinds that are returned; by default all.
   */
  history(kinds?: readonly Entry["kind"][]): readonly Entry[];
  /** Describes the session as in the first message of a new conversation: folder, date, instruction files. */
  describeSession(): Promise<string>;
  /** The texts of skills in use that are not part of `kept`; empty if there are none. */
  skillsInUse(kept: readonly Message[]): Promise<string>;
  /** One line for each background task. */
  runningTasks(): readonly string[];
};

/**
 * One way to make a conversation smaller. Stages run in order, cheapest first, until the conversation fits again. The
 * session's file keeps everything that a stage removes.
 */
export type CompactionStage = {
  /** The name of the stage in messages to the person. */
  readonly name: string;
  /**
   * True if the stage asks a model. Such a stage is skipped if no model can be asked, and after several failures in a
   * row.
   */
  readonly asksModel?: true;
  /** True if the stage runs only when the next request could not be sent without it. */
  readonly isLastResort?: true;
  /** @returns undefined if this stage can remove nothing, or does not apply to this reason for compacting. */
  run(view: CompactionView, context: StageContext): Promise<Compaction | undefined>;
};
