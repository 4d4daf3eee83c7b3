import type { CompactionReport } from "../contracts/compaction.ts";
import {
  type AssistantMessage,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUses,
  type UserMessage,
} from "../contracts/message.ts";
import type { Entry } from "../contracts/session.ts";
import { withStubs } from "./edited-messages.ts";
import { NextPrompt } from "./next-prompt.ts";
import { TokenCount } from "./token-count.ts";
import { ToolNotes } from "./tool-notes.ts";
import { isWindowNote } from "./window-notes.ts";

const INTERRUPTED =
  "Interrupted: Quoll ended while this call was running; it may have run in part. Check before repeating it.";
const NOT_RUN = "Not run: Quoll ended before this call began.";

type Compacted = Extract<Entry, { kind: "compacted" }>;

/**
 * Computes the messages for a model from the entries of a conversation. A running session, which adds entries one by
 * one, and a restored session produce the same messages.
 *
 * Each tool_use gets exactly one tool_result in the next message: the result that was sent, otherwise the result that
 * was logged when the call ended, otherwise a result that states what is known. No call runs again. A returned message
 * never changes.
 * @param earlierIds The ids of messages before these entries, which a compaction among them takes out.
 */
export function project(entries: readonly Entry[], earlierIds: readonly string[] = []): Projection {
  const projection = new Projection(earlierIds);
  const undone = new Set(entries.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
  const inForce = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "uncompacted") inForce.delete(entry.compactedId);
    if (undone.has(entry.id)) inForce.add(entry.id);
    // The usage of an answer to a request that an undone compaction made smaller does not tell the size of the whole
    // conversation.
    else projection.add(entry, { isCounted: inForce.size === 0 });
  }
  projection.close();
  return projection;
}

/** True if a call had no result yet for the model when the last of these entries was written. */
export function endsInCall(entries: readonly Entry[]): boolean {
  const last = entries.findLast(({ kind }) => kind !== "shown")?.kind;
  if (last === "tool_started" || last === "tool_finished") return true;
  const projection = new Projection();
  for (const entry of entries) projection.add(entry);
  return projection.isOpen;
}

export class Projection {
  #messages: Message[] = [];
  #entryIds: string[] = [];
  #tokens = new TokenCount();
  /** The notes in this conversation that told the model about its tools. */
  readonly toolNotes = new ToolNotes();
  #pinned: ReadonlySet<string> = new Set();
  #lastReport: CompactionReport | undefined;
  #isWindowNoted = false;
  /** The texts that the next prompt takes along. */
  readonly next = new NextPrompt();
  readonly #seen: Set<string>;
  /** Calls that started or ended after the last results, by the call's id. A call may start before its message is complete. */
  readonly #started = new Map<string, string | undefined>();
  readonly #finished = new Map<string, { readonly result: ToolResultBlock; readonly answerId: string | undefined }>();
  /** The message whose calls have no results yet, and its entry. */
  #open: { readonly message: AssistantMessage; readonly entryId: string } | undefined;

  constructor(earlierIds: readonly string[] = []) {
    this.#seen = new Set(earlierIds);
  }

  /** The list grows in place; if old messages change, a new list replaces it. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The log entry of each message. */
  get entryIds(): readonly string[] {
    return this.#entryIds;
  }

  get tokens(): TokenCount {
    return this.#tokens;
  }

  /** The person's pins: ids of messages, and ids of calls whose results are pinned. */
  get pinned(): ReadonlySet<string> {
    return this.#pinned;
  }

  /** The check of the newest summary. */
  get lastReport(): CompactionReport | undefined {
    return this.#lastReport;
  }

  /** True if the model was told, since the last compaction, how little is left of its window. */
  get isWindowNoted(): boolean {
    return this.#isWindowNoted;
  }

  /** True if calls still lack results. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** True if a message with this id exists: a second message with the id would have no effect. */
  has(messageId: string): boolean {
    return this.#seen.has(messageId);
  }

