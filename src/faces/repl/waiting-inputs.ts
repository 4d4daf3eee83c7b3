import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { QueuedInput } from "../../contracts/event.ts";
import { unfoldPastes } from "./editor/pastes.ts";
import type { Draft, Waiting } from "./ui/ui-state.ts";

type Queue = readonly Waiting[];

export type Claimed = {
  /** What waits still. */
  readonly queue: Queue;
  /** Undefined when the running turn had claimed it already. */
  readonly input: UserInput | undefined;
  readonly waiting: Waiting;
};

/**
 * What waits, as the screen shows it: the engine's own inputs with their large pastes folded, and behind them what the engine's
 * queue does not hold: shell commands, and words that came too early. Each method takes the list as it is shown and gives the
 * new one.
 */
export class WaitingInputs {
  readonly #engine: Pick<Engine, "enqueue" | "withdraw">;
  /** How inputs were typed, by their ids. */
  readonly #drafts = new Map<string, Draft>();
  #heldCount = 0;

  constructor(engine: Pick<Engine, "enqueue" | "withdraw">) {
    this.#engine = engine;
  }

  /** The engine tells of it a little later, with those that others put there. */
  add(queue: Queue, draft: Draft, text: string, when: Waiting["when"]): Queue {
    const { shown, pastes } = draft;
    if (when === "shell" || when === "early") {
      this.#heldCount += 1;
      return [...queue, { shown, pastes, when, id: `${when}-${this.#heldCount}` }];
    }
    const id = this.#engine.enqueue({ prompt: text }, when);
    this.#drafts.set(id, { shown, pastes });
    return [...queue, { shown, pastes, when, id }];
  }

  /** What the engine says counts. */
  told(queue: Queue, told: readonly QueuedInput[]): Queue {
    const ids = new Set(told.map(({ id }) => id));
    for (const id of this.#drafts.keys()) if (!ids.has(id)) this.#drafts.delete(id);
    const inputs = told.map(({ id, prompt, when }): Waiting => {
      const { shown, pastes } = this.#drafts.get(id) ?? { shown: prompt, pastes: new Map() };
      return { id, shown, pastes, when };
    });
    return [...inputs, ...queue.filter(isHeld)];
  }

  /** Takes one out before anything is done with it, so that it can't run as well. */
  claim(queue: Queue, id: string): Claimed | undefined {
    const waiting = queue.find((one) => one.id === id);
    if (!waiting) return undefined;
    const { pastes, shown } = waiting;
    const input = isHeld(waiting) ? { prompt: unfoldPastes(pastes, shown) } : this.#engine.withdraw(id);
    this.#drafts.delete(id);
    return { waiting, input, queue: queue.filter((one) => one.id !== id) };
  }
}

/** Whether only the screen knows of it. */
function isHeld({ when }: Waiting): boolean {
  return when === "shell" || when === "early";
}
