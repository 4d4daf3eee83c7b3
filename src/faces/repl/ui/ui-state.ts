import type { Choice } from "../../../contracts/command.ts";
import type { PermissionMode, Question, Reply } from "../../../contracts/permission.ts";
import { type Editor, emptyEditor } from "../editor/editor-state.ts";
import { emptyHistory, type History } from "../editor/history.ts";
import type { Pastes } from "../editor/pastes.ts";

/** What was entered, as it is shown; large pastes stand in `pastes`. */
export type Draft = { readonly shown: string; readonly pastes: Pastes };

/** The question that is shown, and how far the person has got with it. */
export type Asking = {
  readonly question: Question;
  /** Index in `questionOptions`. */
  readonly choice: number;
  /** First line of the preview that is shown. */
  readonly scroll: number;
  /** The words to the model, once "say why" was chosen. */
  readonly why: Editor | undefined;
  /** Until then keys still go to the prompt: the person was typing when the question came. Monotonic milliseconds. */
  readonly guardedUntil: number;
};

/** Everything that the keys change. */
export type Ui = {
  readonly editor: Editor;
  readonly pastes: Pastes;
  readonly history: History;
  /** Entered while a turn ran; the first goes first. */
  readonly queue: readonly Draft[];
  readonly completion: { readonly index: number; readonly isDismissed: boolean };
  readonly showsKeys: boolean;
  /** A key that leaves when it is pressed again in time. */
  readonly armed: { readonly by: "ctrl+c" | "ctrl+d"; readonly until: number } | undefined;
  readonly asking: Asking | undefined;
  readonly picker: { readonly title: string; readonly choices: readonly Choice[]; readonly index: number } | undefined;
  /** Monotonic milliseconds of the last key that changed the prompt. */
  readonly typedAt: number;
};

export const emptyUi: Ui = {
  editor: emptyEditor,
  pastes: new Map(),
  history: emptyHistory,
  queue: [],
  completion: { index: 0, isDismissed: false },
  showsKeys: false,
  armed: undefined,
  asking: undefined,
  picker: undefined,
  typedAt: Number.NEGATIVE_INFINITY,
};

/** What the keys ask of the world. */
export type Effect =
  | { readonly type: "submit"; readonly text: string; readonly remembered: string }
  | { readonly type: "interrupt" }
  | { readonly type: "leave" }
  | { readonly type: "mode"; readonly mode: PermissionMode }
  | { readonly type: "reply"; readonly id: string; readonly reply: Reply };

export type Completion = { readonly name: string; readonly summary: string; readonly argumentHint: string };

/** What the keys need to know of the world. */
export type UiContext = {
  readonly isBusy: boolean;
  readonly nowMs: number;
  /** Columns of the prompt's text. */
  readonly columns: number;
  readonly commands: readonly Completion[];
  readonly mode: PermissionMode;
  readonly modes: readonly PermissionMode[];
  /** How far the preview of the question can be scrolled. */
  readonly maxScroll: number;
};

export type Handled = { readonly ui: Ui; readonly effects: readonly Effect[] };

export function stay(ui: Ui): Handled {
  return { ui, effects: [] };
}
