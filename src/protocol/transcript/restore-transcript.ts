import { callTarget, titleFromInput } from "../../contracts/call-target.ts";
import type { Todo } from "../../contracts/display.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import {
  type AssistantMessage,
  NO_USAGE,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUses,
} from "../../contracts/message.ts";
import type { Entry, ShownCall, ShownFact } from "../../contracts/session.ts";
import { addRow, newTurn, reduce } from "./reduce.ts";
import { noteAnswer } from "./reduce-tools.ts";
import { emptyTranscript, type Row, type Transcript } from "./transcript.ts";

/** The maximum number of messages of a restored conversation that are shown; the model still has the earlier ones. */
const MAX_RESTORED_MESSAGES = 200;
const TODO_TOOL = "TodoWrite";
type MessageEntry = Extract<Entry, { kind: "user" | "assistant" | "results" }>;

type Restored = {
  readonly entries: readonly Entry[];
  /** The messages before these entries. */
  readonly earlierIds?: readonly string[];
  /** The messages that the model still has. */
  readonly messageIds: readonly string[];
};

/** Shows a saved conversation as the screen showed it during the session, without compactions that were undone. */
export function restoreTranscript(state: Transcript, { entries, earlierIds = [], messageIds }: Restored): Transcript {
  const { hidden, shown } = newest(entries, earlierIds.length > 0);
  const restoring = new Restoring(state, titlesOf(entries));
  const hiddenIds = [...earlierIds, ...hidden.map(({ message }) => message.id)];
  if (hiddenIds.length > 0) restoring.tell(hiddenLine(hiddenIds, new Set(messageIds)), true);
  const undone = new Set(shown.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
  for (const entry of shown) if (!undone.has(entry.id)) restoring.add(entry);
  return restoring.end();
}

/**
 * Shows the conversation of a watched agent so far.
 * @param isOpen True if the agent continues, and its events follow. Text that is currently streaming is shown when it
 * is complete.
 * @param nowMs Monotonic milliseconds: the clocks of running calls start here.
 */
export function watchedTranscript(entries: readonly Entry[], isOpen: boolean, nowMs: number): Transcript {
  const { hidden, shown } = newest(entries);
  const restoring = new Restoring(emptyTranscript, titlesOf(entries), nowMs);
  if (hidden.length > 0) restoring.tell(`${hidden.length} earlier messages are not shown.`);
  for (const entry of shown) restoring.add(entry);
  return isOpen ? restoring.open() : { ...restoring.end(), todos: [] };
}

/** The rows of the messages that `restoreTranscript` leaves out, for the whole transcript. */
export function earlierRows(entries: readonly Entry[]): readonly Row[] {
  const { shown } = newest(entries);
  const earlier = entries.slice(0, entries.length - shown.length);
  const restoring = new Restoring(emptyTranscript, titlesOf(entries));
  const undone = new Set(entries.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
  for (const entry of earlier) if (!undone.has(entry.id)) restoring.add(entry);
  return restoring.end().settled.slice();
}

/** True if `restoreTranscript` leaves out messages. */
export function hasEarlier({ entries, earlierIds }: Pick<Restored, "entries" | "earlierIds">): boolean {
  return (earlierIds?.length ?? 0) > 0 || newest(entries).hidden.length > 0;
}

/** Some of the hidden messages may have been compacted. */
function hiddenLine(hidden: readonly string[], inView: ReadonlySet<string>): string {
  const left = hidden.filter((id) => inView.has(id)).length;
  const has =
    left === hidden.length ? "still has them" : left === 0 ? "no longer has them" : `still has ${left} of them`;
  return `${hidden.length} earlier messages are not shown; the model ${has}`;
}

/**
 * The newest messages, starting at the beginning of a turn if they contain one.
 * @param isCut True if messages before these entries are missing.
 */
function newest(
  entries: readonly Entry[],
  isCut = false,
): {
  readonly hidden: readonly MessageEntry[];
  readonly shown: readonly Entry[];
} {
  const places = entries.flatMap((entry, at) => (isMessage(entry) ? [at] : []));
  if (places.length <= MAX_RESTORED_MESSAGES && !isCut) return { hidden: [], shown: entries };
  const kept = places.slice(-MAX_RESTORED_MESSAGES);
  const from = kept.find((at) => isPrompt(entries[at])) ?? kept[0] ?? 0;
  return { hidden: entries.slice(0, from).filter(isMessage), shown: entries.slice(from) };
}

function isMessage(entry: Entry): entry is MessageEntry {
  return entry.kind === "user" || entry.kind === "assistant" || entry.kind === "results";
}

function isPrompt(entry: Entry | undefined): boolean {
  return entry?.kind === "user" && entry.by === undefined;
}

/**
 * Maps calls to their titles before any call is shown, because the fact with the title is logged only when the call
 * has ended.
 */
function titlesOf(entries: readonly Entry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === "shown" && entry.fact.type === "call" ? [[entry.fact.toolUseId, entry.fact.title]] : [],
    ),
  );
}

