import { type QueuedWork, shellInput, typedWords, type UserInput } from "../contracts/engine.ts";
import type { EngineEvent, InputReceipt, QueuedInput, QueueTime } from "../contracts/event.ts";

/** Readers are told only the first inputs, since thousands may wait. */
const MAX_TOLD = 100;
/** Inputs of a lower lane begin first; inputs of one lane begin in order of arrival. */
const LANES: Readonly<Record<QueueTime, number>> = { steer: 0, next: 0, later: 1, shell: 2, early: 2 };
const LANE_COUNT = 3;

/** A queued input. `work`: how it begins, if that is not a turn with its prompt. */
export type Waiting = {
  readonly id: string;
  readonly input: UserInput;
  readonly when: QueueTime;
  readonly work?: QueuedWork | undefined;
};
/** A system reminder that waits for the next request. `announced`: names of the deferred tools that its text lists. */
export type Note = { readonly id: string; readonly text: string; readonly announced?: readonly string[] };

/**
 * The only queue of a session's inputs. An input leaves the queue before it is processed, so that it cannot be both run
 * and withdrawn.
 */
export class InputQueue {
  readonly #lanes: Map<string, Waiting>[] = Array.from({ length: LANE_COUNT }, () => new Map());
  readonly #emit: (event: EngineEvent) => void;
  /** The input that began last, until its message is sent. */
  #begun: Waiting | undefined;
  /** Notes from Quoll for the model. Notes come after the user's inputs and start no turn. */
  readonly #notes = new Map<string, Omit<Note, "id">>();
  /** The notes that were sent to the model since the turn began. */
  #sent: Note[] = [];
  #isInterrupted = false;
  #isTelling = false;
  /** Computed on demand, and discarded at the next change. */
  #items: readonly QueuedInput[] | undefined;

  /** @param emit Gets a receipt at each step of an input, and the first inputs once for all changes of a tick. */
  constructor(emit: (event: EngineEvent) => void) {
    this.#emit = emit;
  }

  /** All waiting inputs, in the order in which they begin. */
  get items(): readonly QueuedInput[] {
    this.#items ??= this.#lanes.flatMap((lane) => [...lane.values()].map(toItem));
    return this.#items;
  }

  add(waiting: Waiting): void {
    this.#laneOf(waiting.when).set(waiting.id, waiting);
    this.#receipt(waiting, "queued");
    this.#notify();
  }

  /** Withdraws an input if it has not been taken yet. */
  withdraw(id: string, to: "edited" | "cancelled" = "cancelled"): UserInput | undefined {
    return this.#take(id, to)?.input;
  }

  /** Inputs that steer the running turn; the caller takes each input that it uses. */
  get steering(): readonly { readonly id: string; readonly prompt: string }[] {
    const own = this.#laneOf("steer");
    return own.size === 0 ? [] : [...own.values()].filter(({ when }) => when === "steer").map(toItem);
  }

  /** Takes an input that steers the running turn; undefined if it was withdrawn. */
  takeSteering(id: string): UserInput | undefined {
    this.#begun = this.#take(id, "taken");
    return this.#begun?.input;
  }

  /** A shell command of the person begins that did not wait. */
  beginShell(id: string, command: string): void {
    this.#receipt({ id, input: shellInput(command), when: "shell" }, "taken");
  }

  /** Takes the input that begins next. */
  takeNext(): Waiting | undefined {
    const next = this.#lanes
      .find((lane) => lane.size > 0)
      ?.values()
      .next().value;
    this.#begun = next && this.#take(next.id, "taken");
    return this.#begun;
  }

  /** The message of the input that was taken last is part of the conversation. */
  sent(messageId: string): void {
    if (this.#begun) this.#receipt(this.#begun, "sent", messageId);
    this.#begun = undefined;
  }

  addNote(id: string, text: string, announced?: readonly string[]): void {
    this.#notes.set(id, { text, ...(announced && { announced }) });
  }

  withdrawNote(id: string): void {
    this.#notes.delete(id);
  }

  /** Removes a note that was sent to the model. A text that has since replaced the note keeps waiting. */
  noteSent(note: Note): void {
    const { id, text } = note;
    this.#sent.push(note);
    if (this.#notes.get(id)?.text === text) this.#notes.delete(id);
  }

  /** A turn begins: notes of earlier turns stay with the model. */
  beginTurn(): void {
    this.#sent = [];
    if (this.#isInterrupted) this.#keepOrder();
    this.#isInterrupted = false;
  }

  /** A turn or operation has ended: inputs with work of their own that should have steered it begin next. */
  rested(): void {
    this.#begun = undefined;
    const own = this.#laneOf("steer");
    const late = [...own.values()].filter(({ when, work }) => when === "steer" && work);
    if (late.length === 0) return;
    const others = [...own.values()].filter((waiting) => !late.includes(waiting));
    own.clear();
    for (const waiting of late) own.set(waiting.id, { ...waiting, when: "next" });
    for (const waiting of others) own.set(waiting.id, waiting);
    this.#notify();
  }

  /** The person interrupted the turn that the waiting inputs could have steered. */
  interrupted(): void {
    this.#isInterrupted = true;
  }

  /** An input that would have steered the interrupted turn does not overtake an older input for a turn of its own. */
  #keepOrder(): void {
    const own = this.#laneOf("steer");
    const inputs = [...own.values()];
    const first = inputs.findIndex(({ when }) => when === "next");
    if (first === -1) return;
    for (const waiting of inputs.slice(first)) own.set(waiting.id, { ...waiting, when: "next" });
    this.#notify();
  }

  /** The messages of the newest turn left the conversation, so its notes wait again, unless newer notes replace them. */
  returnNotes(): void {
    const later = [...this.#notes];
    this.#notes.clear();
    for (const { id, ...note } of this.#sent) this.#notes.set(id, note);
    for (const [id, note] of later) this.#notes.set(id, note);
    this.#sent = [];
  }

  /**
   * The notes that wait. The caller withdraws a note after the note's entry is written, so that a failed write loses no
   * note.
   */
  get notes(): readonly Note[] {
    return [...this.#notes].map(([id, note]) => ({ id, ...note }));
  }

  /** Removes the notes of a conversation that has ended. */
  forgetNotes(): void {
    this.#notes.clear();
    this.#sent = [];
  }

  #laneOf(when: QueueTime): Map<string, Waiting> {
    const lane = this.#lanes[LANES[when]];
    if (!lane) throw new Error(`There is no lane for ${when}.`);
    return lane;
  }

  #take(id: string, state: InputReceipt["state"]): Waiting | undefined {
    const lane = this.#lanes.find((one) => one.has(id));
    const waiting = lane?.get(id);
    if (!waiting) return undefined;
    lane?.delete(id);
    this.#receipt(waiting, state);
    this.#notify();
    return waiting;
  }

  #receipt(waiting: Waiting, state: InputReceipt["state"], messageId?: string): void {
    const receipt = { ...toItem(waiting), state, ...(messageId !== undefined && { messageId }) };
    this.#emit({ type: "input_receipt", receipt });
  }

  #notify(): void {
    this.#items = undefined;
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      const queue: QueuedInput[] = [];
      for (const lane of this.#lanes)
        for (const one of lane.values()) {
          if (queue.length >= MAX_TOLD) break;
          queue.push(toItem(one));
        }
      const total = this.#lanes.reduce((sum, { size }) => sum + size, 0);
      this.#emit({ type: "queue_changed", queue, total });
    });
  }
}

function toItem({ id, input, when }: Waiting): QueuedInput {
  return { id, prompt: typedWords(input), when };
}
