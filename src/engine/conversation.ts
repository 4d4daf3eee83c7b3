import { type AgentSource, MAIN_AGENT } from "../contracts/agent.ts";
import type { CompactionReason, CompactionReport } from "../contracts/compaction.ts";
import type { Compaction } from "../contracts/compactor.ts";
import type { SentPrompt } from "../contracts/engine.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import type { Ids } from "../contracts/ports.ts";
import type { Entry, EntryBody, EntryLink, RestoredSession, SessionLog } from "../contracts/session.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { endsInCall, type Projection, project } from "./project.ts";
import type { OpenedPrompt } from "./returnable-prompt.ts";
import type { TokenCount } from "./token-count.ts";
import type { ToolNotes } from "./tool-notes.ts";

export type ConversationDeps = {
  readonly log: SessionLog;
  readonly agent: AgentSource;
  readonly ids: Ids;
};

/** `earlierIds`: see `RestoredSession`. */
export type ConversationStart = Pick<RestoredSession, "entries" | "lastId"> &
  Partial<Pick<RestoredSession, "earlierIds">>;

/**
 * The one owner of the messages: each message is an entry in the log before it is part of the conversation, and the
 * entries alone determine the messages for the model.
 */
export class Conversation {
  readonly #deps: ConversationDeps;
  #view: Projection;
  /** The entry that the next entry follows. */
  #lastId: string | null;

  /** @param restored The conversation to continue: an old session, or another agent's conversation so far. */
  constructor(deps: ConversationDeps, restored: ConversationStart | undefined) {
    this.#deps = deps;
    this.#view = project(restored?.entries ?? [], restored?.earlierIds);
    this.#lastId = restored?.lastId ?? null;
  }

  get sessionId(): string {
    return this.#deps.log.sessionId;
  }

  /** The messages for the model. New messages extend the list in place; a change of old messages makes a new list. */
  get messages(): readonly Message[] {
    return this.#view.messages;
  }

  /** The log entry of each message. */
  get entryIds(): readonly string[] {
    return this.#view.entryIds;
  }

  get tokens(): TokenCount {
    return this.#view.tokens;
  }

  /** The notes in this conversation that told the model about its tools. */
  get toolNotes(): ToolNotes {
    return this.#view.toolNotes;
  }

  /** The person's pins: ids of messages, and ids of calls whose results are pinned. */
  get pinned(): ReadonlySet<string> {
    return this.#view.pinned;
  }

  /** The check of the newest summary in the view; undefined without a summary. */
  get lastReport(): CompactionReport | undefined {
    return this.#view.lastReport;
  }

  /** True if the model was told, since the last compaction, how little is left of its window. */
  get isWindowNoted(): boolean {
    return this.#view.isWindowNoted;
  }

  /** The texts that the next prompt takes along. */
  get next(): Pick<NextPrompt, "notes" | "unfinished"> {
    return this.#view.next;
  }

  get lastId(): string | null {
    return this.#lastId;
  }

