import type { AgentSource } from "./agent.ts";
import type { CompactionReason, CompactionReport, Stub } from "./compaction.ts";
import type { DecidedBy } from "./decided-by.ts";
import type { Display } from "./display.ts";
import type { ContinueReason, EngineEvent, TurnReport } from "./event.ts";
import type { AssistantMessage, ToolResultBlock, UserMessage } from "./message.ts";
import type { PermissionMode } from "./permission-mode.ts";
import type { AnswerNote } from "./question.ts";
import type { ToolRecord } from "./tool-offer.ts";

/**
 * Version of the entry format. A reader refuses an entry of a newer version. Version 2 added `compacted` and `branch`,
 * agents, and unknown kinds with `optional: true`. A file may begin with entries of format 1.
 */
export const SESSION_FORMAT = 2;

/**
 * The entries of a session's log. The entries form a tree by `parentId`; an agent's conversation is the path from its
 * last entry up.
 */
export type EntryBody =
  | {
      readonly kind: "session";
      readonly sessionId: string;
      readonly cwd: string;
      readonly version: string;
      readonly forkedFrom?: string;
      /** True if the session began without a person: with `-p` or from a program. */
      readonly isHeadless?: true;
      /** The branch that was checked out when the session began. */
      readonly branch?: string;
      /** Identifies the project's folder, also after it was renamed; absent in older files. */
      readonly rootId?: string;
    }
  /**
   * The session's settings: before the first prompt of each process (`isStart`), and after each change. For replays.
   */
  | {
      readonly kind: "setup";
      readonly isStart: boolean;
      readonly cwd: string;
      readonly mode: PermissionMode;
      readonly model: string;
      /** The provider of the model that the person chose; absent in older files, and while a skill or a fallback sets the model. */
      readonly provider?: string;
      readonly tools: readonly string[];
      /** For example `linux x64`. */
      readonly platform: string;
      /** The version of Quoll. */
      readonly version: string;
      /** The commit that is checked out; absent outside a repository. */
      readonly head?: string;
      /** The agent that the conversation works as; absent for the default agent. */
      readonly agent?: string;
      /** The name of the worktree that the conversation has entered; absent in the starting folders. */
      readonly worktree?: string;
      /** A hash of the system prompt; older files have none. */
      readonly systemHash?: string;
    }
  /**
   * A message of a person, or of Quoll in the person's name. `prompt` is the typed text without the parts that Quoll
   * added.
   */
  | {
      readonly kind: "user";
      readonly message: UserMessage;
      readonly prompt: string;
      /** Absent for a person's own message. */
      readonly by?: "hook" | "harness";
      /** Names of deferred tools that the message announces. */
      readonly announced?: readonly string[];
    }
  /**
   * The tool array from this entry on, if MCP servers are part of it or are still starting. Older readers skip this
   * entry.
   */
  | ({ readonly kind: "tools"; readonly optional: true } & ToolRecord)
  | { readonly kind: "assistant"; readonly message: AssistantMessage }
  /** `answerId`: the answer that makes the call, which may not have arrived yet, or be lost; absent in format 1. */
  | {
      readonly kind: "tool_started";
      readonly toolUseId: string;
      readonly toolName: string;
      readonly answerId?: string;
    }
  | { readonly kind: "tool_finished"; readonly result: ToolResultBlock; readonly answerId?: string }
  /**
   * The user message that carried results, in call order. `finished`: in the file, the blocks that an earlier
   * `tool_finished` holds; the message in the file lacks them, and readers put them back (`withFinished`).
   */
  | { readonly kind: "results"; readonly message: UserMessage; readonly finished?: readonly FinishedResult[] }
  | {
      readonly kind: "turn_finished";
      readonly reason: string;
      readonly costUsd: number | null;
      /** Facts that the screen of a resumed session shows; absent in older files. */
      readonly shown?: ShownTurn;
    }
  /** A fact that only a screen shows. A reader may skip this entry. */
  | { readonly kind: "shown"; readonly optional: true; readonly fact: ShownFact }
  /** A text for the model that the next prompt takes along, such as a command that the person ran. */
  | { readonly kind: "note"; readonly optional: true; readonly text: string }
  /** The conversation starts again below this entry (`/clear`); earlier entries stay in the file. */
  | { readonly kind: "cleared" }
  /**
   * The model's view becomes smaller from this entry on: blocks are replaced, and a summary replaces the messages
   * before an entry.
   */
  | {
      readonly kind: "compacted";
      readonly why: CompactionReason;
      /** The replacements of blocks. */
      readonly stubs: readonly Stub[];
      /** The first entry whose message stays; if absent, all messages stay. */
      readonly firstKeptId?: string;
      /** The last entry whose message stays, if the summary replaces the messages after it. */
      readonly lastKeptId?: string;
      /** Ids of messages that stay in addition to the summary, in order, because the person pinned them. */
      readonly keptIds?: readonly string[];
      /** Ids of messages that the person removed from the model's view. */
      readonly removedIds?: readonly string[];
      /** The summary, which replaces every message that is not kept. */
      readonly summary?: UserMessage;
      readonly report?: CompactionReport;
      /** One line for the person. */
      readonly note: string;
    }
  /** The person's pins from this entry on: ids of messages, and ids of calls whose results are pinned. */
  | { readonly kind: "pinned"; readonly optional: true; readonly ids: readonly string[] }
  /**
   * What the person, or a model that writes titles, said about the session as a whole. It belongs to no branch of the tree, so no other entry follows
   * it, and `/clear` does not end it. The newest value of each field counts.
   */
  | ({ readonly kind: "label"; readonly optional: true } & SessionLabel)
  /** The conversation works in this worktree from this entry on; without a name, in the starting folders. */
  | { readonly kind: "worktree"; readonly optional: true; readonly name?: string }
  /** The person undid a compaction: the model sees the removed messages again. */
  | { readonly kind: "uncompacted"; readonly compactedId: string }
  /**
   * The conversation continues from an earlier entry, the parent of this one. `from`: the last entry before the
   * conversation moved to this branch. `by`: the person's command that moved it, if one did.
   */
  | { readonly kind: "branch"; readonly from: string | null; readonly by?: "rewind" | "redo" };

