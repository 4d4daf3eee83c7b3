import { helpLines } from "../view/help-lines.ts";
import type { Action, Layer } from "./layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** The list of keys, below the prompt; typing continues in the prompt. */
export function helpLayer(ui: Ui, { keymap }: UiContext): Layer | undefined {
  if (!ui.showsKeys) return undefined;
  return {
    contexts: ["menu", "help"],
    draft: ui.editor.text === "" ? "empty" : "typed",
    place: "below",
    handle: (action) => handle(ui, action),
    lines: (room) => ({ lines: helpLines(keymap, ui.keysPage, room) }),
  };
}

function handle(ui: Ui, action: Action): Handled | undefined {
  if (action.type !== "key") return undefined;
  switch (action.name) {
    case "menu.close":
      return stay({ ...ui, showsKeys: false });
    case "help.pageUp":
      return stay({ ...ui, keysPage: ui.keysPage - 1 });
    case "help.pageDown":
      return stay({ ...ui, keysPage: ui.keysPage + 1 });
    default:
      return undefined;
  }
}