  /** The person's prompts among the messages, oldest first. @throws {UserFacingError} the log can't be read. */
  get prompts(): readonly SentPrompt[] {
    if (this.#lastId === null) return [];
    return this.#deps.log
      .pathTo(this.#lastId, ["user"])
      .flatMap((entry) =>
        entry.kind === "user" && entry.by === undefined && this.has(entry.message.id)
          ? [{ messageId: entry.message.id, text: entry.prompt }]
          : [],
      );
  }

  /** True if a message with this id exists: a second message with the id would have no effect. */
  has(messageId: string): boolean {
    return this.#view.has(messageId);
  }

  /**
   * @returns the id of the entry.
   * @throws {Error} the entry could not be written: nothing changes.
   */
  append(body: EntryBody): string {
    const entry = this.#write(body, this.#lastId);
    this.#view.add(entry);
    return entry.id;
  }

  /**
   * Removes the parts that a compaction stage names from the model's view; the log keeps them.
   *
   * @returns the estimated number of freed tokens.
   * @throws {Error} the compaction would separate a call from its result, or names an entry that the view does not hold.
   */
  compact({ summary, note, ...taken }: Compaction, why: CompactionReason): number {
    const { firstKeptId, lastKeptId, keptIds = [], removedIds = [] } = taken;
    if (firstKeptId !== undefined) this.#assertKeepable(this.entryIds.indexOf(firstKeptId), firstKeptId);
    if (lastKeptId !== undefined) this.#assertKeepable(this.entryIds.lastIndexOf(lastKeptId) + 1, lastKeptId);
    assertWholeCalls(this.messages, new Set(keptIds));
    assertWholeCalls(this.messages, new Set(removedIds));
    const before = this.tokens.messageTokens;
    const message = summary && ({ role: "user", id: this.#deps.ids.next(), content: summary } as const);
    this.append({ kind: "compacted", why, ...taken, ...(message && { summary: message }), note });
    return Math.max(0, before - this.tokens.messageTokens);
  }

  /**
   * Moves the conversation to another of its entries, either earlier or later. The next message follows the chosen
   * entry.
   * @throws {UserFacingError} if there is no such entry since the last `/clear`, it belongs to another agent, or a call
   * was running.
   */
  moveTo(entryId: string, by?: "redo"): void {
    const view = this.#deps.log.viewTo(entryId);
    const path = view.entries;
    const owner = path.at(-1)?.agentId ?? MAIN_AGENT.agentId;
    if (owner !== this.#deps.agent.agentId)
      throw new UserFacingError(`The entry ${entryId} belongs to another agent: choose one of this conversation.`);
    if (endsInCall(path))
      throw new UserFacingError(
        `At the entry ${entryId} a call was under way: choose the message before it or after it.`,
      );
    const entry = this.#write({ kind: "branch", from: this.#lastId, ...(by && { by }) }, entryId);
    this.#view = project([...path, entry], view.earlierIds);
  }

  /**
   * Moves the conversation to the moment before a prompt of the person. The old branch stays in the log.
   * @returns the prompt's typed words.
   * @throws {UserFacingError} there is no such prompt since the last `/clear`, or the log can't be read.
   */
  moveBefore(messageId: string): string {
    const found = this.history(["user"]).find((entry) => entry.kind === "user" && entry.message.id === messageId);
    if (found?.kind !== "user" || found.by !== undefined)
      throw new UserFacingError("This conversation has no such prompt: /rewind lists its prompts.");
    this.#branch(found.parentId, { by: "rewind" });
    return found.prompt;
  }

  /**
   * Takes the newest prompt out of the conversation: the next entry follows the entry before the prompt. If a compaction
   * came after the prompt, the compaction stays, and only the prompt is removed from the model's view.
   * @throws {Error} the log can't be read or written: nothing changes.
   */
  takeBack({ beforeId, messageId }: OpenedPrompt, isCompacted: boolean): void {
    if (isCompacted) {
      this.compact({ stubs: [], removedIds: [messageId], note: "The cancelled prompt was removed." }, "chosen");
      return;
    }
    this.#branch(beforeId, {});
  }

  /**
   * Restores the messages that the last compaction removed; later messages stay.
   * @returns the reason of that compaction.
   * @throws {UserFacingError} if there is no compaction to undo.
   */
  undoCompaction(): CompactionReason {
    const history = this.history();
    const undone = new Set(history.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
    const last = history
      .filter((entry) => entry.kind === "compacted")
      .findLast(({ id, why }) => !undone.has(id) && why !== "image_too_large");
    if (!last) throw new UserFacingError("There is no compaction to undo in this conversation.");
    const entry = this.#write({ kind: "uncompacted", compactedId: last.id }, this.#lastId);
    this.#view = project([...history, entry]);
    return last.why;
  }

  /**
   * The entries since the last `/clear`, oldest first.
   * @param kinds The kinds that are returned; by default all, which parses the whole file.
   * @throws {UserFacingError} the log can't be read.
   */
  history(kinds?: readonly Entry["kind"][]): readonly Entry[] {
    return this.#lastId === null ? [] : this.#deps.log.pathTo(this.#lastId, kinds);
  }

  /** The ids and kinds of the entries of `history`. @throws {UserFacingError} the log can't be read. */
  links(): readonly EntryLink[] {
    return this.#lastId === null ? [] : this.#deps.log.linksTo(this.#lastId);
  }

  /** The entries of the branch that the newest rewind left, oldest first; none without a rewind. */
  leftByRewind(): readonly Entry[] {
    const last = this.history(["branch"]).findLast((entry) => entry.kind === "branch" && entry.by === "rewind");
    return last?.kind === "branch" && last.from !== null ? this.#deps.log.pathTo(last.from) : [];
  }

  /** Writes all entries to the disk. */
  sync(): Promise<void> {
    return this.#deps.log.sync();
  }

  /** The next entry follows an earlier one; null: the conversation is empty. */
  #branch(parentId: string | null, { by }: { readonly by?: "rewind" }): void {
    const view = parentId === null ? undefined : this.#deps.log.viewTo(parentId);
    const entry = this.#write({ kind: "branch", from: this.#lastId, ...(by && { by }) }, parentId);
    this.#view = project([...(view?.entries ?? []), entry], view?.earlierIds);
  }

  #write(body: EntryBody, parentId: string | null): Entry {
    const entry = this.#deps.log.append(body, { parentId, agent: this.#deps.agent });
    this.#lastId = entry.id;
    return entry;
  }

  /** @param at The index of the message that would be next to a summary. */
  #assertKeepable(at: number, entryId: string): void {
    const first = this.messages[at];
    if (!first) throw new Error(`No message of the conversation is of the entry ${entryId}.`);
    if (first.role === "user" && first.content.some(({ type }) => type === "tool_result"))
      throw new Error("A call and its result must be kept or dropped together.");
  }
}

/** @throws {Error} the ids contain a call without its results, or results without their call. */
function assertWholeCalls(messages: readonly Message[], ids: ReadonlySet<string>): void {
  if (ids.size === 0) return;
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1];
    const isAnswer = message.role === "user" && message.content.some(({ type }) => type === "tool_result");
    if (isAnswer && ids.has(message.id) !== ids.has(before?.id ?? ""))
      throw new Error("A call and its result must be kept or dropped together.");
  }
}
