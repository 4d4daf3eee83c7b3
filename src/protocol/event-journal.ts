import type { EngineEvent } from "../contracts/event.ts";

/** The maximum number of characters, estimated, that a screen that opens late receives. */
const MAX_CHARS = 4 * 1024 * 1024;
/** Without its texts. */
const EVENT_CHARS = 200;

/** Events that change nothing that a screen can still show, or that reach the screen in another way. */
const FORGOTTEN: ReadonlySet<EngineEvent["type"]> = new Set([
  "busy_changed",
  "mode_changed",
  "model_changed",
  "queue_changed",
  "question_asked",
  "thinking_delta",
  "tool_results",
]);
/** Only the last event of each of these types is kept. */
const LATEST: ReadonlySet<EngineEvent["type"]> = new Set([
  "budget_changed",
  "compaction_progress",
  "context_changed",
  "hook_status",
  "tool_input_delta",
]);

type Kept = { readonly event: EngineEvent; readonly chars: number };

/**
 * The events of a session, as far as they are needed to draw its conversation again. If the events are too large, the
 * oldest turns are dropped.
 */
export class EventJournal {
  #kept: Kept[] = [];
  #chars = 0;
  #isCut = false;

  /** Oldest first. */
  get events(): readonly EngineEvent[] {
    return this.#kept.map(({ event }) => event);
  }

  /** True if events were dropped. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(event: EngineEvent): void {
    if (FORGOTTEN.has(event.type) || isPassing(event)) return;
    const last = this.#kept.at(-1)?.event;
    if (event.type === "text_delta" && last?.type === "text_delta") {
      this.#kept.pop();
      this.#kept.push({ event: { ...event, text: last.text + event.text }, chars: EVENT_CHARS });
      this.#chars += event.text.length;
      return;
    }
    const chars = EVENT_CHARS + (event.type === "text_delta" ? event.text.length : JSON.stringify(event).length);
    const older = this.#kept.findLastIndex(({ event: older }) => isReplaced(older, event));
    this.#chars += chars - (this.#kept[older]?.chars ?? 0);
    // Open tasks stay in the order of their start.
    if (older >= 0 && event.type === "task_changed") this.#kept[older] = { event, chars };
    else {
      if (older >= 0) this.#kept.splice(older, 1);
      this.#kept.push({ event, chars });
    }
    if (this.#chars > MAX_CHARS) this.#drop();
  }

  /** Drops the older half, up to the next beginning of a turn if there is one. */
  #drop(): void {
    this.#isCut = true;
    const half = Math.ceil(this.#kept.length / 2);
    const turn = this.#kept.findIndex(({ event }, at) => at >= half && event.type === "turn_started");
    this.#kept = this.#kept.slice(turn < 0 ? half : turn);
    this.#chars = this.#kept.reduce((sum, { event }) => sum + JSON.stringify(event).length + EVENT_CHARS, 0);
  }
}

/** A receipt that makes no row. */
function isPassing(event: EngineEvent): boolean {
  return event.type === "input_receipt" && !(event.receipt.when === "shell" && event.receipt.state === "taken");
}

function isReplaced(older: EngineEvent, event: EngineEvent): boolean {
  if (LATEST.has(event.type)) return older.type === event.type;
  if ("task" in event) return "task" in older && older.task.id === event.task.id;
  if (older.type !== "tool_progress") return false;
  if (event.type === "tool_progress") return older.toolUseId === event.toolUseId;
  return event.type === "tool_finished" && older.toolUseId === event.result.toolUseId;
}
