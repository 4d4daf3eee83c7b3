import type { CompactedPart, CompactionReason, CompactionReport, Stub } from "./compaction.ts";
import type { EngineEvent } from "./event.ts";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "./message.ts";
import type { Entry } from "./session.ts";

/** The conversation as the model sees it, and the room that it has. */
export type CompactionView = {
  readonly why: CompactionReason;
  readonly messages: readonly Message[];
  /** The entry that brought each message, in the same order. */
  readonly entryIds: readonly string[];
  /** The estimated size of the next request: the last exact count plus an estimate of what was added. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** Kept free for the answer. */
  readonly reservedTokens: number;
  /** True if the person pinned the message or the result of the call with this id: no stage takes it out. */
  isPinned(id: string): boolean;
  /** Tokens of a block, estimated as the model counts. */
  tokensOf(block: UserBlock | AssistantBlock): number;
  /** The person's instruction, with `manual`. */
  readonly instructions?: string;
  /** The part that the person chose, with `manual`; absent: the stage chooses. */
  readonly part?: CompactedPart;
};

/** The entries that a stage removes. A call and its result are kept or dropped together. */
export type Compaction = {
  /** Blocks that others take the place of. */
  readonly stubs: readonly Stub[];
  /** The first entry of the view whose message stays as it is; left out: all stay. */
  readonly firstKeptId?: string;
  /** The last entry of the view whose message stays as it is, where the summary replaces what follows it. */
  readonly lastKeptId?: string;
  /** Ids of messages that stay, in their order, although the summary replaces those around them. */
  readonly keptIds?: readonly string[];
  /** Ids of messages that are taken out without a summary. */
  readonly removedIds?: readonly string[];
  /** Takes the place of everything that is not kept. */
  readonly summary?: readonly UserBlock[];
  readonly report?: CompactionReport;
  /** One line for the person. */
  readonly note: string;
};

/** A question of a stage's own to the conversation's model. */
export type StageQuestion = {
  readonly messages: readonly Message[];
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** Replaces the conversation's own system prompt and tools. Only with its own ones is the prompt cache reused. */
  readonly system?: string;
};

/** The services of a stage besides the view. */
export type StageContext = {
  readonly signal: AbortSignal;
  /**
   * Counted as `compaction` by the spend guard. Calls of tools in the answer are not run.
   * @throws {ProviderError} no answer came. @throws {SpendLimitError} a cap leaves no room for the question.
   */
  ask(question: StageQuestion): Promise<AssistantMessage>;
  emit(event: EngineEvent): void;
  /** The entries of the conversation since it was last cleared, oldest first, with what earlier compactions took out. */
  history(): readonly Entry[];
  /** The first message of a new conversation: folder, date, instruction files. */
  describeSession(): Promise<string>;
  /** One line for each task that runs beside the conversation. */
  runningTasks(): readonly string[];
};

/**
 * One way to make a conversation smaller. Stages run in order, cheapest first, until there is room again. What they take out stays
 * in the session's file.
 */
export type CompactionStage = {
  /** For messages to the person. */
  readonly name: string;
  /** Marks a step that asks a model. Such a step is skipped where no model can be asked, and after several failures in a row. */
  readonly asksModel?: true;
  /** @returns undefined when this stage has nothing to take out, or does not apply to this reason for compacting. */
  run(view: CompactionView, context: StageContext): Promise<Compaction | undefined>;
};
