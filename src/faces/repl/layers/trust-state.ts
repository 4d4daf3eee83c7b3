import { GUARD_MS } from "./question.ts";
import { NO_PREVIEW, type PreviewView } from "./ui-state.ts";

export type TrustChoice = "trust" | "session" | "no" | "exit";
export type AboveChoice = "read" | "no" | "exit";
export type ApprovalChoice = "approve" | "no" | "exit";

export type StartOption<Choice extends string> = {
  readonly key: string;
  readonly label: string;
  readonly answer: Choice;
  /** True if the answer lets content run: a question that can't be read does not accept it. */
  readonly isYes: boolean;
};

/** A question before the first prompt: its effects and answers. */
export type StartQuestion<Choice extends string> = {
  readonly title: string;
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  /** One short line for each effect of a yes. */
  readonly reasons: readonly string[];
  /** The line above the reasons, and the lines below them. */
  readonly intro: string;
  readonly notes: readonly string[];
  readonly options: readonly StartOption<Choice>[];
  /** The key of the option that lets no content run; `0` gives the same answer. */
  readonly noKey: string;
};

export type TrustState = {
  /** The key of the selected option. */
  readonly choice: string;
  readonly scroll: number;
  /** Keys before this time were pressed before the question was readable. Monotonic milliseconds. */
  readonly guardedUntil: number;
  readonly preview: PreviewView;
};

/** Initially, the option that lets no content run is selected. */
export function emptyTrustState({ noKey }: { readonly noKey: string }, nowMs: number): TrustState {
  return { choice: noKey, scroll: 0, guardedUntil: nowMs + GUARD_MS, preview: NO_PREVIEW };
}
