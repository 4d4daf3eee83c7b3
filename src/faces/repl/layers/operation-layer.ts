import type { Layer } from "./layer.ts";
import type { Ui, UiContext } from "./ui-state.ts";

/** A running operation of a command: the status line shows its progress, and the keys that stop a turn stop it. */
export function operationLayer({ editor }: Ui, { isBusy, isOperating }: UiContext): Layer | undefined {
  if (!isOperating || isBusy) return undefined;
  return {
    contexts: ["operation"],
    draft: editor.text === "" ? "empty" : "typed",
    place: "below",
    handle: () => undefined,
    lines: () => ({ lines: [] }),
  };
}
