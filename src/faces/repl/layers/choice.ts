import type { ChoiceAnswer, ChoiceQuestion, Reply } from "../../../contracts/question.ts";
import { type Editor, emptyEditor } from "../editor/editor-state.ts";
import type { AnswerDraft, Choosing } from "./open-question.ts";

const NO_ANSWER: AnswerDraft = { at: 0, chosen: [], words: emptyEditor };

/** The effect of a row of a question: an option is chosen, or a line opens. */
export type ChoiceRow = { readonly kind: "option"; readonly index: number } | { readonly kind: "words" | "talk" };

export function newChoosing(
  question: Choosing["question"],
  guard: Pick<Choosing, "guardedUntil" | "openedBy" | "typing">,
): Choosing {
  const drafts = question.body.questions.map(() => NO_ANSWER);
  return { question, tab: 0, drafts, reviewAt: 0, talk: emptyEditor, writing: undefined, scroll: 0, ...guard };
}

/** The rows of a question: its options, the person's own words, and the talk. */
export function rowsOf({ options }: ChoiceQuestion): readonly ChoiceRow[] {
  return [...options.map((_, index) => ({ kind: "option", index }) as const), { kind: "words" }, { kind: "talk" }];
}

/** The shown question and its draft; undefined in the review. */
export function shownQuestion({ question: { body }, drafts, tab }: Choosing) {
  const asked = body.questions[tab];
  const draft = drafts[tab];
  return asked && draft && { asked, draft };
}

export function markedRow(choosing: Choosing): ChoiceRow | undefined {
  const shown = shownQuestion(choosing);
  return shown && rowsOf(shown.asked)[shown.draft.at];
}

export function withDraft(choosing: Choosing, changes: Partial<AnswerDraft>): Choosing {
  const { drafts, tab } = choosing;
  return { ...choosing, drafts: drafts.map((draft, at) => (at === tab ? { ...draft, ...changes } : draft)) };
}

/** Marks a row, or the next one in a direction. */
export function markRow(choosing: Choosing, at: number): Choosing {
  const shown = shownQuestion(choosing);
  if (!shown) return { ...choosing, reviewAt: wrapped(at, REVIEW_ROWS) };
  return { ...withDraft(choosing, { at: wrapped(at, rowsOf(shown.asked).length) }), scroll: 0 };
}

/** The review's rows: send the answers, or talk about them. */
export const REVIEW_ROWS = 2;

function wrapped(at: number, count: number): number {
  return (at + count) % count;
}

/** Chooses the option, or takes it back. Of a single choice, the last chosen option counts. */
export function toggleOption(choosing: Choosing, index: number): Choosing {
  const shown = shownQuestion(choosing);
  if (!shown) return choosing;
  const { asked, draft } = shown;
  const isChosen = draft.chosen.includes(index);
  const others = draft.chosen.filter((one) => one !== index);
  if (asked.isMultiple) return withDraft(choosing, { at: index, chosen: isChosen ? others : [...others, index] });
  return withDraft(choosing, { at: index, chosen: isChosen ? [] : [index], words: emptyEditor });
}

/** Shows another question, or the review; there is none before the first question. */
export function showTab(choosing: Choosing, tab: number): Choosing {
  const last = lastTab(choosing);
  return { ...choosing, tab: Math.max(0, Math.min(last, tab)), reviewAt: 0, scroll: 0, writing: undefined };
}

/** A single question is sent without a review, because the whole answer is in view. */
export function lastTab({ question: { body } }: Choosing): number {
  return body.questions.length === 1 ? 0 : body.questions.length;
}

export function answersOf({
  drafts,
  question: { body },
}: Pick<Choosing, "drafts" | "question">): readonly ChoiceAnswer[] {
  return body.questions.map((asked, at) => answerOf(asked, drafts[at] ?? NO_ANSWER));
}

export function answerOf({ options }: ChoiceQuestion, { chosen, words }: AnswerDraft): ChoiceAnswer {
  const own = words.text.trim();
  const labels = options.filter((_, index) => chosen.includes(index)).map(({ label }) => label);
  return { labels, ...(own !== "" && { words: own }) };
}

/** @param isTalk True to talk about the questions instead of answering the rest. */
export function choiceReply(choosing: Choosing, isTalk: boolean): Reply {
  const answers = answersOf(choosing);
  return { decision: "answered", answers, ...(isTalk && { talk: choosing.talk.text.trim() }) };
}

/** Everything that the person typed into the questions. */
export function typedWords({ drafts, talk }: Pick<Choosing, "drafts" | "talk">): string {
  const texts = [...drafts.map(({ words }) => words), talk].map(({ text }) => text.trim());
  return texts.filter((text) => text !== "").join("\n");
}

export function writtenLine(choosing: Choosing): Editor {
  return choosing.writing === "talk" ? choosing.talk : (shownQuestion(choosing)?.draft.words ?? emptyEditor);
}

/** A choice of one answer has either an option or the person's own words. */
export function withLine(choosing: Choosing, line: Editor): Choosing {
  if (choosing.writing === "talk") return { ...choosing, talk: line };
  const isSingle = shownQuestion(choosing)?.asked.isMultiple === false;
  return withDraft(choosing, { words: line, ...(isSingle && line.text.trim() !== "" && { chosen: [] }) });
}
