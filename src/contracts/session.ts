import type { AssistantMessage, Message, ToolResultBlock, UserMessage } from "./message.ts";
import type { PermissionMode } from "./permission.ts";

/** Version of the entry format. A reader refuses a newer one. */
export const SESSION_FORMAT = 1;

/** What is written of a session. Entries form a tree by `parentId`; the conversation is the path from the last entry up. */
export type EntryBody =
  | {
      readonly kind: "session";
      readonly sessionId: string;
      readonly cwd: string;
      readonly version: string;
      readonly forkedFrom?: string;
    }
  /** What the session runs with: before the first prompt of each process (`isStart`), and when it has changed. For replays. */
  | {
      readonly kind: "setup";
      readonly isStart: boolean;
      readonly cwd: string;
      readonly mode: PermissionMode;
      readonly model: string;
      readonly tools: readonly string[];
      /** For example `linux x64`. */
      readonly platform: string;
      /** Of Quoll. */
      readonly version: string;
      /** The commit that is checked out; absent outside of a repository. */
      readonly head?: string;
    }
  /** Something a person (or the harness in their name) said. `prompt` is what was typed, without what we added. */
  | {
      readonly kind: "user";
      readonly message: UserMessage;
      readonly prompt: string;
      /** Absent for a person's own words. */
      readonly by?: "hook" | "harness";
    }
  | { readonly kind: "assistant"; readonly message: AssistantMessage }
  | { readonly kind: "tool_started"; readonly toolUseId: string; readonly toolName: string }
  | { readonly kind: "tool_finished"; readonly result: ToolResultBlock }
  /** The user message that carried results, in call order. */
  | { readonly kind: "results"; readonly message: UserMessage }
  | { readonly kind: "turn_finished"; readonly reason: string; readonly costUsd: number | null }
  /** The conversation starts anew below this entry (`/clear`); what was before stays in the file. */
  | { readonly kind: "cleared" };

export type Entry = EntryBody & {
  readonly v: typeof SESSION_FORMAT;
  readonly id: string;
  readonly parentId: string | null;
  /** ISO 8601, UTC. */
  readonly time: string;
};

/** Where the engine writes. An entry is in the kernel when `append` returns; `sync` puts it on the disk. */
export interface SessionLog {
  readonly sessionId: string;
  /** @throws {Error} the entry could not be written: what it announces must not happen. */
  append(body: EntryBody): void;
  sync(): Promise<void>;
}

/** A saved session, made ready to go on. Each tool_use has its result: a call that died with the process is told as interrupted. */
export type RestoredSession = {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  /** When it was begun; ISO 8601, UTC. */
  readonly startedAt?: string;
};

export type SessionSummary = {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch of the last change. */
  readonly modifiedAt: number;
  readonly bytes: number;
};
