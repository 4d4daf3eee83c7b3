import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import type { Choice } from "../../../contracts/command-result.ts";
import type { ChoiceQuestion } from "../../../contracts/question.ts";
import { answersOf, shownQuestion } from "../layers/choice.ts";
import { type AnswerDraft, type Asking, type Choosing, isChoosing } from "../layers/open-question.ts";
import type { Ui } from "../layers/ui-state.ts";
import { fieldLines, listLines, markLines, numberedChoices } from "./plain-lists.ts";
import { questionLines } from "./plain-question.ts";
import { ROLES, withRole } from "./spoken-text.ts";

/** A question, list or field that waits for the person, as printed lines. */
export type Dialog = {
  /** A dialog is printed once for each id. */
  readonly id: string;
  readonly lines: readonly string[];
  /** The choices of the list as they were told, in the order of their numbers. */
  readonly choices?: readonly Choice[];
  /** The prompt behind which the person types. */
  readonly mark: string;
  /** True for a list with only the choices that match typed words. */
  readonly isSearch?: boolean;
};

type About = {
  readonly nowMs: number;
  /** The number of waiting questions. */
  readonly count: number;
  /** The first told choice of a list. */
  readonly from: number;
  /** The dialog that is open, with the choices that were told. */
  readonly open: { readonly id: string | undefined; readonly choices: readonly Choice[] };
};

/** The question, field or list that takes the next line; undefined if the line is an input. */
export function dialogOf(ui: Ui, { nowMs, count, from, open }: About): Dialog | undefined {
  const { asking, hidden, picker, marking } = ui;
  const isOpen = nowMs >= ui.heldUntil;
  if (hidden && isOpen)
    return { id: `field ${hidden.title} ${hidden.problem}`, lines: fieldLines(hidden), mark: "Text: " };
  if (asking && nowMs >= asking.guardedUntil) return questionDialog(asking, count);
  if (picker && isOpen) {
    const list = `list ${picker.title} ${picker.filter} `;
    const choices = numberedChoices(picker, open.id?.startsWith(list) ? open.choices : []);
    const id = list + from;
    const isSearch = picker.filter !== "";
    return { id, lines: listLines(picker, choices, from), choices, mark: "Choose: ", isSearch };
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
  const { isChoosingTerm, isExplained, why, problem } = asking;
  const step = `${id} ${isChoosingTerm} ${isExplained} ${why !== undefined} ${problem}`;
  return { id: step, lines: questionLines(asking, count), mark: "Answer: " };
}

/** A question of the model as lines: its options with numbers, its own answer and the talk after them. */
function choiceLines(choosing: Choosing): readonly string[] {
  if (choosing.writing) return [`${ROLES.question}: Type your words, then enter.`];
  const shown = shownQuestion(choosing);
  return shown ? askedLines(shown.asked, shown.draft, choosing) : reviewLines(choosing);
}

function askedLines(asked: ChoiceQuestion, draft: AnswerDraft, { question, tab }: Choosing): readonly string[] {
  const { length } = question.body.questions;
  const { options, isMultiple } = asked;
  const place = length > 1 ? ` Question ${tab + 1} of ${length}.` : "";
  const who = question.agentLabel === undefined ? "" : ` Asked by ${question.agentLabel}.`;
  const numbers = isMultiple ? "the numbers of all that apply" : "a number";
  return [
    ...withRole("question", [`${joinedLines(asked.question)}${place}${who}`]),
    ...options.flatMap(({ label, description, preview }, at) => {
      const chosen = draft.chosen.includes(at) ? ", chosen" : "";
      const about = description === "" ? "" : `. ${joinedLines(description)}`;
      return [`${at + 1}${chosen}: ${joinedLines(label)}${about}`, ...previewLines(preview)];
    }),
    `${options.length + 1}: Another answer`,
    `${options.length + 2}: Talk about it instead`,
    `Type ${numbers}, or your own answer, then enter.`,
  ];
}

function previewLines(preview: string | undefined): readonly string[] {
  if (preview === undefined) return [];
  const lines = plainText(preview).split("\n");
  return ["Preview:", ...lines.filter((line) => line.trim() !== ""), "End of preview."];
}

function reviewLines(choosing: Choosing): readonly string[] {
  const { questions } = choosing.question.body;
  const answers = answersOf(choosing);
  return [
    `${ROLES.question}: Are these your answers?`,
    ...questions.map(({ header }, at) => {
      const { labels = [], words } = answers[at] ?? {};
      const said = [...labels, ...(words === undefined ? [] : [joinedLines(words)])].join(", ");
      return `${joinedLines(header)}: ${said === "" ? "no answer, the model decides" : said}`;
    }),
    "1: Send these answers",
    "2: Talk about it instead",
    "Type a number, then enter.",
  ];
}
