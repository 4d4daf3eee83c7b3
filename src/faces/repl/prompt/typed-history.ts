import { withOlder } from "../editor/history.ts";
import { withLostPastes } from "../editor/pastes.ts";
import type { ReplProps } from "../repl-props.ts";
import type { ReplState } from "../repl-state.ts";

/** The inputs of earlier sessions. A history that can't be read or written is ignored. */
export class TypedHistory {
  readonly #saved: ReplProps["history"];
  readonly #state: ReplState;

  constructor(saved: ReplProps["history"], state: ReplState) {
    this.#saved = saved;
    this.#state = state;
  }

  async load(): Promise<void> {
    const saved = await this.#saved.load().catch(() => []);
    // Earlier versions saved a placeholder without the mark.
    const older = saved.map(withLostPastes);
    const { ui } = this.#state;
    this.#state.ui = { ...ui, history: withOlder(ui.history, older) };
  }

  /** Reads what the person typed in other projects, for the open search. */
  async loadOthers(): Promise<void> {
    const others = ((await this.#saved.loadOthers?.().catch(() => [])) ?? []).map(withLostPastes);
    const { ui } = this.#state;
    if (!ui.search) return;
    this.#state.ui = { ...ui, search: { ...ui.search, others } };
    this.#state.drawNow();
  }

  remember(text: string): void {
    if (text !== "") this.#saved.add(text).catch(() => undefined);
  }
}