  /** @param isCounted False if the usage of an answer does not belong to these messages. */
  add(entry: Entry, { isCounted } = { isCounted: true }): void {
    switch (entry.kind) {
      case "user":
        if (this.#isRepeated(entry.message)) return;
        this.close();
        this.#push(entry.message, entry.id);
        this.next.add(entry);
        this.toolNotes.add(entry);
        this.#isWindowNoted ||= isWindowNote(entry.message);
        return;
      case "note":
        this.next.add(entry);
        return;
      case "tools":
        this.toolNotes.add(entry);
        return;
      case "assistant":
        if (this.#isRepeated(entry.message)) return;
        this.close();
        this.#push(entry.message, entry.id, isCounted);
        this.#forgetOthers(entry.message.id);
        if (toolUses(entry.message).length > 0) this.#open = { message: entry.message, entryId: entry.id };
        return;
      case "results":
        if (!this.#isRepeated(entry.message)) this.#addResults(entry.message, entry.id);
        return;
      case "tool_started":
        this.#started.set(entry.toolUseId, entry.answerId);
        return;
      case "tool_finished": {
        const { result, answerId } = entry;
        const known = this.#finished.get(result.toolUseId);
        // If a crash caused two entries for a call, the first entry is used.
        if (!known || known.answerId !== answerId) this.#finished.set(result.toolUseId, { result, answerId });
        return;
      }
      case "compacted":
        this.close();
        this.#compact(entry);
        return;
      case "pinned":
        this.#pinned = new Set(entry.ids);
        return;
      case "cleared":
        this.#clear();
        return;
      case "turn_finished":
        this.close();
        this.next.add(entry);
        return;
      case "branch":
        this.close();
        return;
      default:
        return;
    }
  }

  /**
   * Adds results for calls that never got one. The message's id is derived from its calls, so that every reading gives
   * the same history.
   */
  close(): void {
    const open = this.#open;
    if (!open) return;
    const content = this.#resultsFor(open.message);
    this.#push({ role: "user", id: `${open.message.id}-results`, content }, open.entryId);
    this.#settle();
  }

  #push(message: Message, entryId: string, isCounted = true): void {
    this.#messages.push(message);
    this.#entryIds.push(entryId);
    this.#tokens.add(message, isCounted);
  }

  #isRepeated(message: Message): boolean {
    if (this.#seen.has(message.id)) return true;
    this.#seen.add(message.id);
    return false;
  }

  #addResults(message: UserMessage, entryId: string): void {
    const open = this.#open?.message;
    const rest = message.content.filter((block) => block.type !== "tool_result");
    if (!open) {
      // The message with the calls was lost, and every provider refuses results without their calls.
      if (rest.length > 0) this.#push({ ...message, content: rest }, entryId);
      return;
    }
    const given = message.content.filter((block) => block.type === "tool_result");
    for (const result of given) this.#finished.set(result.toolUseId, { result, answerId: open.id });
    const content = [...this.#resultsFor(open), ...rest];
    const isWhole =
      content.length === message.content.length && content.every((one, at) => one === message.content[at]);
    this.#push(isWhole ? message : { ...message, content }, entryId);
    this.#settle();
  }

  #settle(): void {
    this.#open = undefined;
    this.#started.clear();
    this.#finished.clear();
  }

  /** Calls of a lost or discarded answer may have the same ids as the calls of this answer. */
  #forgetOthers(answerId: string): void {
    for (const [id, of] of this.#started) if (of !== undefined && of !== answerId) this.#started.delete(id);
    for (const [id, of] of this.#finished)
      if (of.answerId !== undefined && of.answerId !== answerId) this.#finished.delete(id);
  }

  #resultsFor(message: AssistantMessage): readonly ToolResultBlock[] {
    return toolUses(message).map((use) => this.#resultFor(use));
  }

  #resultFor({ id }: ToolUseBlock): ToolResultBlock {
    const known = this.#finished.get(id)?.result;
    if (known) return known;
    const content = this.#started.has(id) ? INTERRUPTED : NOT_RUN;
    return { type: "tool_result", toolUseId: id, content, isError: true };
  }

  #compact({ id, summary, stubs, report, ...taken }: Compacted): void {
    this.#isWindowNoted = false;
    const { firstKeptId, lastKeptId, keptIds = [], removedIds = [] } = taken;
    const first = firstKeptId === undefined ? 0 : this.#entryIds.indexOf(firstKeptId);
    const last = lastKeptId === undefined ? this.#messages.length - 1 : this.#entryIds.lastIndexOf(lastKeptId);
    // If the entry is missing (a damaged file), the view keeps too much rather than too little.
    const isFound = first >= 0 && last >= 0;
    const [from, to] = isFound ? [first, last + 1] : [0, this.#messages.length];
    const [kept, removed] = [new Set(keptIds), new Set(removedIds)];
    const places = [...this.#messages.keys()].filter((at) => {
      const messageId = this.#messages[at]?.id ?? "";
      return ((at >= from && at < to) || kept.has(messageId)) && !removed.has(messageId);
    });
    const messages = withStubs(this.#messages, stubs);
    this.#messages = places.flatMap((at) => messages[at] ?? []);
    this.#entryIds = places.flatMap((at) => this.#entryIds[at] ?? []);
    if (summary !== undefined && isFound) {
      // The summary is inserted where the replaced messages were.
      const at = places.findIndex((place) => (lastKeptId === undefined ? true : place >= to));
      const place = at === -1 ? places.length : at;
      this.#messages = this.#messages.toSpliced(place, 0, summary);
      this.#entryIds = this.#entryIds.toSpliced(place, 0, id);
    }
    if (summary !== undefined && report) this.#lastReport = report;
    this.#tokens = this.#tokens.after(this.#messages);
    if (summary) this.#seen.add(summary.id);
    this.toolNotes.keep(this.#messages);
  }

  #clear(): void {
    this.#settle();
    this.#messages = [];
    this.#entryIds = [];
    this.#tokens = new TokenCount();
    this.#seen.clear();
    this.toolNotes.clear();
    this.#pinned = new Set();
    this.#lastReport = undefined;
    this.#isWindowNoted = false;
    this.next.clear();
  }
}
