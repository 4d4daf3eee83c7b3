import type { ChooseResult } from "../../../contracts/command.ts";
import type { QueueTime } from "../../../contracts/event.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { Question, Reply } from "../../../contracts/question.ts";
import { type Editor, emptyEditor } from "../editor/editor-state.ts";
import { emptyHistory, type History } from "../editor/history.ts";
import type { Pastes } from "../editor/pastes.ts";
import type { Keymap } from "../keymap/keymap.ts";
import type { HunkMarks } from "./hunk-marks.ts";

/** What was entered, as it is shown; large pastes stand in `pastes`. */
export type Draft = { readonly shown: string; readonly pastes: Pastes };

/**
 * What waits for its time. A shell command waits here until nothing else does: the engine's queue holds only prompts. So do
 * words that came before the model's tools (`early`): the engine would begin with them at once.
 */
export type Waiting = Draft & { readonly id: string; readonly when: QueueTime | "shell" | "early" };

/** The question that is shown, and how far the person has got with it. */
export type Asking = {
  readonly question: Question;
  /** The key of one of `questionOptions`: where the cursor stands. */
  readonly choice: string;
  /** The person moved the cursor there. */
  readonly isMoved?: boolean;
  /** "All confined commands" was chosen: the answers are for how long. */
  readonly isChoosingTerm: boolean;
  /** First line of the preview that is shown. */
  readonly scroll: number;
  /** The words to the model, once "say why" was chosen. */
  readonly why: Editor | undefined;
  /** Those words while the person is back at the answers. */
  readonly keptWhy: Editor | undefined;
  /** Which parts of a change are taken; undefined where it has but one. */
  readonly marks: HunkMarks | undefined;
  /** The text of the preview as the person has edited it since. */
  readonly edited: string | undefined;
  /** Why the text could not be edited, in one line. */
  readonly problem: string | undefined;
  /** Until then no key is an answer: it was meant for something else. Monotonic milliseconds. */
  readonly guardedUntil: number;
  /**
   * What the person was typing when the question came: until `guardedUntil` they go on in the prompt. Of the reason for a no to
   * a question that is gone, Enter sends nothing: it was meant for that one.
   */
  readonly typing: "draft" | "reason" | undefined;
};

/** What the keys need to know of how the preview of a question was drawn. */
export type PreviewView = {
  /** The first line that is shown. */
  readonly from: number;
  /** How far it can be scrolled, in lines. */
  readonly maxScroll: number;
  /** Lines that are shown at once. */
  readonly rows: number;
  /** The line of each hunk's head, where hunks are marked. */
  readonly anchors: readonly number[];
  /** False when the window is too small for the question to be read: then no yes is taken. */
  readonly isReadable: boolean;
  /** False while a part of the command, or all of the change, is out of sight: then Enter stands on no yes. */
  readonly isSeen: boolean;
};

export const NO_PREVIEW: PreviewView = {
  from: 0,
  maxScroll: 0,
  rows: 1,
  anchors: [],
  isReadable: true,
  isSeen: true,
};

/** A list as a command offers it. */
export type PickerList = Pick<ChooseResult, "title" | "choices" | "shortcuts">;

/** A list to choose from; typing narrows it. */
export type Picker = PickerList & {
  /** Among those that fit the filter. */
  readonly index: number;
  readonly filter: string;
};

/** Everything that the keys change. */
export type Ui = {
  readonly editor: Editor;
  readonly pastes: Pastes;
  readonly history: History;
  /** Entered while a turn ran, as the engine tells it; the first goes first. */
  readonly queue: readonly Waiting[];
  /** How many wait behind those. */
  readonly unlisted: number;
  readonly completion: { readonly index: number; readonly isDismissed: boolean };
  readonly showsKeys: boolean;
  /** The page of the keys that is shown, where they need several. */
  readonly keysPage: number;
  /** A key that leaves when it is pressed again in time. */
  readonly armed: { readonly by: string; readonly until: number } | undefined;
  readonly asking: Asking | undefined;
  readonly picker: Picker | undefined;
  /** The field of a form that is open: typed unseen, unless it is shown. */
  readonly hidden: { readonly title: string; readonly text: string; readonly isShown?: boolean } | undefined;
  /** A text to scroll through, from line `scroll` on. */
  readonly view: { readonly title: string; readonly lines: readonly string[]; readonly scroll: number } | undefined;
  /** Monotonic milliseconds of the last key that changed the prompt. */
  readonly typedAt: number;
  /** Monotonic milliseconds of the Enter that sent something last: pressed again at once, it answers no question. */
  readonly sentAt: number;
  /** Monotonic milliseconds of the last answer: a key that follows at once was meant for that question. */
  readonly answeredAt: number;
};

export const emptyUi: Ui = {
  editor: emptyEditor,
  pastes: new Map(),
  history: emptyHistory,
  queue: [],
  unlisted: 0,
  completion: { index: 0, isDismissed: false },
  showsKeys: false,
  keysPage: 0,
  armed: undefined,
  asking: undefined,
  picker: undefined,
  hidden: undefined,
  view: undefined,
  typedAt: Number.NEGATIVE_INFINITY,
  sentAt: Number.NEGATIVE_INFINITY,
  answeredAt: Number.NEGATIVE_INFINITY,
};

/** What the keys ask of the world. */
export type Effect =
  | { readonly type: "submit"; readonly text: string; readonly remembered: string }
  /** Entered while a turn runs. */
  | ({
      readonly type: "enqueue";
      readonly when: Waiting["when"];
      readonly text: string;
      readonly remembered: string;
    } & Draft)
  /** Takes back what waits: into the prompt, or away. */
  | { readonly type: "withdraw"; readonly id: string; readonly edit: boolean }
  /** What stayed behind an interrupted turn goes on. */
  | { readonly type: "go_on" }
  /** A field of a form; undefined when the person went back. */
  | { readonly type: "hidden"; readonly text: string | undefined }
  | { readonly type: "interrupt" }
  /** Opens all of what the screen shows only in part. */
  | { readonly type: "open_folded" }
  | { readonly type: "leave" }
  /** Back to the shell, until it lets us go on. */
  | { readonly type: "suspend" }
  | { readonly type: "mode"; readonly mode: PermissionMode }
  | { readonly type: "reply"; readonly id: string; readonly reply: Reply }
  /** Opens the file behind a question in the person's editor. */
  | { readonly type: "edit"; readonly id: string; readonly file: string };

export type Completion = { readonly name: string; readonly summary: string; readonly argumentHint: string };

/** What the keys need to know of the world. */
export type UiContext = {
  readonly isBusy: boolean;
  /** A command is at work that can be interrupted. */
  readonly isOperating?: boolean;
  /** The running turn was told to stop. */
  readonly isStopping: boolean;
  readonly nowMs: number;
  /** Columns of the prompt's text. */
  readonly columns: number;
  readonly commands: readonly Completion[];
  readonly mode: PermissionMode;
  readonly modes: readonly PermissionMode[];
  readonly preview: PreviewView;
  /** Whether there is an editor to open files in. */
  readonly canEdit: boolean;
  /** How many questions wait, the one that is shown included. */
  readonly questionCount: number;
  readonly keymap: Keymap;
};

export type Handled = { readonly ui: Ui; readonly effects: readonly Effect[] };

export function stay(ui: Ui): Handled {
  return { ui, effects: [] };
}
