import type { CompactedPart } from "./compaction.ts";
import type { EventEnvelope, QueuedInput, QueueTime, TurnReport } from "./event.ts";
import type { Message, Usage, UserBlock } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { Effort, Thinking } from "./provider.ts";
import type { Questions } from "./question.ts";
import type { SourceSpend } from "./spend.ts";

export type UserInput = {
  /** The person's input, or the text of a command. */
  readonly prompt: string;
  /** The command and its argument, if `prompt` is a command's text: only these words are the person's. */
  readonly typed?: string;
  /** The name of the skill that the person started, if `prompt` is its text. */
  readonly skill?: string;
  /** Blocks besides the prompt: piped text, images. */
  readonly attachments?: readonly UserBlock[];
  /** The id for the message, if the caller has one. */
  readonly id?: string;
};

/** The words of an input that the person typed. A command's text may hold the words of a repository. */
export function typedWords({ prompt, typed }: Pick<UserInput, "prompt" | "typed">): string {
  return typed ?? prompt;
}

/** A shell command that a person typed with `!`, as an input. */
export function shellInput(command: string): UserInput {
  return { prompt: command, typed: `!${command}` };
}

/** A prompt of the person in a conversation. `text`: the typed words. */
export type SentPrompt = { readonly messageId: string; readonly text: string };

/** `instructions`: words about the summary, for the model. `part`: the messages that it replaces. */
export type CompactOptions = {
  readonly instructions?: string;
  readonly part?: CompactedPart;
  /** Receives a line for the person about each stage that failed; without it, each line is a notice. */
  onFailure?(line: string): void;
};

/** The work of a queued input that is more than one turn, for example a slash command. */
export type QueuedWork = {
  /** The id of the input's receipts; a new one by default. */
  readonly id?: string;
  /**
   * Runs while nothing else of the queue begins; it may submit turns. Must not reject.
   * @returns what happens before the next input begins.
   */
  run(): Promise<(() => void) | undefined>;
};

export type EngineState = {
  readonly sessionId: string;
  /** Identifies the last prompt, as for hooks; absent before the first. */
  readonly promptId?: string;
  readonly model: string;
  readonly providerName: string;
  readonly mode: PermissionMode;
  /** Rules that the person's answers put into effect until the session ends. */
  readonly granted?: readonly string[];
  readonly busy: boolean;
  readonly messages: readonly Message[];
  readonly usage: Usage;
  /** US dollars; undefined when a price is unknown. */
  readonly costUsd: number | undefined;
  /** The usage of the whole session by model, as in a turn's report. */
  readonly usageByModel?: TurnReport["usageByModel"];
  /** The spending of the whole session, by the purpose of its requests. */
  readonly spendBySource?: readonly SourceSpend[];
  readonly usedTokens: number;
  readonly windowTokens: number;
  readonly effort?: Effort;
  /** False: switched off. If absent, the model decides. */
  readonly thinking?: Thinking;
  /** The queued inputs, in the order in which they will be taken. */
  readonly queue: readonly QueuedInput[];
};

/** The operations of a face on a conversation. One turn runs at a time; a stale turn can't end a new one. */
export interface Engine {
  readonly state: EngineState;
  /** The person's prompts that the model still has, oldest first, without texts of Quoll and of hooks. */
  readonly prompts: readonly SentPrompt[];
  readonly questions: Questions;
  /** Runs one turn to its end. @throws {Error} a turn is already running. */
  submit(input: UserInput): Promise<TurnReport>;
  /**
   * Runs a shell command in the person's own name (`!`) without asking permission; the model sees the command with the
   * next input.
   */
  runShell(command: string): Promise<void>;
  /**
   * Queues an input; if nothing runs, the input's turn begins at once. An input that the person sends while a turn is
   * being stopped begins the queue when that turn has ended. The event `turn_finished` reports the end of the input's
   * turn.
   * @param own How the input begins, if that is not a turn with its prompt.
   * @returns the id of the input's receipts, with which the input can be withdrawn.
   */
  enqueue(input: UserInput, when: QueueTime, own?: QueuedWork): string;
  /**
   * Withdraws a queued input, to edit it or, by default, to drop it. Returns undefined if the input was already taken.
   */
  withdraw(id: string, to?: "edited" | "cancelled"): UserInput | undefined;
  /** Begins the oldest queued input, if nothing runs. */
  startQueued(): void;
  /**
   * Takes the prompt of the last turn out of the conversation if that turn ended early, and the model wrote no word and
   * made no call. Called at the end of the turn, it also makes queued inputs wait for the next input. The files that were
   * read stay known, and the cost stays counted.
   * @returns the input; undefined if it stays in the conversation.
   * @throws {Error} the log can't be read or written: nothing changes.
   */
  takeBackPrompt(): UserInput | undefined;
  /** Ends the running turn; the history stays valid, and queued inputs wait for the next input. */
  interrupt(): void;
  setMode(mode: PermissionMode): void;
  /** @throws {UserFacingError} the model cannot be used; nothing changes. */
  setModel(name: string): Promise<void>;
  /** Sets the effort of the requests; undefined for the model's default. */
  setEffort(effort: Effort | undefined): void;
  /** Sets the thinking of the requests; undefined for the model's default. */
  setThinking(thinking: Thinking | undefined): void;
  /**
   * Starts a new conversation; the log keeps the old one.
   * @returns the id by which the old one can be opened.
   * @throws {UserFacingError} while a turn runs.
   */
  clear(): string;
  /**
   * Compacts the conversation now; `interrupt` cancels the compaction.
   * @returns the estimated number of freed tokens; undefined if nothing could be removed.
   * @throws the abort reason when the compaction was interrupted.
   * @throws {Error} when a turn is running.
   */
  compact(options?: CompactOptions): Promise<number | undefined>;
  /**
   * Restores the messages that the last compaction removed; later messages stay.
   * @throws {UserFacingError} if there is no compaction to undo, or a turn runs.
   */
  undoCompaction(): void;
  subscribe(listener: (envelope: EventEnvelope) => void): () => void;
  /** Ends the turn, background work and the log. */
  close(): Promise<void>;
}
