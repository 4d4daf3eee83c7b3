import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { ShownTask } from "../tasks/shown-tasks.ts";
import { MARK_COLUMNS, panelRows, wrapIndented } from "../view/layout.ts";
import { scrolledLines } from "../view/scrolled-lines.ts";
import { taskHints, watchTitle } from "../view/strip-lines.ts";
import type { Theme } from "../view/theme.ts";
import { fittingHints, hintsOf } from "../view/theme-hints.ts";
import { type Watched, watchLines } from "../view/watch-lines.ts";
import { commandLayer } from "./command-layer.ts";
import { scrollSteps } from "./common-actions.ts";
import type { Action, Block, Layer, Room } from "./layer.ts";
import { beginCommand } from "./prompt-layer.ts";
import { stopTask, writeTo } from "./strip-layer.ts";
import { type Handled, NO_PREVIEW, stay, type TextView, type Ui, type UiContext } from "./ui-state.ts";

/** A long text to scroll through. */
export function viewLayer(ui: Ui, context: UiContext): Layer | undefined {
  const { view } = ui;
  if (!view) return undefined;
  const { tasks = [], nowMs } = context;
  const task = tasks.find(({ info }) => info.id === view.taskId);
  const shown = task ? { ...view, title: watchTitle(task, nowMs) } : view;
  const layer: Layer = {
    contexts: view.taskId === undefined ? ["view", "app"] : ["watch", "view", "app"],
    draft: "empty",
    place: "whole",
    isPanel: true,
    handle(action) {
      if (action.type !== "key") return (task ? undefined : beginCommand(ui, action, nowMs)) ?? stay(ui);
      if (action.name === "strip.stop") return task ? stopTask(ui, task) : stay(ui);
      if (action.name === "strip.message") return task ? writeTo(ui, task) : stay(ui);
      return handle(ui, view, action, context.preview);
    },
    lines: (room) => viewLines(shown, { nowMs, end: endOf(task) }, room, task),
  };
  return commandLayer(layer, view.title, ui, context);
}

/** The end of a task in its own words; undefined while the task is open. */
function endOf(task: ShownTask | undefined): string | undefined {
  return task?.endedAt === undefined ? undefined : `${task.info.id} ${task.info.state}`;
}

function handle(
  ui: Ui,
  view: TextView,
  { name }: Extract<Action, { type: "key" }>,
  { maxScroll, rows }: UiContext["preview"],
): Handled {
  if (name === "view.close") return close(ui, view);
  const steps = scrollSteps(name, Math.max(1, rows - 1));
  if (steps === undefined) return stay(ui);
  // A view may be opened at its end, wherever the end is.
  const to = steps === Number.NEGATIVE_INFINITY ? 0 : Math.min(view.scroll, maxScroll) + steps;
  // At the end of a growing output, the view follows the output.
  const end = view.taskId === undefined ? maxScroll : Number.POSITIVE_INFINITY;
  return stay({ ...ui, view: { ...view, scroll: to >= maxScroll ? end : Math.max(0, to) } });
}

function close(ui: Ui, { taskId }: TextView): Handled {
  const effects: Handled["effects"] = taskId === undefined ? [] : [{ type: "task", does: "unwatch", id: taskId }];
  return { ui: { ...ui, view: undefined }, effects };
}

/** The rows for the rule, the title and the hint. */
const ROWS_BESIDE = 3;

/** The lines of a view are wrapped once for each width, not for each key. */
const wrappedLines = new WeakMap<readonly string[], { readonly columns: number; readonly lines: readonly string[] }>();

function wrapped(lines: readonly string[], columns: number): readonly string[] {
  const known = wrappedLines.get(lines);
  if (known?.columns === columns) return known.lines;
  const made = lines.flatMap((line) => wrapIndented(plainText(lastOverwrite(line)), columns));
  wrappedLines.set(lines, { columns, lines: made });
  return made;
}

/** The visible part of a text or of a watched agent's conversation, with its title. */
export function viewLines(view: TextView, about: Omit<Watched, "transcript">, room: Room, task?: ShownTask): Block {
  const { title, lines, scroll, taskId, transcript } = view;
  const { theme, columns, maxRows } = room;
  // The conversation of an agent is shown like the main conversation.
  const most = taskId === undefined ? Math.min(maxRows, panelRows(room.rows)) : maxRows;
  const rows = Math.max(1, most - ROWS_BESIDE);
  const all = transcript ? watchLines({ ...about, transcript }, room) : wrapped(lines, columns - 1);
  const pages = hintsOf(theme, "view")("", "view.pageDown", "view.pageUp");
  const shown = scrolledLines(all, scroll, { rows, width: columns, theme, pages });
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      truncateText(theme.strong(plainText(title)), columns),
      ...shown.lines,
      theme.dim(truncateText(`  ${hint(theme, taskId !== undefined, task, columns - MARK_COLUMNS)}`, columns)),
    ],
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}

function hint(theme: Theme, isWatched: boolean, task: ShownTask | undefined, columns: number): string {
  const key = hintsOf(theme, "view");
  const lines = key("", "view.lineUp", "view.lineDown");
  const pages = key("", "view.pageUp", "view.pageDown");
  const scrolls = lines + pages === "" ? "" : [lines, pages, "scroll"].filter(Boolean).join(" ");
  if (!isWatched) return fittingHints(columns, scrolls, key("closes", "view.close"));
  return fittingHints(
    columns,
    ...(task ? taskHints(task, hintsOf(theme, "watch")) : []),
    scrolls,
    key("follow", "view.bottom"),
    key("back", "view.close"),
  );
}
