import type { Layer } from "./layer.ts";
import type { Ui, UiContext } from "./ui-state.ts";

/** A running operation of a command: the screen shows its progress, and the keys that stop a turn stop it first. */
export function operationLayer({ editor }: Ui, { isOperating }: UiContext): Layer | undefined {
  if (!isOperating) return undefined;
  return {
    contexts: ["operation"],
    draft: editor.text === "" ? "empty" : "typed",
    place: "below",
    handle: () => undefined,
    lines: () => ({ lines: [] }),
  };
}
