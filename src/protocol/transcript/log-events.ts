import { callTarget, untitledCall } from "../../contracts/call-target.ts";
import type { Todo } from "../../contracts/display.ts";
import { shellInput, typedWords } from "../../contracts/engine.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import {
  type AssistantMessage,
  NO_USAGE,
  type ToolResultBlock,
  type ToolUseBlock,
  toolUses,
} from "../../contracts/message.ts";
import type { Entry, ShownCall, ShownFact } from "../../contracts/session.ts";
import type { ScreenEvent } from "./transcript.ts";

/** The maximum number of messages of a restored conversation that are shown; the model still has the earlier ones. */
const MAX_RESTORED_MESSAGES = 200;
const TODO_TOOL = "TodoWrite";
type MessageEntry = Extract<Entry, { kind: "user" | "assistant" | "results" }>;

type Saved = {
  readonly entries: readonly Entry[];
  /** The messages before these entries. */
  readonly earlierIds?: readonly string[];
  /** The messages that the model still has. */
  readonly messageIds: readonly string[];
};

/**
 * A saved conversation as the events that a screen got during the session, without compactions that were undone.
 * `hiddenCount`: the number of messages that are left out.
 */
export function restoredEvents({ entries, earlierIds = [], messageIds }: Saved): {
  readonly events: readonly ScreenEvent[];
  readonly hiddenCount: number;
} {
  const { hidden, shown } = newest(entries, earlierIds.length > 0);
  const hiddenIds = [...earlierIds, ...hidden.map(({ message }) => message.id)];
  const log = new LogEvents(titlesOf(entries));
  if (hiddenIds.length > 0) log.notify(hiddenLine(hiddenIds, new Set(messageIds)), true);
  log.addAll(withoutUndone(shown));
  return { events: log.end(), hiddenCount: hiddenIds.length };
}

/**
 * The conversation of a watched agent so far, as events.
 * @param isOpen True if the agent continues, and its events follow. Text that is currently streaming is shown when it
 * is complete.
 */
export function watchedEvents(entries: readonly Entry[], isOpen: boolean): readonly ScreenEvent[] {
  const { hidden, shown } = newest(entries);
  const log = new LogEvents(titlesOf(entries));
  if (hidden.length > 0) log.notify(`${hidden.length} earlier messages are not shown.`);
  log.addAll(shown);
  return isOpen ? log.open() : [...log.end(), { type: "todos_changed", todos: [] }];
}

/** The messages that `restoredEvents` leaves out, for the whole transcript. */
export function earlierEvents(entries: readonly Entry[]): readonly ScreenEvent[] {
  const { shown } = newest(entries);
  const log = new LogEvents(titlesOf(entries));
  log.addAll(withoutUndone(entries.slice(0, entries.length - shown.length), entries));
  return log.end();
}

