import type { UserInput } from "../../../contracts/engine.ts";
import type { QueuedInput } from "../../../contracts/event.ts";
import type { SessionPort } from "../../../protocol/session-port.ts";
import { unfoldPastes } from "../editor/pastes.ts";
import type { Draft, Waiting } from "../layers/ui-state.ts";

type Queue = readonly Waiting[];

/** How many sent drafts with folded pastes are kept for the case that their prompt is cancelled. */
const MAX_SENT = 20;

export type Claimed = {
  /** The remaining queue. */
  readonly queue: Queue;
  readonly waiting: Waiting;
  /** Undefined if the engine has the input and must be asked for it. */
  readonly input: UserInput | undefined;
};

/**
 * The waiting inputs as the screen shows them: first those in the engine's queue, with folded pastes; then those
 * outside it: shell commands, and prompts sent before the tools were ready. Each method takes the shown list and
 * returns the new one.
 */
export class WaitingInputs {
  readonly #port: Pick<SessionPort, "send">;
  /** The drafts of inputs, by id. */
  readonly #drafts = new Map<string, Draft>();
  /** Sent drafts with placeholders, by their text. */
  readonly #sent = new Map<string, Draft>();
  #count = 0;

  constructor(port: Pick<SessionPort, "send">) {
    this.#port = port;
  }

  /** Keeps the draft of a sent text. */
  sent(text: string, { shown, pastes }: Draft): void {
    const used = new Map([...pastes].filter(([name]) => shown.includes(name)));
    if (used.size === 0) return;
    this.#sent.delete(text);
    this.#sent.set(text, { shown, pastes: used });
    for (const oldest of [...this.#sent.keys()].slice(0, -MAX_SENT)) this.#sent.delete(oldest);
  }

  /** The draft of a sent text. */
  draftOf(text: string): Draft {
    return this.#sent.get(text) ?? { shown: text, pastes: new Map() };
  }

  /** `send` passes it to the engine, which reports it a little later, together with inputs from others. */
  add(
    queue: Queue,
    draft: Draft,
    text: string,
    when: Waiting["when"],
  ): { readonly queue: Queue; readonly send?: () => void } {
    const { shown, pastes } = draft;
    this.sent(text, draft);
    this.#count += 1;
    const id = `${when}-${this.#count}`;
    const longer = [...queue, { shown, pastes, when, id }];
    if (when === "shell" || when === "early") return { queue: longer };
    this.#drafts.set(id, { shown, pastes });
    return { queue: longer, send: () => this.#port.send({ type: "enqueue", id, prompt: text, when }) };
  }

  /** Handles that the engine gave an input a different id. */
  renamed(queue: Queue, id: string, as: string): Queue {
    const draft = this.#drafts.get(id);
    this.#drafts.delete(id);
    if (draft) this.#drafts.set(as, draft);
    return queue.map((waiting) => (waiting.id === id ? { ...waiting, id: as } : waiting));
  }

  /** Takes the engine's list of inputs. */
  told(queue: Queue, told: readonly QueuedInput[]): Queue {
    const ids = new Set(told.map(({ id }) => id));
    for (const id of this.#drafts.keys()) if (!ids.has(id)) this.#drafts.delete(id);
    const inputs = told.map(({ id, prompt, when }): Waiting => {
      const { shown, pastes } = this.#drafts.get(id) ?? { shown: prompt, pastes: new Map() };
      return { id, shown, pastes, when };
    });
    return [...inputs, ...queue.filter(isHeld)];
  }

  /** Removes an input from the list. */
  claim(queue: Queue, id: string): Claimed | undefined {
    const waiting = queue.find((one) => one.id === id);
    if (!waiting) return undefined;
    const { pastes, shown } = waiting;
    const input = isHeld(waiting) ? { prompt: unfoldPastes(pastes, shown) } : undefined;
    this.#drafts.delete(id);
    return { waiting, input, queue: queue.filter((one) => one.id !== id) };
  }
}

/** True if only the screen has this input. */
function isHeld({ when }: Waiting): boolean {
  return when === "shell" || when === "early";
}
