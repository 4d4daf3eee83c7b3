import type { UserInput } from "../../contracts/engine.ts";
import type { QueuedInput } from "../../contracts/event.ts";
import { unfoldPastes } from "./editor/pastes.ts";
import type { Draft, Waiting } from "./layers/ui-state.ts";
import type { SessionPort } from "./session-protocol.ts";

type Queue = readonly Waiting[];

export type Claimed = {
  /** What waits still. */
  readonly queue: Queue;
  readonly waiting: Waiting;
  /** Undefined for what the engine holds: it has to be asked. */
  readonly input: UserInput | undefined;
};

/**
 * What waits, as the screen shows it: the engine's own inputs with their large pastes folded, and behind them what the engine's
 * queue does not hold: shell commands, and words that came too early. Each method takes the list as it is shown and gives the
 * new one.
 */
export class WaitingInputs {
  readonly #port: Pick<SessionPort, "send">;
  /** How inputs were typed, by their ids. */
  readonly #drafts = new Map<string, Draft>();
  #count = 0;

  constructor(port: Pick<SessionPort, "send">) {
    this.#port = port;
  }

  /** `send` hands it to the engine, which tells of it a little later, with those that others put there. */
  add(
    queue: Queue,
    draft: Draft,
    text: string,
    when: Waiting["when"],
  ): { readonly queue: Queue; readonly send?: () => void } {
    const { shown, pastes } = draft;
    this.#count += 1;
    const id = `${when}-${this.#count}`;
    const longer = [...queue, { shown, pastes, when, id }];
    if (when === "shell" || when === "early") return { queue: longer };
    this.#drafts.set(id, { shown, pastes });
    return { queue: longer, send: () => this.#port.send({ type: "enqueue", id, prompt: text, when }) };
  }

  /** The engine has its own id for an input. */
  renamed(queue: Queue, id: string, as: string): Queue {
    const draft = this.#drafts.get(id);
    this.#drafts.delete(id);
    if (draft) this.#drafts.set(as, draft);
    return queue.map((waiting) => (waiting.id === id ? { ...waiting, id: as } : waiting));
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

  /** Takes one out of the list. */
  claim(queue: Queue, id: string): Claimed | undefined {
    const waiting = queue.find((one) => one.id === id);
    if (!waiting) return undefined;
    const { pastes, shown } = waiting;
    const input = isHeld(waiting) ? { prompt: unfoldPastes(pastes, shown) } : undefined;
    this.#drafts.delete(id);
    return { waiting, input, queue: queue.filter((one) => one.id !== id) };
  }
}

/** Whether only the screen knows of it. */
function isHeld({ when }: Waiting): boolean {
  return when === "shell" || when === "early";
}
