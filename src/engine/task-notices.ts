import type { EngineEvent } from "../contracts/event.ts";
import type { EventHub } from "./event-hub.ts";
import type { InputQueue } from "./input-queue.ts";

type TaskEvent = Extract<EngineEvent, { type: "task_started" | "task_changed" | "task_ended" | "hook_status" }>;

/** Tells the readers and the model of an agent about its background tasks, and the readers about slow hooks. */
export class TaskNotices {
  readonly #queue: InputQueue;
  readonly #events: EventHub;
  readonly #isBusy: () => boolean;
  /** Ended tasks of which the person is told when the engine is idle, by task id. */
  readonly #untold = new Map<string, string>();

  constructor(queue: InputQueue, events: EventHub, isBusy: () => boolean) {
    this.#queue = queue;
    this.#events = events;
    this.#isBusy = isBusy;
  }

  tell(event: TaskEvent): void {
    this.#events.emit(event);
  }

  /**
   * Adds a note for the model to the next request of a running turn, or else to the next input. The person is told at
   * once when the engine is idle, or else when the turn ends. @param line The note as the person sees it.
   */
  addNote(id: string, note: string, line = note): void {
    this.#queue.addNote(id, note);
    this.#untold.set(id, line);
    if (!this.#isBusy()) this.rested();
  }

  /** Adds a note for the model alone to the next request of a running turn, or else to the next input. */
  addModelNote(id: string, note: string): void {
    this.#queue.addNote(id, note);
  }

  /** Tells the person about tasks that ended while the engine was busy. */
  rested(): void {
    const notes = [...this.#untold.values()];
    this.#untold.clear();
    for (const message of notes) this.#events.emit({ type: "notice", message });
  }

  /** Removes the note about a task whose output the model has already read; the person saw that call. */
  withdrawNote(id: string): void {
    this.#untold.delete(id);
    this.#queue.withdrawNote(id);
  }
}
