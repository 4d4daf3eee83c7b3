import type { UserInput } from "../contracts/engine.ts";
import type { QueuedInput, QueueTime } from "../contracts/event.ts";

type Waiting = { readonly id: string; readonly input: UserInput; readonly when: QueueTime };

/**
 * Inputs that wait for their time. Who takes one has it alone: it is out of the queue before anything is done with it, so that
 * it can't be taken back and run as well.
 */
export class InputQueue {
  #waiting: readonly Waiting[] = [];
  readonly #onChange: (queue: readonly QueuedInput[]) => void;

  constructor(onChange: (queue: readonly QueuedInput[]) => void) {
    this.#onChange = onChange;
  }

  /** What waits, the user's own before what comes later. */
  get items(): readonly QueuedInput[] {
    const ordered = [...this.#waiting].sort((a, b) => rank(a.when) - rank(b.when));
    return ordered.map(({ id, input, when }) => ({ id, prompt: input.prompt, when }));
  }

  add(id: string, input: UserInput, when: QueueTime): void {
    this.#set([...this.#waiting, { id, input, when }]);
  }

  /** Takes back what nobody has taken yet. */
  withdraw(id: string): UserInput | undefined {
    return this.#take(this.#waiting.find((one) => one.id === id))?.input;
  }

  /** Everything that steers the running turn. */
  takeSteering(): readonly UserInput[] {
    const taken = this.#waiting.filter(({ when }) => when === "steer");
    if (taken.length > 0) this.#set(this.#waiting.filter(({ when }) => when !== "steer"));
    return taken.map(({ input }) => input);
  }

  /** The input of the next turn: of the user's the oldest, else what came for later. */
  takeNext(): UserInput | undefined {
    const [first] = this.items;
    return this.#take(this.#waiting.find((one) => one.id === first?.id))?.input;
  }

  #take(item: Waiting | undefined): Waiting | undefined {
    if (item) this.#set(this.#waiting.filter((one) => one !== item));
    return item;
  }

  #set(waiting: readonly Waiting[]): void {
    this.#waiting = waiting;
    this.#onChange(this.items);
  }
}

function rank(when: QueueTime): number {
  return when === "later" ? 1 : 0;
}
