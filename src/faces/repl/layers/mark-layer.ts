import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { KeyAction } from "../keymap/key-actions.ts";
import { MARK_COLUMNS, panelRows, spread } from "../view/layout.ts";
import { GLYPHS, type Theme } from "../view/theme.ts";
import { hintRows, hintsOf } from "../view/theme-hints.ts";
import { commandLayer } from "./command-layer.ts";
import type { Action, Block, Layer, Room } from "./layer.ts";
import { beginCommand } from "./prompt-layer.ts";
import { type Handled, type Marking, NO_PREVIEW, running, stay, type Ui, type UiContext } from "./ui-state.ts";

/** The lines of a list need at most this width. */
const WHOLE_COLUMNS = 79;

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
    isPanel: true,
    handle: (action) =>
      (canBeginCommand(marking) ? beginCommand(ui, action, context.nowMs) : undefined) ??
      handle(ui, marking, action, context),
    lines: (room) => markLines(marking, room),
  };
  return commandLayer(layer, marking.title, ui, context);
}

/** Marks are not lost by a key, and a list whose marks were sent waits for its answer. */
function canBeginCommand({ marks, isSent }: Marking): boolean {
  return isSent !== true && Object.keys(marks).length === 0;
}

function handle(ui: Ui, marking: Marking, action: Action, { preview }: UiContext): Handled {
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
  const perform: { readonly [Name in KeyAction]?: () => Handled } = {
    "list.previous": () => to(index - 1, index > firstMarkable(rows)),
    "list.next": () => to(marking.isMoved ? index + 1 : index),
    "list.pageUp": () => to(index - preview.rows, index - preview.rows > firstMarkable(rows)),
    "list.pageDown": () => to(index + preview.rows),
    "list.top": () => stay({ ...ui, marking: { ...marking, index: firstMarkable(rows), isMoved: false } }),
    "list.bottom": () => to(rows.length - 1),
    "list.close": () => close(ui, marking),
    "list.accept": () => accept(ui, marking),
  };
  return perform[action.name]?.() ?? stay(ui);
}

/** A list that was opened from another list returns to it. */
function close(ui: Ui, { back }: Marking): Handled {
  return running({ ...ui, marking: undefined }, back);
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
  return running({ ...ui, marking: { ...marking, isSent: true } }, [input, ...words].join(" "));
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

/** The rows for the rule and the title. */
const ROWS_BESIDE = 2;
const MAX_HINT_ROWS = 3;
/** The columns at the beginning of a row's line that are free for the cursor and the mark. */
const FREE_COLUMNS = 4;

/** The visible part of a list of items to mark. Before the first move, the list begins with the lines above it. */
export function markLines(marking: Marking, { theme, columns, rows: windowRows, maxRows }: Room): Block {
  const { title, rows, index, isMoved } = marking;
  const lines = linesFor(marking, columns);
  const all = [...lines.map((line) => plainText(line)), ...rows.map((_, at) => rowLine(marking, at, theme))];
  const hints = hintRows(columns - MARK_COLUMNS, hintsFor(marking, theme)).slice(0, MAX_HINT_ROWS);
  const height = Math.max(1, Math.min(maxRows, panelRows(windowRows)) - ROWS_BESIDE - hints.length);
  const wanted = isMoved ? lines.length + index - Math.floor(height / 2) : 0;
  const from = Math.max(0, Math.min(wanted, all.length - height));
  const shown = all.slice(from, from + height);
  const place = all.length > shown.length ? `${from + 1}–${from + shown.length} of ${all.length}` : "";
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      spread(theme.strong(plainText(title)), theme.dim(place), columns),
      ...shown.map((line) => truncateText(line, columns)),
      ...hints.map((hint) => theme.dim(truncateText(`  ${hint}`, columns))),
    ],
    preview: { ...NO_PREVIEW, rows: height },
  };
}

/** The lines for the width of the window; of a still narrower window, the ends are cut. */
function linesFor({ lines, narrower = [] }: Marking, columns: number): readonly string[] {
  if (columns >= WHOLE_COLUMNS) return lines;
  return (narrower.find((one) => one.columns <= columns) ?? narrower.at(-1) ?? { lines }).lines;
}

function rowLine({ rows, marks, index }: Marking, at: number, theme: Theme): string {
  const row = rows[at];
  const line = plainText(row?.line ?? "");
  if (!row || Object.keys(row.keys).length === 0) return line;
  const mark = marks[row.id]?.slice(0, 1) ?? " ";
  const cursor = at === index ? theme.accent(GLYPHS.choice) : " ";
  const text = line.slice(FREE_COLUMNS);
  return `${cursor} ${mark === " " ? mark : theme.warning(mark)} ${at === index ? theme.strong(text) : text}`;
}

/** The keys of the selected row, and the number of marks. */
function hintsFor({ rows, index, marks, accepts, needsNoMark }: Marking, theme: Theme): readonly string[] {
  const key = hintsOf(theme, "list");
  const keys = Object.entries(rows[index]?.keys ?? {}).map(([key, verb]) => `${key} ${verb}`);
  const count = Object.keys(marks).length;
  const moves = keys.length > 0 ? [key("", "list.previous", "list.next"), ...keys] : [];
  const marked = count === 0 ? [] : [plural(count, "mark")];
  const accept = count > 0 || needsNoMark ? [key(accepts, "list.accept")] : [];
  return [...moves, ...marked, ...accept, key("closes", "list.close")];
}
