import type { UserInput } from "../contracts/engine.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { EventHub } from "./event-hub.ts";
import type { InputQueue } from "./input-queue.ts";

type TaskEvent = Extract<EngineEvent, { type: "task_started" | "task_changed" | "task_ended" | "hook_status" }>;

type TurnPort = {
  readonly isBusy: boolean;
  /** Starts the next waiting input if nothing runs. */
  startNext(): void;
};

type PersonLine = { readonly message: string; readonly level?: "info"; readonly whileWaiting?: string | undefined };
type NoteOptions = {
  readonly line?: string;
  readonly level?: "info" | undefined;
  readonly wakes?: string | undefined;
  readonly whileWaiting?: string | undefined;
};

/** Tells the readers and the model of an agent about its background tasks, and the readers about slow hooks. */
export class TaskNotices {
  readonly #queue: InputQueue;
  readonly #events: EventHub;
  readonly #turns: TurnPort;
  /** Notes that may start a turn, each with the prompt of that turn. */
  readonly #waking = new Map<string, string>();
  /** Ended tasks, by id, of which the person is told when the engine is idle. */
  readonly #untold = new Map<string, PersonLine>();

  constructor(queue: InputQueue, events: EventHub, turns: TurnPort) {
    this.#queue = queue;
    this.#events = events;
    this.#turns = turns;
  }

  emit(event: TaskEvent): void {
    this.#events.emit(event);
  }

  /**
   * Adds a note for the model to the next request of a running turn, or to the next input if no turn runs. The person
   * sees the note at once if the engine is idle, otherwise when the turn ends. `line`: the note as the person sees it,
   * a warning unless `level` says otherwise. `wakes`: if no turn takes the note, a turn with this prompt starts.
   * `whileWaiting`: words behind the line, if no turn has taken the note by then.
   */
  addNote(id: string, note: string, { line = note, level, wakes, whileWaiting }: NoteOptions = {}): void {
    this.#queue.addNote(id, note);
    this.#untold.set(id, { message: line, whileWaiting, ...(level && { level }) });
    if (wakes !== undefined) this.#waking.set(id, wakes);
    if (this.#turns.isBusy) return;
    this.rested();
    this.#turns.startNext();
  }

  /** The input of the turn that a note starts; undefined if no such note is waiting. */
  takeWaking(): UserInput | undefined {
    const prompt = this.#queue.notes.map(({ id }) => this.#waking.get(id)).find((one) => one !== undefined);
    this.#waking.clear();
    return prompt === undefined ? undefined : { prompt, typed: "" };
  }

  /** Adds a note only for the model to the next request of a running turn, or to the next input if no turn runs. */
  addModelNote(id: string, note: string): void {
    this.#queue.addNote(id, note);
  }

  /** True until a note has been given to the model. */
  isWaiting(id: string): boolean {
    return this.#queue.notes.some((note) => note.id === id);
  }

  /** Tells the person about tasks that ended while the engine was busy. */
  rested(): void {
    const lines = [...this.#untold];
    this.#untold.clear();
    for (const [id, { message, whileWaiting, level }] of lines) {
      const rest = whileWaiting !== undefined && this.isWaiting(id) ? ` ${whileWaiting}` : "";
      this.#events.emit({ type: "notice", message: `${message}${rest}`, ...(level && { level }) });
    }
  }

  /** Removes the note about a task whose output the model has already read; the person saw that call. */
  withdrawNote(id: string): void {
    this.#untold.delete(id);
    this.#queue.withdrawNote(id);
  }
}
