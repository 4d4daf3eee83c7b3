import { withOlder } from "../editor/history.ts";
import { foldPaste, type Pastes, withLostPastes, withPlaceholders } from "../editor/pastes.ts";
import type { ReplProps } from "../repl-props.ts";
import type { ReplState } from "../repl-state.ts";

const NONE: Pastes = new Map();

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
    const { ui } = this.#state;
    let { pastes } = ui;
    const older = saved.map(({ text, pastes: own = NONE }) => {
      const names = new Map<string, string>();
      for (const [name, paste] of own) {
        const folded = foldPaste(pastes, paste);
        pastes = folded.pastes;
        names.set(name, folded.shown);
      }
      // Earlier versions saved a placeholder without the mark.
      return withPlaceholders(text, (name) => names.get(name) ?? withLostPastes(name));
    });
    this.#state.ui = { ...ui, pastes, history: withOlder(ui.history, older) };
  }

  /** Reads what the person typed in other projects, for the open search. */
  async loadOthers(): Promise<void> {
    const others = ((await this.#saved.loadOthers?.().catch(() => [])) ?? []).map(withLostPastes);
    const { ui } = this.#state;
    if (!ui.search) return;
    this.#state.ui = { ...ui, search: { ...ui.search, others } };
    this.#state.drawNow();
  }

  /** @param pastes Those of the placeholders in the text, if it is longer than a history keeps. */
  remember(text: string, pastes?: Pastes): void {
    if (text === "") return;
    const added = pastes ? this.#saved.add(withLostPastes(text), { text, pastes }) : this.#saved.add(text);
    added.catch(() => undefined);
  }
}
