import { joinedLines } from "@quoll/terminal-text/one-line";
import type { ChoiceAnswer, ChoiceQuestion, Reply } from "../../../contracts/question.ts";

type Answered = Extract<Reply, { readonly decision: "answered" }>;

export const NOBODY_ANSWERS =
  "Nobody can answer questions in this run. Decide yourself what fits the task best, go on, and state in your answer what you assumed.";
const LEFT_OUT = "no answer: decide yourself, and say what you assumed";

/** The answers in words for the model. */
export function answeredText(questions: readonly ChoiceQuestion[], { answers, talk }: Answered): string {
  const given = questions.flatMap((question, at) => {
    const words = wordsOf(answers[at]);
    return words === "" && talk !== undefined ? [] : [`- ${question.question} ${words === "" ? LEFT_OUT : words}`];
  });
  if (talk === undefined) return ["The user answered:", ...given].join("\n");
  const said = talk === "" ? "." : `, and says: ${JSON.stringify(talk)}`;
  return [
    `The user wants to talk about this before answering${said}`,
    ...(given.length > 0 ? ["Answered so far:", ...given] : []),
    `${talk === "" ? "Ask in plain words what is open for them" : "Reply to that in plain words"}, and end your turn there. Ask with options again only once they have replied.`,
  ].join("\n");
}

/** One line for each question, for the person's screen. */
export function summaryOf(questions: readonly ChoiceQuestion[], { answers, talk }: Answered): string {
  const lines = questions.map(({ header }, at) => {
    const { labels = [], words = "" } = answers[at] ?? {};
    const shown = [...labels, ...(words === "" ? [] : [joinedLines(words)])].join(", ");
    return `${header}: ${shown === "" ? "no answer" : shown}`;
  });
  if (talk === undefined) return lines.join("\n");
  return talk === "" ? "you want to talk about it" : `you said: ${joinedLines(talk)}`;
}

function wordsOf({ labels, words = "" }: ChoiceAnswer = { labels: [] }): string {
  const own = words === "" ? "" : `in their own words: ${JSON.stringify(words)}`;
  return [labels.join(", "), own].filter((part) => part !== "").join("; ");
}
