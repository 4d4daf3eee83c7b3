import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { lossHint } from "./exit-word.ts";
import type { Action } from "./layer.ts";
import { type Armed, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A second press within this time leaves, unless another key is pressed in between. */
export const LEAVE_WINDOW_MS = 2_000;

/** Handles the actions that are the same in every layer. @returns undefined for all other actions. */
export function commonAction(ui: Ui, action: Action, context: UiContext): Handled | undefined {
  if (action.type !== "key") return undefined;
  switch (action.name) {
    case "none":
      return stay(ui);
    case "app.leave":
      return leave(ui, context, action.key);
    case "app.suspend":
      return { ui, effects: [{ type: "suspend" }] };
    case "app.redraw":
      return { ui, effects: [{ type: "redraw" }] };
    case "turn.interrupt":
      return { ui: { ...leftForm(ui), showsKeys: false }, effects: [{ type: "interrupt" }] };
    default:
      return action.name.startsWith("screen.") ? { ui, effects: [{ type: "viewer", does: action.name }] } : undefined;
  }
}

/** The person leaves a form by intent: the next keys are not meant for it. */
function leftForm(ui: Ui): Ui {
  return ui.asking ? { ...ui, asking: { ...ui.asking, typedAt: undefined } } : ui;
}

function leave(ui: Ui, context: UiContext, key: string): Handled {
  const { nowMs } = context;
  if (isArmed(ui, "leave", key, nowMs)) return { ui, effects: [{ type: "leave" }] };
  const says = lossHint(key, ui, context) ?? `${key} again to leave`;
  const armed: Armed = { by: key, does: "leave", says, until: nowMs + LEAVE_WINDOW_MS };
  return stay({ ...fromNow(ui), showsKeys: false, armed });
}

/** True if this press is the second press. */
export function isArmed({ armed }: Ui, does: Armed["does"], key: string, nowMs: number): boolean {
  return armed?.does === does && armed.by === key && nowMs <= armed.until;
}

/** The next ↑ shows the newest entry again. */
export function fromNow(ui: Ui): Ui {
  return { ...ui, history: { ...ui.history, at: ui.history.entries.length, draft: "" } };
}

/** Enters the next mode. A question that the new mode answers is closed by the engine. */
export function nextMode(ui: Ui, { mode, modes }: UiContext): Handled {
  const next: PermissionMode = modes[(modes.indexOf(mode) + 1) % modes.length] ?? "default";
  return { ui, effects: [{ type: "mode", mode: next }] };
}

/** The lines by which a key scrolls, `Infinity` to an end; undefined for any other key. @param page The lines of a page. */
export function scrollSteps(name: KeyAction, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    lineUp: -1,
    lineDown: 1,
    pageUp: -page,
    pageDown: page,
    top: Number.NEGATIVE_INFINITY,
    bottom: Number.POSITIVE_INFINITY,
  };
  return steps[name.slice(name.indexOf(".") + 1)];
}
