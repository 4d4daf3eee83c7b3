import type { Choice } from "../../../contracts/command-result.ts";
import { type Asking, type Choosing, isChoosing } from "../layers/open-question.ts";
import { shownChoices } from "../layers/picker.ts";
import type { Ui } from "../layers/ui-state.ts";
import { choiceLines } from "./plain-choice.ts";
import { fieldLines, listLines, markLines } from "./plain-lists.ts";
import { questionLines } from "./plain-question.ts";

/** What waits for the person, as printed lines. */
export type Dialog = {
  /** A dialog is printed once for each id. */
  readonly id: string;
  readonly lines: readonly string[];
  /** The choices of the list as they were told, in the order of their numbers. */
  readonly choices?: readonly Choice[];
  /** The prompt behind which the person types. */
  readonly mark: string;
};

type About = {
  readonly nowMs: number;
  /** The number of waiting questions. */
  readonly count: number;
  /** The first told choice of a list. */
  readonly from: number;
};

/** The question, field or list that takes the next line; undefined if the line is an input. */
export function dialogOf(ui: Ui, { nowMs, count, from }: About): Dialog | undefined {
  const { asking, hidden, picker, marking } = ui;
  const isOpen = nowMs >= ui.heldUntil;
  if (hidden && isOpen)
    return { id: `field ${hidden.title} ${hidden.problem}`, lines: fieldLines(hidden), mark: "Text: " };
  if (asking && nowMs >= asking.guardedUntil) return questionDialog(asking, count);
  if (picker && isOpen) {
    const id = `list ${picker.title} ${picker.filter} ${from}`;
    return { id, lines: listLines(picker, from), choices: shownChoices(picker), mark: "Choose: " };
  }
  if (marking && isOpen && !marking.isSent)
    return { id: `marks ${marking.title}`, lines: markLines(marking), mark: "Choose: " };
  return undefined;
}

function questionDialog(asking: Asking | Choosing, count: number): Dialog {
  const { id } = asking.question;
  if (isChoosing(asking)) {
    const step = `${id} ${asking.tab} ${asking.writing}`;
    return { id: step, lines: choiceLines(asking), mark: "Answer: " };
  }
  const step = `${id} ${asking.isChoosingTerm} ${asking.why !== undefined} ${asking.problem}`;
  return { id: step, lines: questionLines(asking, count), mark: "Answer: " };
}