function withoutUndone(entries: readonly Entry[], all = entries): readonly Entry[] {
  const undone = new Set(all.flatMap((entry) => (entry.kind === "uncompacted" ? [entry.compactedId] : [])));
  return undone.size === 0 ? entries : entries.filter(({ id }) => !undone.has(id));
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

/** Reads entries as the events that they were. */
class LogEvents {
  readonly #events: ScreenEvent[] = [];
  readonly #titles: ReadonlyMap<string, string>;
  /** Results of the calls that are on the screen, or will be. */
  readonly #results = new Map<string, ToolResultBlock>();
  /** The calls that have begun. */
  readonly #begun = new Set<string>();
  /** The calls without an end, by id. */
  readonly #running = new Map<string, ToolUseBlock>();
  #isInTurn = false;
  #todos: readonly Todo[] = [];
  #cwd: string | undefined;

  constructor(titles: ReadonlyMap<string, string>) {
    this.#titles = titles;
  }

  notify(text: string, hasMore = false): void {
    this.#add({ type: "row", row: { kind: "notice", level: "info", text, ...(hasMore && { hasMore }) } });
  }

  addAll(entries: readonly Entry[]): void {
    for (const entry of entries) this.#addEntry(entry);
  }

  #addEntry(entry: Entry): void {
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
          this.#add({ type: "compacted", why: entry.why, freedTokens: 0, note: entry.note });
        return;
      case "turn_finished":
        this.#finishTurn(entry);
        return;
      default:
        return;
    }
  }

  end(): readonly ScreenEvent[] {
    this.#endTurn();
    if (this.#todos.every(({ status }) => status === "completed")) this.#add({ type: "todos_changed", todos: [] });
    return this.#events;
  }

  /** Keeps the conversation open: calls without a result are still running. */
  open(): readonly ScreenEvent[] {
    for (const id of [...this.#running.keys()]) if (this.#results.has(id)) this.#finish(id, undefined);
    // The beginning of the turn may be among the messages that are not shown.
    if (!this.#isInTurn)
      this.#add({ type: "turn_started", message: { role: "user", id: "", content: [] }, prompt: "" });
    this.#add({ type: "request_started", step: 1, model: "", holdsText: true });
    return this.#events;
  }

  #add(event: ScreenEvent): void {
    this.#events.push(event);
  }

  #addWords({ message, prompt, by }: Extract<Entry, { kind: "user" }>): void {
    this.#finishOpen();
    if (by !== undefined || this.#isInTurn) {
      this.#add({ type: "words_added", message, by: by ?? "user", prompt });
      return;
    }
    this.#isInTurn = true;
    this.#add({ type: "turn_started", message, prompt });
  }

  #addAnswer(message: AssistantMessage): void {
    this.#add({ type: "request_started", step: 1, model: message.model });
    this.#add({ type: "assistant_message", message });
    for (const use of toolUses(message).map(callTarget)) {
      const title = this.#titles.get(use.id) ?? untitledCall(use, this.#cwd);
      this.#start(use, title, "none");
    }
  }

  #start(use: ToolUseBlock, title: string, level: Extract<EngineEvent, { type: "tool_started" }>["level"]): void {
    this.#running.set(use.id, use);
    this.#add({ type: "tool_started", use, title, level });
  }

  #addFact(fact: ShownFact): void {
    if (fact.type === "call") this.#finish(fact.toolUseId, fact);
    else if (fact.type === "shell") this.#addShell(fact);
    else this.#add(fact);
  }

  #addShell(fact: Extract<ShownFact, { type: "shell" }>): void {
    const { toolUseId, title, isError, excerpt } = fact;
    this.#endTurn();
    const receipt = { id: toolUseId, prompt: typedWords(shellInput(title)), when: "shell", state: "taken" } as const;
    this.#add({ type: "input_receipt", receipt });
    this.#start({ type: "tool_use", id: toolUseId, name: "Bash", input: { command: title } }, title, "execute");
    this.#results.set(toolUseId, { type: "tool_result", toolUseId, content: excerpt, isError });
    this.#finish(toolUseId, fact);
  }

  /** @param shown Absent if the process ended before the facts were written, or if an older version wrote the log. */
  #finish(toolUseId: string, shown: Omit<ShownCall, "toolUseId" | "title"> | undefined): void {
    const { durationMs = 0, display, answer, refusedBy } = shown ?? {};
    const logged = this.#results.get(toolUseId) ?? unknownEnd(toolUseId, this.#begun.has(toolUseId));
    const result = refusedBy ? { ...logged, end: { kind: "refused", by: refusedBy } as const } : logged;
    this.#results.delete(toolUseId);
    if (answer) this.#add({ type: "question_settled", id: toolUseId, toolUseId, answer });
    const use = this.#running.get(toolUseId);
    this.#running.delete(toolUseId);
    const todos = use?.name === TODO_TOOL && !result.isError ? todosOf(use) : undefined;
    if (todos) {
      this.#todos = todos;
      this.#add({ type: "todos_changed", todos });
    }
    const seen = todos ? ({ kind: "todos", todos } as const) : display;
    this.#add({ type: "tool_finished", result, durationMs, ...(seen && { display: seen }) });
  }

  /** Calls without a logged fact: the entries after them show that they have ended. */
  #finishOpen(): void {
    for (const id of [...this.#running.keys()]) this.#finish(id, undefined);
    this.#results.clear();
    this.#begun.clear();
  }

  #finishTurn({ shown, costUsd, reason }: Extract<Entry, { kind: "turn_finished" }>): void {
    if (!shown) {
      this.#endTurn();
      if (reason === "aborted") this.#add({ type: "turn_finished", report: { ...NO_REPORT, outcome: { reason } } });
      return;
    }
    this.#finishOpen();
    this.#isInTurn = false;
    this.#add({ type: "turn_finished", report: { ...NO_REPORT, ...shown, costUsd: costUsd ?? undefined } });
  }

  /** The log does not contain the end of this turn. */
  #endTurn(): void {
    this.#finishOpen();
    if (this.#isInTurn) this.#add({ type: "turn_lost" });
    this.#isInTurn = false;
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
