import { markLines } from "../view/mark-lines.ts";
import { commandLayer } from "./command-layer.ts";
import type { Action, Layer } from "./layer.ts";
import { type Handled, type Marking, stay, type Ui, type UiContext } from "./ui-state.ts";

const PAGE_ROWS = 10;

/**
 * A list of items to mark, below the lines that describe the items. Letters set marks; Enter types the marks as a
 * command.
 */
export function markLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { marking } = ui;
  if (!marking) return undefined;
  const layer: Layer = {
    contexts: ["list", "app"],
    draft: "empty",
    place: "whole",
    handle: (action) => handle(ui, marking, action),
    lines: (room) => markLines(marking, room),
  };
  return commandLayer(layer, marking.title, ui, context);
}

function handle(ui: Ui, marking: Marking, action: Action): Handled {
  const { rows, index } = marking;
  if (marking.isSent && action.type !== "key") return stay(ui);
  if (action.type === "text") return stay({ ...ui, marking: marked(marking, action.text) });
  if (action.type === "paste") return stay(ui);
  const to = (wanted: number, isMoved = true) => {
    const last = rows.length - 1;
    const near = Math.max(0, Math.min(last, wanted));
    const found = near >= index ? nextMarkable(rows, near, 1) : nextMarkable(rows, near, -1);
    return stay({ ...ui, marking: { ...marking, index: found ?? index, isMoved: isMoved && found !== undefined } });
  };
  switch (action.name) {
    case "list.previous":
      return to(index - 1, index > firstMarkable(rows));
    case "list.next":
      return to(marking.isMoved ? index + 1 : index);
    case "list.pageUp":
      return to(index - PAGE_ROWS, index - PAGE_ROWS > firstMarkable(rows));
    case "list.pageDown":
      return to(index + PAGE_ROWS);
    case "list.top":
      return stay({ ...ui, marking: { ...marking, index: firstMarkable(rows), isMoved: false } });
    case "list.bottom":
      return to(rows.length - 1);
    case "list.close":
      return close(ui, marking);
    case "list.accept":
      return accept(ui, marking);
    default:
      return stay(ui);
  }
}

/** A list that was opened from another list returns to it. */
function close(ui: Ui, { back }: Marking): Handled {
  const effects: Handled["effects"] = back === undefined ? [] : [{ type: "submit", text: back, remembered: "" }];
  return { ui: { ...ui, marking: undefined }, effects };
}

/** The key of an existing mark removes the mark. */
function marked(marking: Marking, key: string): Marking {
  const row = marking.rows[marking.index];
  const verb = row && Object.hasOwn(row.keys, key) ? row.keys[key] : undefined;
  if (!row || verb === undefined) return marking;
  const { [row.id]: before, ...others } = marking.marks;
  return { ...marking, isMoved: true, marks: before === verb ? others : { ...others, [row.id]: verb } };
}

function accept(ui: Ui, marking: Marking): Handled {
  const { marks, input, isSent, needsNoMark } = marking;
  if (isSent) return stay(ui);
  const byVerb = Map.groupBy(Object.entries(marks), ([, verb]) => verb);
  if (byVerb.size === 0 && !needsNoMark) return stay({ ...ui, marking: undefined });
  const words = [...byVerb].map(([verb, own]) => [verb, ...own.map(([id]) => id)].join(" "));
  const sent: Ui = { ...ui, marking: { ...marking, isSent: true } };
  return { ui: sent, effects: [{ type: "submit", text: [input, ...words].join(" "), remembered: "" }] };
}

/** The first row with keys; 0 where there is none. */
export function firstMarkable(rows: Marking["rows"]): number {
  return nextMarkable(rows, 0, 1) ?? 0;
}

function nextMarkable(rows: Marking["rows"], from: number, step: 1 | -1): number | undefined {
  for (let at = from; at >= 0 && at < rows.length; at += step)
    if (Object.keys(rows[at]?.keys ?? {}).length > 0) return at;
  return undefined;
}
