import { isOpenTask } from "../../../contracts/task.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { RowQuestions } from "../tasks/row-questions.ts";
import type { ShownTask } from "../tasks/shown-tasks.ts";
import { stripLines } from "../view/strip-lines.ts";
import type { Layer } from "./layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** The running agents and background shells, below the prompt. The strip has keys only while the person is in it. */
export function stripLayer(ui: Ui, { tasks = [], rowQuestions: asked, nowMs }: UiContext): Layer | undefined {
  const [first] = tasks;
  if (!first) return undefined;
  const chosen = ui.strip === undefined ? undefined : (tasks.find(({ info }) => info.id === ui.strip) ?? first);
  return {
    contexts: chosen ? ["strip"] : [],
    draft: "empty",
    place: "below",
    handle: (action) =>
      chosen && action.type === "key" ? handle(ui, action.name, { tasks, chosen, asked }) : undefined,
    // Typed text goes to the prompt, which then has the keys.
    passed: (below) =>
      below.ui.editor.text === ui.editor.text ? below : { ...below, ui: { ...below.ui, strip: undefined } },
    lines: (room) => ({ lines: stripLines({ tasks, chosen, asked, nowMs, isNear: ui.editor.text === "" }, room) }),
  };
}

type Strip = {
  readonly tasks: readonly ShownTask[];
  readonly chosen: ShownTask;
  readonly asked: RowQuestions | undefined;
};

function handle(ui: Ui, name: KeyAction, { tasks, chosen, asked }: Strip): Handled | undefined {
  const { id } = chosen.info;
  const question = asked?.get(id);
  const at = tasks.indexOf(chosen);
  const perform: { readonly [Name in KeyAction]?: () => Handled } = {
    "strip.previous": () => stay({ ...ui, strip: tasks[at - 1]?.info.id }),
    "strip.next": () => stay({ ...ui, strip: tasks[at + 1]?.info.id ?? id }),
    "strip.leave": () => stay({ ...ui, strip: undefined }),
    "strip.watch": () =>
      question
        ? { ui, effects: [{ type: "question", id: question.id }] }
        : {
            ui: { ...ui, strip: id, view: { title: "", lines: ["…"], scroll: Number.POSITIVE_INFINITY, taskId: id } },
            effects: [{ type: "task", does: "watch", id }],
          },
    "strip.stop": () => stopTask(ui, chosen),
    "strip.message": () => writeTo({ ...ui, strip: id }, chosen),
  };
  return perform[name]?.();
}

/** Ends the work of a task. An ended task stays unchanged. */
export function stopTask(ui: Ui, { info, endedAt }: ShownTask): Handled {
  return { ui, effects: endedAt === undefined ? [{ type: "task", does: "stop", id: info.id }] : [] };
}

/** Opens an input line for a message to an agent. Only some tasks take messages. */
export function writeTo(ui: Ui, { info }: ShownTask): Handled {
  if (!info.can.includes("message")) return stay(ui);
  const goesOn = isOpenTask(info) ? "" : ", which then continues";
  return stay({ ...ui, hidden: { title: `Message to ${info.id}${goesOn}`, text: "", isShown: true, taskId: info.id } });
}
