import type { ChoiceBody, DialogQuestion, QuestionHead } from "../../../contracts/question.ts";
import type { Editor } from "../editor/editor-state.ts";
import type { HunkMarks } from "./hunk-marks.ts";

/** The protection of any question from keys that were meant for something else. */
type Guarded = {
  /**
   * Until this time keys don't answer the question, because they were meant for something else. Monotonic milliseconds.
   */
  readonly guardedUntil: number;
  /** The answer that opened this step: until `guardedUntil`, only its key is held back. */
  readonly openedBy?: string | undefined;
  /**
   * The draft that was being typed when the question arrived: until `guardedUntil`, keys go to it. If the draft is the
   * reason of a no to a question that no longer exists, Enter does not send it, because Enter was meant for that
   * question.
   */
  readonly typing: "draft" | "reason" | undefined;
  /** Monotonic milliseconds of the last key in the line for a typed answer. */
  readonly typedAt?: number | undefined;
};

/** The current questions of the model, and the person's progress with them. */
export type Choosing = Guarded & {
  readonly question: QuestionHead & { readonly body: ChoiceBody };
  /** The index of the shown question; the number of questions for the review before they are sent. */
  readonly tab: number;
  /** One for each question. */
  readonly drafts: readonly AnswerDraft[];
  /** The index of the marked row of the review. */
  readonly reviewAt: number;
  /** The words with which the person wants to talk about the questions instead. */
  readonly talk: Editor;
  /** The line that is being typed. */
  readonly writing: "words" | "talk" | undefined;
  /** The reason why the typed line is no answer. */
  readonly problem?: string | undefined;
  /** The first shown line of the preview. */
  readonly scroll: number;
  /** True for questions that were opened from the row of an agent: they wait there if the person leaves them. */
  readonly isFromRow?: boolean;
};

export type AnswerDraft = {
  /** The index of the marked row: the options, then the person's own words, then the talk. */
  readonly at: number;
  /** The indices of the chosen options. */
  readonly chosen: readonly number[];
  readonly words: Editor;
};

/** The current question, and the person's progress with it. */
export type Asking = Guarded & {
  readonly question: DialogQuestion;
  /** The selected answer: the key of one of `questionOptions`. */
  readonly choice: string;
  /** True if the person moved the selection. */
  readonly isMoved?: boolean;
  /** "All sandboxed commands" was chosen: the answers now ask for how long. */
  readonly isChoosingTerm: boolean;
  /** The first shown line of the preview. */
  readonly scroll: number;
  /** True if the details are shown; absent: as long as a yes would be dangerous. */
  readonly isExplained?: boolean | undefined;
  /** The words for the model with the selected answer: the reason of a no, or what to heed after a yes. */
  readonly why: Editor | undefined;
  /** The selection when the line for the words was opened. */
  readonly choiceBefore?: string | undefined;
  /** The letters typed at a question that takes no words: a yes among them selects the yes. */
  readonly word?: string | undefined;
  /** The typed words, kept while the person has returned to the answers. */
  readonly keptWhy: Editor | undefined;
  /** True if the kept words were typed for a yes. */
  readonly isKeptForYes?: boolean;
  /** The selected hunks of a change; undefined if the change has only one hunk. */
  readonly marks: HunkMarks | undefined;
  /** The preview's text after the person edited it. */
  readonly edited: string | undefined;
  /** The reason why the text could not be edited, or why the typed words are no answer, in one line. */
  readonly problem: string | undefined;
};

export function isChoosing(asking: Asking | Choosing | undefined): asking is Choosing {
  return asking?.question.body.kind === "choice";
}
