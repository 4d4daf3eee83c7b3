import { setText } from "../editor/editor-state.ts";
import { completionLines } from "../view/completion-lines.ts";
import type { Action, Layer } from "./layer.ts";
import { changeDraft, sendText } from "./prompt-layer.ts";
import { type Completion, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** The matching slash commands, below the prompt; typing continues in the prompt. */
export function completionLayer(ui: Ui, context: UiContext): Layer | undefined {
  const found = completions(ui, context.commands);
  const chosen = chosenCompletion(ui, found);
  if (!chosen) return undefined;
  return {
    contexts: ["menu", "completion"],
    draft: "typed",
    place: "below",
    handle: (action) => handle(ui, action, { found, chosen, context }),
    lines: (room) => ({ lines: completionLines(found, chosen, room) }),
  };
}

type Offered = {
  readonly found: readonly Completion[];
  readonly chosen: Completion;
  readonly context: UiContext;
};

function handle(ui: Ui, action: Action, { found, chosen, context }: Offered): Handled | undefined {
  if (action.type !== "key") return undefined;
  const mark = (step: number) => {
    const index = (found.indexOf(chosen) + step + found.length) % found.length;
    return stay({ ...ui, completion: { ...ui.completion, index } });
  };
  switch (action.name) {
    case "menu.close":
      return stay({ ...ui, completion: { index: 0, isDismissed: true } });
    case "menu.complete":
      return stay(changeDraft(ui, setText(ui.editor, `/${chosen.name} `), context.nowMs));
    case "menu.accept":
      return sendText(ui, `/${chosen.name}`, context, "steer");
    case "menu.previous":
      return mark(-1);
    case "menu.next":
      return mark(1);
    default:
      return undefined;
  }
}

/** The commands that match the typed text; none after an argument was begun. */
function completions(ui: Ui, commands: readonly Completion[]): readonly Completion[] {
  const match = /^\/([\w-]*)$/.exec(ui.editor.text);
  if (!match || ui.completion.isDismissed) return [];
  const typed = (match[1] ?? "").toLowerCase();
  const starting = commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
  const holding = commands.filter(({ name }) => !starting.some((other) => other.name === name) && name.includes(typed));
  return [...starting, ...holding];
}

/** The command that Tab or Enter takes. */
function chosenCompletion(ui: Ui, found: readonly Completion[]): Completion | undefined {
  return found[Math.min(ui.completion.index, found.length - 1)];
}
