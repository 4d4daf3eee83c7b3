import { typedWords, type UserInput } from "../contracts/engine.ts";
import type { QueuedInput, QueueTime } from "../contracts/event.ts";

/** Readers are told only the first inputs, since thousands may wait. */
const MAX_TOLD = 100;

type Waiting = { readonly id: string; readonly input: UserInput; readonly when: QueueTime };
/** A system reminder that waits for the next request. `announced`: names of the deferred tools that its text lists. */
export type Note = { readonly id: string; readonly text: string; readonly announced?: readonly string[] };
type OnChange = (first: readonly QueuedInput[], total: number) => void;

/**
 * Holds inputs until their turn. An input leaves the queue before it is processed, so that it cannot be both run and
 * withdrawn.
 */
export class InputQueue {
  /** User inputs, and inputs that run after all user inputs; each group in order of arrival. */
  readonly #own = new Map<string, Waiting>();
  readonly #later = new Map<string, Waiting>();
  readonly #onChange: OnChange;
  /** Notes from Quoll for the model. Notes come after the user's inputs and start no turn. */
  readonly #notes = new Map<string, Omit<Note, "id">>();
  /** The notes that were sent to the model since the turn began. */
  #sent: Note[] = [];
  #isInterrupted = false;
  #isTelling = false;
  /** Computed on demand, and discarded at the next change. */
  #items: readonly QueuedInput[] | undefined;

  /** @param onChange Called once for all changes of a tick, with the first inputs and the total. */
  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** All waiting inputs: the user's first, then those for later. */
  get items(): readonly QueuedInput[] {
    this.#items ??= [...this.#own.values(), ...this.#later.values()].map(toItem);
    return this.#items;
  }

  add(id: string, input: UserInput, when: QueueTime): void {
    (when === "later" ? this.#later : this.#own).set(id, { id, input, when });
    this.#tell();
  }

  /** Withdraws an input if it has not been taken yet. */
  withdraw(id: string): UserInput | undefined {
    return this.#take(this.#own.get(id) ?? this.#later.get(id));
  }

  /** Inputs that steer the running turn; the caller withdraws each input that it uses. */
  get steering(): readonly { readonly id: string; readonly prompt: string }[] {
    if (this.#own.size === 0) return [];
    return [...this.#own.values()].filter(({ when }) => when === "steer").map(toItem);
  }

  /** Takes the input of the next turn: the user's oldest input, or else the oldest input for later. */
  takeNext(): UserInput | undefined {
    return this.#take(first(this.#own) ?? first(this.#later));
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

  /** The person interrupted the turn that the waiting inputs could have steered. */
  interrupted(): void {
    this.#isInterrupted = true;
  }

  /** An input that would have steered the interrupted turn does not overtake an older input for a turn of its own. */
  #keepOrder(): void {
    const inputs = [...this.#own.values()];
    const first = inputs.findIndex(({ when }) => when === "next");
    if (first === -1) return;
    for (const waiting of inputs.slice(first)) this.#own.set(waiting.id, { ...waiting, when: "next" });
    this.#tell();
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

  #take(item: Waiting | undefined): UserInput | undefined {
    if (item === undefined) return undefined;
    this.#own.delete(item.id);
    this.#later.delete(item.id);
    this.#tell();
    return item.input;
  }

  #tell(): void {
    this.#items = undefined;
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      const told: QueuedInput[] = [];
      for (const waiting of [this.#own, this.#later])
        for (const one of waiting.values()) {
          if (told.length >= MAX_TOLD) break;
          told.push(toItem(one));
        }
      this.#onChange(told, this.#own.size + this.#later.size);
    });
  }
}

function first(waiting: ReadonlyMap<string, Waiting>): Waiting | undefined {
  for (const one of waiting.values()) return one;
  return undefined;
}

function toItem({ id, input, when }: Waiting): QueuedInput {
  return { id, prompt: typedWords(input), when };
}
