import type { CompactedPart } from "./compaction.ts";
import type { EventEnvelope, QueuedInput, QueueTime, TurnReport } from "./event.ts";
import type { Message, Usage, UserBlock } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { Effort, Thinking } from "./provider.ts";
import type { Questions } from "./question.ts";
import type { SourceSpend } from "./spend.ts";

export type UserInput = {
  /** The person's input. */
  readonly prompt: string;
  /** Blocks beside the prompt: piped text, pictures. */
  readonly attachments?: readonly UserBlock[];
  /** The id that the message gets, where the caller has one. */
  readonly id?: string;
};

/** `instructions`: words about the summary, for the model. `part`: the messages that it replaces. */
export type CompactOptions = { readonly instructions?: string; readonly part?: CompactedPart };

export type EngineState = {
  readonly sessionId: string;
  readonly model: string;
  readonly providerName: string;
  readonly mode: PermissionMode;
  /** Rules that the person's answers put in force until the session ends. */
  readonly granted?: readonly string[];
  readonly busy: boolean;
  readonly messages: readonly Message[];
  readonly usage: Usage;
  /** US dollars; undefined when a price is unknown. */
  readonly costUsd: number | undefined;
  /** The whole session by model, as in a turn's report. */
  readonly usageByModel?: TurnReport["usageByModel"];
  /** The spending of the whole session, by the purpose of its requests. */
  readonly spendBySource?: readonly SourceSpend[];
  readonly usedTokens: number;
  readonly windowTokens: number;
  readonly effort?: Effort;
  /** False: switched off. Absent: what the model does of itself. */
  readonly thinking?: Thinking;
  /** Inputs that wait, in the order in which they will be taken. */
  readonly queue: readonly QueuedInput[];
};

/** The operations of a face on a conversation. One turn runs at a time; a stale turn can't end a new one. */
export interface Engine {
  readonly state: EngineState;
  readonly questions: Questions;
  /** Runs one turn to its rest. @throws {Error} when a turn is already running. */
  submit(input: UserInput): Promise<TurnReport>;
  /** Runs a shell command in the person's own name (`!`): nothing is asked, and the model sees it with the next input. */
  runShell(command: string): Promise<void>;
  /**
   * Keeps an input for its time; with no turn running, a `next` begins at once. The turn's end is told as `turn_finished`.
   * @returns the id by which it can be taken back.
   */
  enqueue(input: UserInput, when: QueueTime): string;
  /** Takes a waiting input back, to edit or drop it. Undefined when it was taken already. */
  withdraw(id: string): UserInput | undefined;
  /** Ends the running turn; the history stays valid, and what waits goes on waiting until the next input. */
  interrupt(): void;
  setMode(mode: PermissionMode): void;
  /** @throws {UserFacingError} the model cannot be used; nothing changes. */
  setModel(name: string): Promise<void>;
  /** Undefined: what the model does of itself. */
  setEffort(effort: Effort | undefined): void;
  /** Undefined: what the model does of itself. */
  setThinking(thinking: Thinking | undefined): void;
  /** Starts the conversation anew; the log keeps what was. @throws {UserFacingError} while a turn runs. */
  clear(): void;
  /**
   * Makes the conversation smaller now; `interrupt` ends it.
   * @returns how many tokens were freed, estimated; undefined when there was nothing to take out.
   * @throws the abort reason when it was interrupted. @throws {Error} when a turn is running.
   */
  compact(options?: CompactOptions): Promise<number | undefined>;
  /**
   * Brings back what the last compaction took out; what was said since stays.
   * @throws {UserFacingError} there is no compaction to undo, or a turn runs.
   */
  undoCompaction(): void;
  subscribe(listener: (envelope: EventEnvelope) => void): () => void;
  /** Ends the turn, background work and the log. */
  close(): Promise<void>;
}
