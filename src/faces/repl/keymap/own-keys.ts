import { plural } from "@quoll/terminal-text/plural";
import { errorMessage } from "../../../contracts/errors.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { ReplState } from "../repl-state.ts";
import type { KeybindingsFile } from "./keybindings-file.ts";
import type { OwnKeymap } from "./read-keybindings.ts";

type Deps = {
  readonly file: KeybindingsFile | undefined;
  readonly state: ReplState;
  /** Aborts when the REPL is over. */
  readonly ended: AbortSignal;
  /** Handles the keys that came while the file was read. */
  readonly keys: (events: readonly KeyEvent[]) => void;
};

/** Puts the bindings of the person's file into force: before the first key, and whenever the file changes. */
export class OwnKeys {
  readonly #deps: Deps;
  /** Keys that wait for the file. */
  #held: KeyEvent[] | undefined;
  #text = "";

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Reads the file, if there is one, and follows it. No frame waits for it. */
  start(): void {
    const { file, ended } = this.#deps;
    if (!file || ended.aborted) return;
    if (file.exists()) {
      this.#held = [];
      void this.#read(file, true);
    }
    const stop = file.watch(() => void this.#read(file, false));
    ended.addEventListener("abort", stop, { once: true });
  }

  /** @returns true if the key waits until the file is read. */
  holds(event: KeyEvent): boolean {
    this.#held?.push(event);
    return this.#held !== undefined;
  }

  async #read(file: KeybindingsFile, isFirst: boolean): Promise<void> {
    const { state, ended, keys } = this.#deps;
    try {
      const text = await file.read();
      if (ended.aborted || text === this.#text) return;
      this.#text = text;
      const { readKeybindings } = await import("./read-keybindings.ts");
      this.#use(readKeybindings(text, file.shown), file, isFirst);
    } catch (error) {
      if (!ended.aborted) state.tell("warning", `${file.shown}: ${errorMessage(error)}`);
    } finally {
      const held = this.#held ?? [];
      this.#held = undefined;
      if (!ended.aborted && held.length > 0) keys(held);
    }
  }

  #use({ keymap, own, problems }: OwnKeymap, { shown }: KeybindingsFile, isFirst: boolean): void {
    const { state } = this.#deps;
    state.keymap = keymap;
    const [first, ...others] = problems;
    const more = others.length > 0 ? ` (${others.length} more: /keys)` : "";
    if (first !== undefined) state.tell("warning", `${first}${more}`);
    else if (!isFirst) state.tell("info", `${shown} has changed: ${plural(own.length, "key")} of your own.`);
  }
}
