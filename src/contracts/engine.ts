import type { EventEnvelope, TurnReport } from "./event.ts";
import type { Message, Usage, UserBlock } from "./message.ts";
import type { PermissionMode, Questions } from "./permission.ts";

export type UserInput = {
  /** What the person typed. */
  readonly prompt: string;
  /** Blocks beside the prompt: piped text, pictures. */
  readonly attachments?: readonly UserBlock[];
};

export type EngineState = {
  readonly sessionId: string;
  readonly model: string;
  readonly providerName: string;
  readonly mode: PermissionMode;
  readonly busy: boolean;
  readonly messages: readonly Message[];
  readonly usage: Usage;
  /** US dollars; undefined when a price is unknown. */
  readonly costUsd: number | undefined;
  /** The whole session by model, as in a turn's report. */
  readonly usageByModel?: TurnReport["usageByModel"];
  readonly usedTokens: number;
  readonly windowTokens: number;
};

/** What a face may do with a conversation. One turn at a time; a stale turn can't end a new one. */
export interface Engine {
  readonly state: EngineState;
  readonly questions: Questions;
  /** Runs one turn to its rest. @throws {Error} when a turn is already running. */
  submit(input: UserInput): Promise<TurnReport>;
  /** Runs a shell command in the person's own name (`!`): nothing is asked, and the model sees it with the next input. */
  runShell(command: string): Promise<void>;
  /** Ends the running turn; the history stays valid. */
  interrupt(): void;
  setMode(mode: PermissionMode): void;
  /** @throws {UserFacingError} the model cannot be used; nothing changes. */
  setModel(name: string): Promise<void>;
  /** Starts the conversation anew; the log keeps what was. @throws {UserFacingError} while a turn runs. */
  clear(): void;
  subscribe(listener: (envelope: EventEnvelope) => void): () => void;
  /** Ends the turn, background work and the log. */
  close(): Promise<void>;
}
