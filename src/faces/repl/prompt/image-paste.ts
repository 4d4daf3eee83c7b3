import type { ImagePasting } from "../../../contracts/pasted-image.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import { pasteText, withImages } from "../layers/prompt-layer.ts";
import type { Effect } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";

const NOT_HERE = "Images can't be pasted on this screen: name the file with @ instead.";
/** If a file is read from a slow disk for longer than this, its name is inserted as text instead. */
const FILES_MS = 2_000;

type Deps = {
  readonly pasting: ImagePasting | undefined;
  readonly state: ReplState;
  /** Handles the keys that arrived while files were being read. */
  readonly keys: (events: readonly KeyEvent[]) => void;
};

/** Puts pasted images into the draft: those of the clipboard, and those of files whose paths were pasted. */
export class ImagePaste {
  readonly #deps: Deps;
  /** Keys pressed after a pasted path, which are inserted after its placeholder. */
  #held: KeyEvent[] | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @returns true if the key waits until the files of a paste are read. */
  holds(event: KeyEvent): boolean {
    this.#held?.push(event);
    return this.#held !== undefined;
  }

  async take({ files }: Extract<Effect, { type: "paste_image" }>, signal: AbortSignal): Promise<void> {
    const { pasting, state, keys } = this.#deps;
    if (files) {
      this.#held = [];
      const limit = AbortSignal.any([signal, AbortSignal.timeout(FILES_MS)]);
      const found = await pasting?.fromFiles(files.paths, limit).catch(() => undefined);
      if (signal.aborted) return;
      // A text that turns out not to name an image is pasted as text.
      if (!found || ("problem" in found && found.keepsText)) state.ui = pasteText(state.ui, files.text, state);
      if (found) this.#show(found);
      const held = this.#held;
      this.#held = undefined;
      keys(held);
    } else {
      const found = await pasting?.fromClipboard(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!signal.aborted) this.#show(found ?? { problem: NOT_HERE });
    }
  }

  #show(found: Awaited<ReturnType<ImagePasting["fromClipboard"]>>): void {
    const { state } = this.#deps;
    if ("problem" in found) state.notify("warning", found.problem);
    else state.ui = withImages(state.ui, found.marks, state);
    state.drawNow();
  }
}
