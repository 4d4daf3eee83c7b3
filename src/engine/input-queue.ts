import type { UserInput } from "../contracts/engine.ts";
import type { QueuedInput, QueueTime } from "../contracts/event.ts";

/** Readers are told of the first ones: nobody looks at more, and thousands may wait. */
const MAX_TOLD = 100;

type Waiting = { readonly id: string; readonly input: UserInput; readonly when: QueueTime };
type OnChange = (first: readonly QueuedInput[], total: number) => void;

/**
 * Inputs that wait for their time. Who takes one has it alone: it is out of the queue before anything is done with it, so that
 * it can't be taken back and run as well.
 */
export class InputQueue {
  /** The user's own, and what comes behind them; each in the order of arrival. */
  readonly #own = new Map<string, Waiting>();
  readonly #later = new Map<string, Waiting>();
  readonly #onChange: OnChange;
  /** What the harness has to tell the model, later than all of the user's words: it begins no turn of its own. */
  readonly #notes = new Map<string, string>();
  #isTelling = false;
  /** Made when it is asked for; gone with the next change. */
  #items: readonly QueuedInput[] | undefined;

  /** @param onChange called once for all changes of a tick, with the first inputs and how many there are. */
  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** What waits, the user's own before what comes later. */
  get items(): readonly QueuedInput[] {
    this.#items ??= [...this.#own.values(), ...this.#later.values()].map(toItem);
    return this.#items;
  }

  add(id: string, input: UserInput, when: QueueTime): void {
    (when === "later" ? this.#later : this.#own).set(id, { id, input, when });
    this.#tell();
  }

  /** Takes back what nobody has taken yet. */
  withdraw(id: string): UserInput | undefined {
    return this.#take(this.#own.get(id) ?? this.#later.get(id));
  }

  /** What steers the running turn; whoever wants one of them withdraws it. */
  get steering(): readonly { readonly id: string; readonly prompt: string }[] {
    if (this.#own.size === 0) return [];
    return [...this.#own.values()].filter(({ when }) => when === "steer").map(toItem);
  }

  /** The input of the next turn: of the user's the oldest, else what came for later. */
  takeNext(): UserInput | undefined {
    return this.#take(first(this.#own) ?? first(this.#later));
  }

  addNote(id: string, text: string): void {
    this.#notes.set(id, text);
  }

  withdrawNote(id: string): void {
    this.#notes.delete(id);
  }

  /** Who has told the model of a note withdraws it: a note whose entry could not be written is told later. */
  get notes(): readonly { readonly id: string; readonly text: string }[] {
    return [...this.#notes].map(([id, text]) => ({ id, text }));
  }

  /** The notes belong to a conversation that is over. */
  forgetNotes(): void {
    this.#notes.clear();
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
  return { id, prompt: input.prompt, when };
}
