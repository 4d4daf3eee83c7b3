import type { CompactionReason, Stub } from "./compaction.ts";
import type { EngineEvent } from "./event.ts";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "./message.ts";

/** The conversation as the model sees it, and the room that it has. */
export type CompactionView = {
  readonly why: CompactionReason;
  readonly messages: readonly Message[];
  /** The entry that brought each message, in the same order. */
  readonly entryIds: readonly string[];
  /** Of the request that would be sent: estimated, from the last exact count on. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Kept free for the answer. */
  readonly reservedTokens: number;
  /** Tokens of a block, estimated as the model counts. */
  tokensOf(block: UserBlock | AssistantBlock): number;
  /** What the person asked for, with `manual`. */
  readonly instructions?: string;
};

/** What a stage takes out. A call and its result are kept or dropped together. */
export type Compaction = {
  /** Blocks that others take the place of. */
  readonly stubs: readonly Stub[];
  /** The first entry of the view whose message stays as it is; left out: all stay. */
  readonly firstKeptId?: string;
  /** Takes the place of all that stands before that entry. */
  readonly summary?: readonly UserBlock[];
  /** One line for the person. */
  readonly note: string;
};

/** A question of a stage's own to the conversation's model. */
export type StageQuestion = {
  readonly messages: readonly Message[];
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** In place of the conversation's own system prompt and tools, with which the prompt cache holds. */
  readonly system?: string;
};

/** What a stage is given beside the view. */
export type StageContext = {
  readonly signal: AbortSignal;
  /**
   * Counted as `compaction` by the spend guard. Calls of tools in the answer are not run.
   * @throws {ProviderError} no answer came. @throws {SpendLimitError} a cap leaves no room for the question.
   */
  ask(question: StageQuestion): Promise<AssistantMessage>;
  emit(event: EngineEvent): void;
};

/**
 * One way to make a conversation smaller. Stages run in order, cheapest first, until there is room again. What they take out stays
 * in the session's file.
 */
export type CompactionStage = {
  /** For messages to the person. */
  readonly name: string;
  /** @returns undefined when this stage has nothing to take out, or does not care for the reason. */
  run(view: CompactionView, context: StageContext): Promise<Compaction | undefined>;
};
