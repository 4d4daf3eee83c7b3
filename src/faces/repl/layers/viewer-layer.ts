import { boundAction } from "../keymap/keymap.ts";
import type { Action, Layer } from "./layer.ts";
import { GUARD_MS } from "./question.ts";
import { type Handled, running, stay, type Ui, type UiContext, type ViewerState } from "./ui-state.ts";

/** Opens the whole transcript, or another text, on the alternate screen. */
export function openViewer(ui: Ui, shown?: ViewerState["shown"]): Ui {
  const viewer = { isSearching: false, showsKeys: false, ...(shown && { shown }) };
  return { ...ui, showsKeys: false, viewer };
}

/**
 * The whole transcript. The transcript is drawn on the alternate screen and has all keys: a question waits until it is
 * closed.
 */
export function viewerLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { viewer } = ui;
  if (!viewer) return undefined;
  return {
    contexts: viewer.isSearching ? ["viewerSearch", "app"] : ["viewer", "app"],
    draft: "empty",
    place: "whole",
    handle: (action) => handle(ui, viewer, action, context),
    lines: () => ({ lines: [] }),
  };
}

function handle(ui: Ui, viewer: ViewerState, action: Action, context: UiContext): Handled {
  const change = (to: Partial<ViewerState>): Ui => ({ ...ui, viewer: { ...viewer, ...to } });
  if (action.type === "text" && !viewer.isSearching) return pressEach(ui, action.text, context);
  if (action.type !== "key") return viewer.isSearching ? searchFor(ui, action.text) : stay(ui);
  switch (action.name) {
    case "viewer.close": {
      // Who opened the list of keys leaves it first.
      if (viewer.showsKeys && action.key === "esc") return stay(change({ showsKeys: false }));
      return running(close(ui, context.nowMs), viewer.shown?.back);
    }
    case "viewer.keys":
      return stay(change({ showsKeys: !viewer.showsKeys }));
    case "viewer.search":
      return { ui: change({ isSearching: true, showsKeys: false }), effects: [{ type: "viewer", does: action.name }] };
    case "viewerSearch.accept":
    case "viewerSearch.cancel":
      return { ui: change({ isSearching: false }), effects: [{ type: "viewer", does: action.name }] };
    default:
      return { ui, effects: [{ type: "viewer", does: action.name }] };
  }
}

/** Keys that are typed fast, or held down, arrive together as one text. */
function pressEach(ui: Ui, text: string, context: UiContext): Handled {
  let now: Handled = stay(ui);
  for (const [at, key] of Array.from(text).entries()) {
    const { viewer } = now.ui;
    if (!viewer) break;
    const isSearch = viewer.isSearching;
    const name = boundAction(context.keymap, key === " " ? "space" : key, ["viewer"], "empty");
    if (!isSearch && name === undefined) continue;
    const rest = Array.from(text).slice(at).join("");
    const next =
      isSearch || name === undefined
        ? searchFor(now.ui, rest)
        : handle(now.ui, viewer, { type: "key", name, key }, context);
    now = { ui: next.ui, effects: [...now.effects, ...next.effects] };
    if (isSearch) break;
  }
  return now;
}

function searchFor(ui: Ui, words: string): Handled {
  return { ui, effects: [{ type: "viewer_text", text: words.replace(/\s+/g, " ") }] };
}

/** The next key may still be meant for the transcript, so it answers no question. */
function close(ui: Ui, nowMs: number): Ui {
  const { asking } = ui;
  const guarded = asking && { ...asking, guardedUntil: Math.max(asking.guardedUntil, nowMs + GUARD_MS) };
  return { ...ui, asking: guarded, viewer: undefined };
}
