import type { EngineEvent } from "../contracts/event.ts";
import type { EventHub } from "./event-hub.ts";
import type { InputQueue } from "./input-queue.ts";

type TaskEvent = Extract<EngineEvent, { type: "task_started" | "task_ended" }>;

/** Tells readers and the model of an agent what happens to its work in the background. */
export class TaskNotices {
  readonly #queue: InputQueue;
  readonly #events: EventHub;
  readonly #isBusy: () => boolean;
  /** Ends that the person is told when the engine rests, by the id of the task. */
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
   * Keeps a note for the model: it goes with the next request of a running turn, else with the next input. The person is
   * told at once, or when the engine rests.
   */
  addNote(id: string, note: string): void {
    this.#queue.addNote(id, note);
    this.#untold.set(id, note);
    if (!this.#isBusy()) this.rested();
  }

  /** Tells the person of the tasks that ended while the engine was busy. */
  rested(): void {
    const notes = [...this.#untold.values()];
    this.#untold.clear();
    for (const message of notes) this.#events.emit({ type: "notice", message });
  }

  /** The model looked at the task itself, which the person saw. */
  withdrawNote(id: string): void {
    this.#untold.delete(id);
    this.#queue.withdrawNote(id);
  }
}
