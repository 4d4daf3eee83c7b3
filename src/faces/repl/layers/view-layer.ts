import type { ShownTask } from "../tasks/shown-tasks.ts";
import { watchTitle } from "../view/strip-lines.ts";
import { viewLines } from "../view/view-lines.ts";
import { commandLayer } from "./command-layer.ts";
import type { Action, Layer } from "./layer.ts";
import { stopTask, writeTo } from "./strip-layer.ts";
import { type Handled, stay, type TextView, type Ui, type UiContext } from "./ui-state.ts";

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
    handle(action) {
      if (action.type !== "key") return stay(ui);
      if (action.name === "strip.stop") return task ? stopTask(ui, task) : stay(ui);
      if (action.name === "strip.message") return task ? writeTo(ui, task) : stay(ui);
      return handle(ui, view, action, context.preview);
    },
    lines: (room) => viewLines(shown, { nowMs, end: endOf(task) }, room),
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
  const page = Math.max(1, rows - 1);
  // A view may be opened at its end, wherever the end is.
  const from = Math.min(view.scroll, maxScroll);
  const scroll = (to: number) => {
    // At the end of a growing output, the view follows the output.
    const end = view.taskId === undefined ? maxScroll : Number.POSITIVE_INFINITY;
    return stay({ ...ui, view: { ...view, scroll: to >= maxScroll ? end : Math.max(0, to) } });
  };
  switch (name) {
    case "view.close":
      return close(ui, view);
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

function close(ui: Ui, { taskId }: TextView): Handled {
  const effects: Handled["effects"] = taskId === undefined ? [] : [{ type: "task", does: "unwatch", id: taskId }];
  return { ui: { ...ui, view: undefined }, effects };
}
