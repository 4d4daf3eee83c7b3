import type { EngineEvent } from "../../contracts/event.ts";

type Input = Readonly<Record<string, unknown>>;
type Waiting = (input: Input) => void;

/** The inputs of the calls that run, by the id of the call: what questions about them are told. */
export class CallInputs {
  readonly #inputs = new Map<string, Input>();
  readonly #waiting = new Map<string, Waiting[]>();

  note(event: EngineEvent): void {
    if (event.type === "tool_started") this.#set(event.use.id, event.use.input);
    if (event.type === "tool_finished") this.#forget(event.result.toolUseId);
    if (event.type === "tool_discarded") this.#forget(event.toolUseId);
    if (event.type === "turn_finished") for (const id of [...this.#inputs.keys()]) this.#forget(id);
  }

  /** A hook put another input in the place of the model's. */
  replace(id: string, input: Input): void {
    this.#set(id, input);
  }

  /**
   * The input of a call. A question may come before its call is told of: then it is waited for.
   * @returns empty when `signal` aborts before.
   */
  of(id: string, signal: AbortSignal): Promise<Input> {
    const known = this.#inputs.get(id);
    if (known || signal.aborted) return Promise.resolve(known ?? {});
    return new Promise((resolve) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), resolve]);
      signal.addEventListener("abort", () => resolve({}), { once: true });
    });
  }

  #set(id: string, input: Input): void {
    this.#inputs.set(id, input);
    for (const tell of this.#waiting.get(id) ?? []) tell(input);
    this.#waiting.delete(id);
  }

  #forget(id: string): void {
    this.#inputs.delete(id);
    this.#waiting.delete(id);
  }
}
