import { isJsonObject, type JsonObject } from "./message.ts";
import type { ChoiceAnswer, ChoiceQuestion, Reply } from "./question.ts";

type Answered = Extract<Reply, { readonly decision: "answered" }>;

/**
 * The questions in the form of the tool's input, for a program or hook that answers them. The form is that of the
 * Agent SDK's `AskUserQuestionInput`. Answers that the model itself wrote into its input are left out.
 */
export function choiceInput(questions: readonly ChoiceQuestion[]): JsonObject {
  return {
    questions: questions.map(({ question, header, options, isMultiple }) => ({
      question,
      header,
      options: options.map((option) => ({ ...option })),
      multiSelect: isMultiple,
    })),
  };
}

/**
 * The questions and answers as a result for a program, in the form of the Agent SDK's `AskUserQuestionOutput`. Several
 * labels, and the person's own words, are joined by commas.
 * @param reply Undefined if nobody could answer.
 */
export function choiceOutput(questions: readonly ChoiceQuestion[], reply: Answered | undefined): JsonObject {
  const { answers = [], talk } = reply ?? {};
  const given: Record<string, string> = {};
  const annotations: Record<string, JsonObject> = {};
  for (const [at, { question, options }] of questions.entries()) {
    const { labels = [], words = "" } = answers[at] ?? {};
    const text = [...labels, words].filter((one) => one !== "").join(", ");
    if (text === "") {
      if (reply) annotations[question] = { unanswered: talk === undefined ? "skipped" : "replied_in_chat" };
      continue;
    }
    given[question] = text;
    const [label, other] = labels;
    const preview = options.find((option) => option.label === label)?.preview;
    if (preview !== undefined && other === undefined) annotations[question] = { preview };
  }
  return {
    ...choiceInput(questions),
    answers: given,
    ...(talk && { response: talk }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

/**
 * The answers in an updated input. `answers` maps the text of a question to a label, to a list of labels (or labels with
 * commas between them), or to the person's own words; `annotations` may add notes; `response` holds words in place of
 * answers.
 * @returns undefined if the input has no answers at all.
 */
export function answersIn(input: JsonObject, questions: readonly ChoiceQuestion[]): Answered | undefined {
  const { answers: given, annotations, response } = input;
  const talk = typeof response === "string" ? response.trim() : "";
  if (!isJsonObject(given) && talk === "") return undefined;
  const notes = isJsonObject(annotations) ? annotations : {};
  const answers = questions.map((question) => {
    const own = Object.hasOwn(notes, question.question) ? notes[question.question] : undefined;
    const note = isJsonObject(own) && typeof own["notes"] === "string" ? own["notes"].trim() : "";
    const value = isJsonObject(given) && Object.hasOwn(given, question.question) ? given[question.question] : undefined;
    return withNote(answerOf(value, question), note);
  });
  return { decision: "answered", answers, ...(talk !== "" && { talk }) };
}

function answerOf(value: unknown, { options, isMultiple }: ChoiceQuestion): ChoiceAnswer {
  const labels = options.map(({ label }) => label);
  const isLabel = (text: string) => labels.includes(text);
  if (Array.isArray(value)) {
    const texts = value.filter((one) => typeof one === "string").map((one) => one.trim());
    const words = texts.filter((one) => one !== "" && !isLabel(one)).join(", ");
    return { labels: texts.filter(isLabel), ...(words !== "" && { words }) };
  }
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") return { labels: [] };
  if (isLabel(text)) return { labels: [text] };
  const parts = text.split(/\s*,\s*/);
  if (isMultiple && parts.every(isLabel)) return { labels: parts };
  return { labels: [], words: text };
}

function withNote(answer: ChoiceAnswer, note: string): ChoiceAnswer {
  const words = [answer.words, note].filter((one) => one !== undefined && one !== "").join("; ");
  return { labels: answer.labels, ...(words !== "" && { words }) };
}
