import { lazy } from "@quoll/async/lazy";
import type { EditorMode } from "../../../contracts/terminal-settings.ts";
import type { PressVim } from "../editor/vim/press-vim.ts";
import { initialVim } from "../editor/vim/vim-state.ts";
import type { ReplState } from "../repl-state.ts";

/** Loads the vim keys when they are first needed, and switches them on and off. */
export class VimKeys {
  readonly #state: ReplState;
  readonly #press = lazy(async () => (await import("../editor/vim/press-vim.ts")).pressVim);

  constructor(state: ReplState) {
    this.#state = state;
  }

  get context(): { readonly pressVim?: PressVim } {
    const pressVim = this.#press.value;
    return pressVim ? { pressVim } : {};
  }

  async choose(mode: EditorMode): Promise<void> {
    if (mode === "vim") await this.#press();
    const { ui } = this.#state;
    this.#state.ui = { ...ui, vim: mode === "vim" ? initialVim : undefined };
    this.#state.drawNow();
  }
}
