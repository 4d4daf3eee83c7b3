import type { CompactionReport, Stub } from "../contracts/compaction.ts";
import {
  type AssistantMessage,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUses,
  type UserMessage,
} from "../contracts/message.ts";
import type { Entry } from "../contracts/session.ts";
import { TokenCount } from "./token-count.ts";
import { ToolNotes } from "./tool-notes.ts";

const INTERRUPTED =
  "Interrupted: Quoll ended while this call was running; it may have run in part. Check before repeating it.";
const NOT_RUN = "Not run: Quoll ended before this call began.";

type Compacted = Extract<Entry, { kind: "compacted" }>;

/**
 * Projects the entries of a conversation onto the messages that a model is sent. A running session, which adds entry by entry, and a
 * session that is read back give the same messages.
 *
 * Each tool_use gets exactly one tool_result in the message that follows: the one that was sent, else the one that was noted when
 * the call ended, else one that says what is known. Nothing is ever run again. A message that was given out is never changed.
 */
export function project(entries: readonly Entry[]): Projection {
  const projection = new Projection();
  const undone = new Set(entries.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
  for (const entry of entries) if (!undone.has(entry.id)) projection.add(entry);
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
  /** The notes in this conversation that told the model of its tools. */
  readonly toolNotes = new ToolNotes();
  #pinned: ReadonlySet<string> = new Set();
  #lastReport: CompactionReport | undefined;
  readonly #seen = new Set<string>();
  /** Calls that started or ended after the last results, by the call's id. A call may start before its message is complete. */
  readonly #started = new Map<string, string | undefined>();
  readonly #finished = new Map<string, { readonly result: ToolResultBlock; readonly answerId: string | undefined }>();
  /** The message whose calls still wait for their results, and its entry. */
  #open: { readonly message: AssistantMessage; readonly entryId: string } | undefined;

  /** The list itself: it grows, and another takes its place where old messages change. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The entry that brought each message. */
  get entryIds(): readonly string[] {
    return this.#entryIds;
  }

  get tokens(): TokenCount {
    return this.#tokens;
  }

  /** Ids of messages, and of calls whose results are meant, that the person pinned. */
  get pinned(): ReadonlySet<string> {
    return this.#pinned;
  }

  /** The check of the newest summary. */
  get lastReport(): CompactionReport | undefined {
    return this.#lastReport;
  }

  /** True if calls wait for their results. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** True if there was a message of this id: it would count once. */
  has(messageId: string): boolean {
    return this.#seen.has(messageId);
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case "user":
        if (this.#isRepeated(entry.message)) return;
        this.close();
        this.#push(entry.message, entry.id);
        this.toolNotes.add(entry);
        return;
      case "tools":
        this.toolNotes.add(entry);
        return;
      case "assistant":
        if (this.#isRepeated(entry.message)) return;
        this.close();
        this.#push(entry.message, entry.id);
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
        // Written twice around a crash: the first counts.
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
      case "branch":
      case "turn_finished":
        this.close();
        return;
      default:
        return;
    }
  }

  /** Answers calls whose results never came. The id is derived, so that every reading gives the same history. */
  close(): void {
    const open = this.#open;
    if (!open) return;
    const content = this.#resultsFor(open.message);
    this.#push({ role: "user", id: `${open.message.id}-results`, content }, open.entryId);
    this.#settle();
  }

  #push(message: Message, entryId: string): void {
    this.#messages.push(message);
    this.#entryIds.push(entryId);
    this.#tokens.add(message);
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
      // The message that it answers was lost: results without their calls are refused by every provider.
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

  /** Calls of an answer that was lost or thrown away may have the ids of this one's. */
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
    const { firstKeptId, lastKeptId, keptIds = [], removedIds = [] } = taken;
    const first = firstKeptId === undefined ? 0 : this.#entryIds.indexOf(firstKeptId);
    const last = lastKeptId === undefined ? this.#messages.length - 1 : this.#entryIds.lastIndexOf(lastKeptId);
    // An entry that is no longer there (a damaged file): rather keep too much.
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
      // The summary stands where the messages stood that it replaces.
      const at = places.findIndex((place) => (lastKeptId === undefined ? true : place >= to));
      const place = at === -1 ? places.length : at;
      this.#messages = this.#messages.toSpliced(place, 0, summary);
      this.#entryIds = this.#entryIds.toSpliced(place, 0, id);
      if (report) this.#lastReport = report;
    }
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
  }
}

/** Messages without those that are removed, and with blocks replaced, as a conversation shows them after such a compaction. */
export function editedMessages(
  messages: readonly Message[],
  { stubs, removedIds = [] }: Pick<Compacted, "stubs" | "removedIds">,
): readonly Message[] {
  return withStubs(messages, stubs).filter(({ id }) => !removedIds.includes(id));
}

/** Messages with blocks replaced; those without stay the same objects. */
function withStubs(messages: readonly Message[], stubs: readonly Stub[]): Message[] {
  const byMessage = Map.groupBy(stubs, ({ messageId }) => messageId);
  return messages.map((message) => {
    const own = byMessage.get(message.id);
    if (!own || message.role !== "user") return message;
    const blocks = new Map(own.map(({ at, block }) => [at, block]));
    return { ...message, content: message.content.map((block, at) => blocks.get(at) ?? block) };
  });
}