/** A result of a message. `at`: its place among the blocks, from 0. `entryId`: the `tool_finished` that holds it. */
export type FinishedResult = { readonly at: number; readonly entryId: string };

/** The fields that are present change, the others stay. */
export type SessionLabel = {
  /** One line of at most 80 characters; empty: the session has no name. */
  readonly name?: string;
  /** Written by a model: the title while the session has no name. One line of at most 80 characters. */
  readonly title?: string;
  /** A pinned session is listed first and is never deleted because of its age or size. */
  readonly isPinned?: boolean;
  /** An archived session is listed last and is never deleted because of its age or size. */
  readonly isArchived?: boolean;
};

/** The end of a turn in the form that a screen shows. */
export type ShownTurn = Pick<TurnReport, "outcome" | "durationMs" | "waitedMs" | "usage">;

/** An ended call in the form that a screen shows beside its result. Long texts are cut (`MAX_SHOWN_CHARS`). */
export type ShownCall = {
  readonly toolUseId: string;
  readonly title: string;
  readonly durationMs: number;
  readonly display?: Display;
  /** Only in files of older versions: later ones hold it as the result's `end`. Readers make it a fact. */
  readonly refusedBy?: DecidedBy;
  readonly answer?: AnswerNote;
};

export type ShownFact =
  | ({ readonly type: "call" } & ShownCall)
  /** A command that the person ran with `!`; `excerpt`: the beginning of its result. */
  | ({ readonly type: "shell"; readonly isError: boolean; readonly excerpt: string } & ShownCall)
  | { readonly type: "notice"; readonly message: string; readonly level?: "info" }
  | { readonly type: "continued"; readonly reason: ContinueReason }
  | Extract<EngineEvent, { type: "tools_changed" | "cache_missed" }>;

/** The position of an entry in the tree, and its agent. */
export type EntryPlace = {
  readonly parentId: string | null;
  readonly agent: Pick<AgentSource, "agentId" | "parentAgentId">;
};

export type Entry = EntryBody & {
  readonly v: number;
  readonly id: string;
  readonly parentId: string | null;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The id of the agent; absent in format 1, in which every entry belongs to the session's own agent. */
  readonly agentId?: string;
  readonly parentAgentId?: string | null;
  /** True if the results in this entry carry their facts; absent in older files, which say them only in words. */
  readonly hasFacts?: true;
};

/** The log of a conversation. When `append` returns, the kernel has the entry; `sync` writes the entry to the disk. */
export interface SessionLog {
  readonly sessionId: string;
  /**
   * @returns the written entry.
   * @throws {Error} the entry could not be written: the caller must not perform the announced action.
   */
  append(body: EntryBody, place: EntryPlace): Entry;
  sync(): Promise<void>;
  /**
   * The entry and its ancestors, oldest first, starting at the last `cleared`.
   * @param kinds The kinds of the entries that are returned; by default all. Few kinds are read much faster.
   * @throws {UserFacingError} if there is no such entry, or the file can't be read.
   */
  pathTo(entryId: string, kinds?: readonly Entry["kind"][]): readonly Entry[];
  /**
   * What a conversation that ends at the entry needs: what gives the model's messages. As `pathTo`, but of a long path
   * with compactions only a small part is read.
   */
  viewTo(entryId: string): ConversationView;
  /** The ids and kinds of the entries that `pathTo` returns, without reading their content. */
  linksTo(entryId: string): readonly EntryLink[];
}