/**
 * Replays entries as their original events. The log has no times of events, so the clock does not advance during the
 * replay.
 */
class Restoring {
  #state: Transcript;
  readonly #titles: ReadonlyMap<string, string>;
  /** Results of the calls that are on the screen, or will be. */
  readonly #results = new Map<string, ToolResultBlock>();
  /** The calls that have begun. */
  readonly #begun = new Set<string>();
  readonly #nowMs: number;
  #cwd: string | undefined;

  constructor(state: Transcript, titles: ReadonlyMap<string, string>, nowMs = 0) {
    this.#state = state;
    this.#titles = titles;
    this.#nowMs = nowMs;
  }

  tell(text: string, hasMore = false): void {
    this.#state = addRow(this.#state, { kind: "notice", level: "info", text, ...(hasMore && { hasMore }) });
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case "session":
        this.#cwd = entry.cwd;
        return;
      case "setup":
        this.#cwd = entry.cwd;
        if (entry.isStart) this.#endTurn();
        return;
      case "user":
        this.#addWords(entry);
        return;
      case "assistant":
        this.#finishOpen();
        this.#addAnswer(entry.message);
        return;
      case "tool_started":
        this.#begun.add(entry.toolUseId);
        return;
      case "tool_finished":
        this.#results.set(entry.result.toolUseId, entry.result);
        return;
      case "results":
        for (const block of entry.message.content)
          if (block.type === "tool_result") this.#results.set(block.toolUseId, block);
        return;
      case "shown":
        this.#addFact(entry.fact);
        return;
      case "compacted":
        this.#finishOpen();
        if (entry.why !== "image_too_large")
          this.#play({ type: "compacted", why: entry.why, freedTokens: 0, note: entry.note });
        return;
      case "turn_finished":
        this.#finishTurn(entry);
        return;
      default:
        return;
    }
  }

  end(): Transcript {
    this.#endTurn();
    const { todos } = this.#state;
    return { ...this.#state, todos: todos.every(({ status }) => status === "completed") ? [] : todos };
  }

  /** Keeps the conversation open: calls without a result are still running. */
  open(): Transcript {
    for (const { use } of this.#state.running) if (this.#results.has(use.id)) this.#finish(use.id, undefined);
    // The beginning of the turn may be among the messages that are not shown.
    return { ...this.#state, turn: this.#state.turn ?? newTurn(this.#nowMs), holdsText: true, textSeen: false };
  }

  #play(event: EngineEvent): void {
    this.#state = reduce(this.#state, event, this.#nowMs);
  }

  #addWords({ message, prompt, by }: Extract<Entry, { kind: "user" }>): void {
    this.#finishOpen();
    if (by === undefined && !this.#state.turn) this.#play({ type: "turn_started", message, prompt });
    else this.#play({ type: "words_added", message, by: by ?? "user", prompt });
  }

  #addAnswer(message: AssistantMessage): void {
    this.#state = { ...this.#state, textSeen: false };
    this.#play({ type: "assistant_message", message });
    for (const use of toolUses(message).map(callTarget)) {
      const title = this.#titles.get(use.id) ?? (titleFromInput(use.input, this.#cwd) || use.name);
      this.#play({ type: "tool_started", use, title, level: "none" });
    }
  }

  #addFact(fact: ShownFact): void {
    if (fact.type === "call") this.#finish(fact.toolUseId, fact);
    else if (fact.type === "shell") this.#addShell(fact);
    else this.#play(fact);
  }

  #addShell(fact: Extract<ShownFact, { type: "shell" }>): void {
    const { toolUseId, title, isError, excerpt } = fact;
    this.#endTurn();
    this.#state = addRow(this.#state, { kind: "user", text: `!${title}` });
    const use = { type: "tool_use", id: toolUseId, name: "Bash", input: { command: title } } as const;
    this.#play({ type: "tool_started", use, title, level: "execute" });
    this.#results.set(toolUseId, { type: "tool_result", toolUseId, content: excerpt, isError });
    this.#finish(toolUseId, fact);
  }

  /** @param shown Absent if the process ended before the facts were written, or if an older version wrote the log. */
  #finish(toolUseId: string, shown: Omit<ShownCall, "toolUseId" | "title"> | undefined): void {
    const { durationMs = 0, display, answer, refusedBy } = shown ?? {};
    const logged = this.#results.get(toolUseId) ?? unknownEnd(toolUseId, this.#begun.has(toolUseId));
    const result = refusedBy ? { ...logged, end: { kind: "refused", by: refusedBy } as const } : logged;
    this.#results.delete(toolUseId);
    if (answer) this.#state = noteAnswer(this.#state, toolUseId, answer);
    const use = this.#state.running.find((one) => one.use.id === toolUseId)?.use;
    if (use?.name === TODO_TOOL && !result.isError) this.#play({ type: "todos_changed", todos: todosOf(use) });
    this.#play({ type: "tool_finished", result, durationMs, ...(display && { display }) });
  }

  /** Calls without a logged fact: the entries after them show that they have ended. */
  #finishOpen(): void {
    for (const { use, finished } of this.#state.running) if (!finished) this.#finish(use.id, undefined);
    this.#results.clear();
    this.#begun.clear();
  }

  #finishTurn({ shown, costUsd, reason }: Extract<Entry, { kind: "turn_finished" }>): void {
    if (!shown) {
      this.#endTurn();
      if (reason === "aborted") this.#play({ type: "turn_finished", report: { ...NO_REPORT, outcome: { reason } } });
      return;
    }
    this.#finishOpen();
    this.#play({ type: "turn_finished", report: { ...NO_REPORT, ...shown, costUsd: costUsd ?? undefined } });
  }

  /** The log does not contain the end of this turn, so there is no footer. */
  #endTurn(): void {
    this.#finishOpen();
    this.#state = { ...this.#state, turn: undefined };
  }
}

const NO_REPORT = {
  text: "",
  steps: 0,
  durationMs: 0,
  waitedMs: 0,
  apiMs: 0,
  usage: NO_USAGE,
  costUsd: undefined,
  usageByModel: {},
  denials: [],
} as const;

function unknownEnd(toolUseId: string, hasBegun: boolean): ToolResultBlock {
  const content = hasBegun
    ? "Quoll ended before this call did; the call may have run in part."
    : "Quoll ended before this call began; it did not run.";
  return { type: "tool_result", toolUseId, content, isError: true };
}

function todosOf({ input: { todos } }: ToolUseBlock): readonly Todo[] {
  return Array.isArray(todos) ? todos.filter(isTodo) : [];
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== "object" || value === null) return false;
  const { content, activeForm, status } = value as Partial<Todo>;
  const isText = typeof content === "string" && typeof activeForm === "string";
  return isText && (status === "pending" || status === "in_progress" || status === "completed");
}
