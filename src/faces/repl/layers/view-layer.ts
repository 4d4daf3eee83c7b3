import { viewLines } from "../view/view-lines.ts";
import { commandLayer } from "./command-layer.ts";
import type { Action, Layer } from "./layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A long text to scroll through. */
export function viewLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { view } = ui;
  if (!view) return undefined;
  const layer: Layer = {
    contexts: ["view", "app"],
    draft: "empty",
    place: "whole",
    handle: (action) => (action.type === "key" ? handle(ui, view, action, context.preview) : stay(ui)),
    lines: (room) => viewLines(view, room),
  };
  return commandLayer(layer, view.title, ui, context);
}

function handle(
  ui: Ui,
  view: NonNullable<Ui["view"]>,
  { name }: Extract<Action, { type: "key" }>,
  { maxScroll, rows }: UiContext["preview"],
): Handled {
  const page = Math.max(1, rows - 1);
  // A view may be opened at its end, wherever that is.
  const from = Math.min(view.scroll, maxScroll);
  const scroll = (to: number) => stay({ ...ui, view: { ...view, scroll: Math.max(0, Math.min(maxScroll, to)) } });
  switch (name) {
    case "view.close":
      return stay({ ...ui, view: undefined });
    case "view.lineUp":
      return scroll(from - 1);
    case "view.lineDown":
      return scroll(from + 1);
    case "view.pageUp":
      return scroll(from - page);
    case "view.pageDown":
      return scroll(from + page);
    case "view.top":
      return scroll(0);
    case "view.bottom":
      return scroll(maxScroll);
    default:
      return stay(ui);
  }
}