export type EntryLink = Pick<Entry, "id" | "kind">;

/** The log of a session that has a name. */
export interface LabelledLog extends SessionLog {
  /** The name that the person gave. */
  readonly name: string | undefined;
  /**
   * Names the session, or marks it. In a new session the label is written with the first entry.
   * @throws {UserFacingError} the session is not saved, or the label could not be written.
   */
  label(label: SessionLabel): void;
}

/** The kinds of entries that may contain results. */
const WITH_RESULTS: ReadonlySet<Entry["kind"]> = new Set(["tool_finished", "results", "compacted"]);

/** Makes an entry from its parts. */
export function makeEntry(
  body: EntryBody,
  { parentId, agent }: EntryPlace,
  { id, now }: { readonly id: string /** Milliseconds since the epoch. */; readonly now: number },
): Entry {
  const { agentId, parentAgentId } = agent;
  return {
    v: SESSION_FORMAT,
    id,
    parentId,
    time: new Date(now).toISOString(),
    ...body,
    ...(WITH_RESULTS.has(body.kind) && { hasFacts: true as const }),
    agentId,
    parentAgentId,
  };
}

/** A saved session that was read to be continued. */
export type RestoredSession = {
  readonly sessionId: string;
  /**
   * The path of the session's own agent since the last `/clear`, oldest first, as far as it gives the model's messages and
   * the newest messages for a screen. Of what a compaction took out before, only the newest entry of each state is here.
   */
  readonly entries: readonly Entry[];
  /** The ids of the messages on the path that `entries` leaves out, oldest first. */
  readonly earlierIds: readonly string[];
  /** The entry that the next entry follows. */
  readonly lastId: string | null;
  /** The start of the session; ISO 8601, UTC. */
  readonly startedAt?: string;
};

/** The entries that give the model's messages. `earlierIds`: see `RestoredSession`. */
export type ConversationView = Pick<RestoredSession, "entries" | "earlierIds">;

/** A saved conversation for a screen. */
export type ShownConversation = ConversationView & {
  /**
   * All its entries, oldest first; none after a `/clear`.
   * @throws {UserFacingError} (as a rejection) the log can't be read.
   */
  whole(): Promise<readonly Entry[]>;
};

/** A conversation that `/clear` ended; its entries stay in the file of its session. */
export type ClearedConversation = {
  /** The id of the entry that ended the conversation. */
  readonly id: string;
  /** The session whose file has the conversation. */
  readonly sessionId: string;
  /** The title by a model, otherwise the first prompt. One line. */
  readonly title: string;
  /** The first prompt, if the title is another text. */
  readonly firstPrompt?: string;
  readonly lastPrompt?: string;
  /** True if the session has no prompt since: its own entry in a list has the same title. */
  readonly isLast?: true;
  /** True if its session is archived. */
  readonly isArchived?: true;
  /** The folder of its session; absolute. */
  readonly folder?: string;
  /** The number of the person's prompts. */
  readonly prompts: number;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
};

/** What a list shows of a saved session. */
export type SessionSummary = {
  readonly id: string;
  /** The name that the person gave; otherwise the title by a model, otherwise the first prompt. One line. */
  readonly title: string;
  /** True if the person gave the title. */
  readonly isNamed?: true;
  /** Milliseconds since the epoch of the last change. */
  readonly modifiedAt: number;
  readonly bytes: number;
  /** True if the session began without a person. */
  readonly isHeadless?: true;
  readonly isPinned?: true;
  readonly isArchived?: true;
  /** The folder in which the session was started; absolute. */
  readonly folder?: string;
  /** The branch that was checked out when the session began. */
  readonly branch?: string;
  /** The name of the worktree that the session entered last. */
  readonly worktree?: string;
  /** The number of the person's prompts. */
  readonly prompts: number;
  /** The cost of all turns in US dollars; null if a price is unknown. */
  readonly costUsd: number | null;
  /** True if a process has the session open. */
  readonly isOpen?: true;
  /** The first prompt, if the title is another text. */
  readonly firstPrompt?: string;
  /** The person's last prompt, and the text of the last answer, each on one line and cut. */
  readonly lastPrompt?: string;
  readonly lastAnswer?: string;
};
