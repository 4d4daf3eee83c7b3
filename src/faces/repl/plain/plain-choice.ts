import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import type { ChoiceQuestion } from "../../../contracts/question.ts";
import { answersOf, shownQuestion } from "../layers/choice.ts";
import type { AnswerDraft, Choosing } from "../layers/open-question.ts";
import { ROLES, withRole } from "./spoken-text.ts";

/** A question of the model as lines: its options with numbers, its own answer and the talk after them. */
export function choiceLines(choosing: Choosing): readonly string[] {
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
