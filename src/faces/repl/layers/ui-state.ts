import type { ArgumentCompletion } from "../../../contracts/command.ts";
import type { QueueTime } from "../../../contracts/event.ts";
import type { FoundFile } from "../../../contracts/file-mention.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { Reply } from "../../../contracts/question.ts";
import type { CommandCompletion, MarkList, Mention, PickerList, TaskRequest } from "../../../protocol/session-port.ts";
import type { Transcript } from "../../../protocol/transcript/transcript.ts";
import { type Editor, emptyEditor } from "../editor/editor-state.ts";
import { emptyHistory, type History } from "../editor/history.ts";
import type { HistorySearch } from "../editor/history-search.ts";
import type { Pastes } from "../editor/pastes.ts";
import type { PressVim } from "../editor/vim/press-vim.ts";
import type { VimState } from "../editor/vim/vim-state.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import type { Keymap } from "../keymap/keymap.ts";
import type { RowQuestions } from "../tasks/row-questions.ts";
import type { ShownTask } from "../tasks/shown-tasks.ts";
import type { Asking, Choosing } from "./open-question.ts";

/** An input as it is shown; `pastes` contains its large pastes. */
export type Draft = { readonly shown: string; readonly pastes: Pastes };

/** An input in the session's queue. */
export type Waiting = Draft & { readonly id: string; readonly when: QueueTime };

/** The measurements of the drawn preview or list that the handling of keys needs. */
export type PreviewView = {
  /** The first shown line. */
  readonly from: number;
  /** The furthest scroll position, in lines. */
  readonly maxScroll: number;
  /** Lines of a preview, or choices of a list, that are shown at once: a page. */
  readonly rows: number;
  /** The line of each hunk's header, if hunks can be selected. */
  readonly anchors: readonly number[];
  /** False if the window is too small to read the question: no yes is accepted then. */
  readonly isReadable: boolean;
  /** False while a part of the command, or of the change, is not visible: no yes is preselected then. */
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

/** The position in a list that led to another list; the list reopens there. */
export type PickerPlace = {
  readonly title: string;
  readonly filter: string;
  readonly index: number;
  readonly input: string | undefined;
};

/** A list to choose from; typing filters the list by its labels, unless it is a yes-or-no list. */
export type Picker = PickerList & {
  /** The index among the choices that match the filter. */
  readonly index: number;
  readonly filter: string;
};

/** A list of parts to mark. */
export type Marking = MarkList & {
  /** The index of the row with the cursor. */
  readonly index: number;
  /** False before the first move: the lines above the list are then shown. */
  readonly isMoved: boolean;
  /** The mark of each row by its id. */
  readonly marks: Readonly<Record<string, string>>;
  /** The marks were sent. The list stays open below the command's question, so that Esc returns to it. */
  readonly isSent: boolean;
};

/** A form field being typed. */
export type FieldInput = {
  readonly title: string;
  readonly text: string;
  readonly isShown?: boolean;
  readonly canBeEmpty?: boolean;
  readonly hasMore?: boolean;
  readonly canSuggest?: boolean;
  /** The reason why the last value could not be used. */
  readonly problem?: string;
  /** The command that Esc types. */
  readonly back?: string;
  /** The task of the agent that gets the text; absent for a field of a command. */
  readonly taskId?: string;
  /** Values that continue `text`, which may be older than the typed text. */
  readonly suggestions?: { readonly text: string; readonly values: readonly string[] };
  /** The index of the selected suggestion. */
  readonly mark?: number;
};

/** A text to scroll through, from line `scroll`; a scroll position beyond the end follows the end. */
export type TextView = {
  readonly title: string;
  readonly lines: readonly string[];
  readonly scroll: number;
  /** The task whose output is shown. */
  readonly taskId?: string;
  /** The conversation of a watched agent, shown in place of `lines`. */
  readonly transcript?: Transcript;
};

/** The part of the open transcript's state that the handling of keys needs. */
export type ViewerState = {
  /** True while the person types words to search for. */
  readonly isSearching: boolean;
  readonly showsKeys: boolean;
  /** If absent, the conversation is shown. */
  readonly shown?: {
    readonly title: string;
    readonly transcript: Transcript;
    /** The same content as text, for a terminal without an alternate screen. */
    readonly lines: readonly string[];
    /** The command that closing types. */
    readonly back?: string;
    /** The commands that take the changes back, by the id of their rows; absent if none can be taken back. */
    readonly takeBack?: ReadonlyMap<string, string>;
    /** One line about what a command did just now. */
    readonly said?: string;
  };
};

/** The box that captures the new keys of an action. */
export type KeyCapture = {
  readonly title: string;
  /** The context in words. */
  readonly where: string;
  /** The keys so far. */
  readonly pressed: readonly string[];
  /** The command that Esc types. */
  readonly back: string;
  /** The command that saves the keys. */
  inputOf(keys: string): string;
  /** The reason why the keys can't be used, or the bindings that they would override. */
  check(keys: string): { readonly problem: string | undefined; readonly notes: readonly string[] };
};

/** The effect of the next press of a key; any other key cancels it. The status line says it. */
export type Armed = {
  /** The key, or the keys of a chord. */
  readonly by: string;
  readonly does: "leave" | "clear" | "rewind" | "stop_agents" | "drop" | "nothing";
  /** `ctrl+c again to leave` */
  readonly says: string;
  /** How many characters at the beginning of the draft `drop` removes. */
  readonly chars?: number;
  /** Monotonic milliseconds. */
  readonly until: number;
};

/** All state that keys change. */
export type Ui = {
  readonly editor: Editor;
  readonly pastes: Pastes;
  readonly history: History;
  /** The open search of the history. */
  readonly search: HistorySearch | undefined;
  /** The state of the vim keys; undefined while the prompt has shell keys. */
  readonly vim: VimState | undefined;
  /** The stashed draft. */
  readonly stash: string | undefined;
  /** A prompt that was refused, cancelled or rewound, as it came back into the empty editor. */
  readonly returned: string | undefined;
  /** The first inputs of the session's queue, in the order in which they begin. */
  readonly queue: readonly Waiting[];
  /** The number of further waiting inputs that are not listed. */
  readonly unlisted: number;
  /** `isMoved`: the person moved the mark in the list. */
  readonly completion: { readonly index: number; readonly isDismissed: boolean; readonly isMoved?: true };
  readonly showsKeys: boolean;
  /** True if only the current step of the list of steps is shown. */
  readonly foldsTodos: boolean;
  /** The shown page of the list of keys, if it has several. */
  readonly keysPage: number;
  readonly armed: Armed | undefined;
  /** The first keys of a chord. `until`: monotonic milliseconds. `next`: the keys that can follow. */
  readonly chord: { readonly keys: string; readonly next: readonly string[]; readonly until: number } | undefined;
  readonly asking: Asking | Choosing | undefined;
  /** The questions in the rows of agents that the person left without an answer. */
  readonly setAside: readonly Choosing[];
  readonly picker: Picker | undefined;
  readonly capture: KeyCapture | undefined;
  /** The lists that led to the current list, newest last. A typed command clears this history. */
  readonly pickerPlaces: readonly PickerPlace[];
  readonly marking: Marking | undefined;
  /** The current form field; its characters are hidden unless the field specifies otherwise. */
  readonly hidden: FieldInput | undefined;
  readonly view: TextView | undefined;
  /** The open transcript on the alternate screen. */
  readonly viewer: ViewerState | undefined;
  /** The id of the selected task while the person is in the strip of tasks. */
  readonly strip: string | undefined;
  /** Monotonic milliseconds of the last key that changed the prompt. */
  readonly typedAt: number;
  /** Monotonic milliseconds of the last Enter that sent an input: an immediate second Enter answers no question. */
  readonly sentAt: number;
  /**
   * Monotonic milliseconds of the last answer, or of the last key in a command's list: a key that directly follows was
   * meant for that question or list.
   */
  readonly answeredAt: number;
  /**
   * Until this time a command's list, form or text takes no keys, because the person is typing. Monotonic milliseconds.
   */
  readonly heldUntil: number;
  /** Until this time keys do nothing, because a form disappeared while the person typed into it. Monotonic milliseconds. */
  readonly mutedUntil: number;
  /** Until this time a word such as `exit` leaves without a question. Monotonic milliseconds. */
  readonly exitAskedUntil: number;
};

export const emptyUi: Ui = {
  editor: emptyEditor,
  pastes: new Map(),
  history: emptyHistory,
  search: undefined,
  vim: undefined,
  stash: undefined,
  returned: undefined,
  queue: [],
  unlisted: 0,
  completion: { index: 0, isDismissed: false },
  showsKeys: false,
  keysPage: 0,
  armed: undefined,
  chord: undefined,
  asking: undefined,
  setAside: [],
  picker: undefined,
  capture: undefined,
  pickerPlaces: [],
  marking: undefined,
  hidden: undefined,
  view: undefined,
  foldsTodos: false,
  viewer: undefined,
  strip: undefined,
  typedAt: Number.NEGATIVE_INFINITY,
  sentAt: Number.NEGATIVE_INFINITY,
  answeredAt: Number.NEGATIVE_INFINITY,
  heldUntil: Number.NEGATIVE_INFINITY,
  mutedUntil: Number.NEGATIVE_INFINITY,
  exitAskedUntil: Number.NEGATIVE_INFINITY,
};

/** The text for the history. `keeps`: the pastes of its placeholders, which the history keeps beside it. */
type Remembered = { readonly remembered: string; readonly keeps?: Pastes };

/** The side effects that keys request. */
export type Effect =
  /** `draft`: the text as it was typed, with folded pastes. */
  | ({ readonly type: "submit"; readonly text: string; readonly draft?: Draft } & Remembered)
  /** An input that is sent during a running turn. */
  | ({
      readonly type: "enqueue";
      readonly when: Waiting["when"];
      readonly text: string;
    } & Draft &
      Remembered)
  /** Withdraws a waiting input into the prompt. */
  | { readonly type: "withdraw"; readonly id: string }
  /** Sends the inputs that remained in the queue after an interrupted turn. */
  | { readonly type: "take_queued" }
  /** The value of a form field; undefined when the person went back. */
  | { readonly type: "hidden"; readonly text: string | undefined }
  | { readonly type: "interrupt" }
  /** A key of the open transcript, or of a full screen. */
  | { readonly type: "viewer"; readonly does: KeyAction }
  /** Searches for text in the open transcript. */
  | { readonly type: "viewer_text"; readonly text: string }
  /** Prints the last folded result in full. */
  | { readonly type: "unfold" }
  | { readonly type: "leave" }
  /** Pastes the image of the clipboard, or those of the files that a pasted text names. */
  | { readonly type: "paste_image"; readonly files?: { readonly paths: readonly string[]; readonly text: string } }
  /** Suspends Quoll and returns to the shell. */
  | { readonly type: "suspend" }
  /** Redraws the screen after another program wrote into it. */
  | { readonly type: "redraw" }
  | { readonly type: "mode"; readonly mode: PermissionMode }
  | { readonly type: "answer"; readonly id: string; readonly reply: Reply }
  /** Opens a question that waits in the row of an agent; without `id`, the next question that must be answered. */
  | { readonly type: "question"; readonly id?: string }
  | TaskRequest
  /** Reads the history of all projects for the open search. */
  | { readonly type: "read_history" }
  /** Opens the draft in the person's editor. `text`: the draft with its pastes. */
  | { readonly type: "edit_draft"; readonly text: string }
  /** Opens the file of a question in the person's editor. */
  | { readonly type: "edit"; readonly id: string; readonly file: string };

/** `marks`: the indices of the typed letters in the name. `alias`: the other name of the command that was typed. */
export type Completion = CommandCompletion & { readonly marks?: readonly number[]; readonly alias?: string };

/** Facts that the handling of keys needs. */
export type UiContext = {
  readonly isBusy: boolean;
  /** True if the conversation is empty. */
  readonly isFresh?: boolean;
  /** True if the conversation was resumed, and no turn has run since. */
  readonly isResumed?: boolean;
  /** The tip about a key or a command that a long turn shows. */
  readonly tip?: string | undefined;
  /** True while the keys that stop a turn stop an operation of a command. */
  readonly isOperating?: boolean;
  /** True while a command that was typed with `!` runs. */
  readonly isShell?: boolean;
  /** True if the session continues without this screen. */
  readonly isDetachable?: boolean;
  /** The running turn was told to stop. */
  readonly isStopping: boolean;
  readonly nowMs: number;
  /** Columns of the prompt's text. */
  readonly columns: number;
  readonly commands: readonly Completion[];
  readonly mentions?: readonly Mention[];
  /** Mentions that continue `word`, which may be older than the typed word. */
  readonly suggested?: { readonly word: string; readonly mentions: readonly Mention[] };
  /** Files and folders for `typed`, which may be older than the typed text. */
  readonly files?: { readonly typed: string; readonly found: readonly FoundFile[]; readonly note?: string };
  /** Arguments for the prompt `text`, which may be older than the typed text. */
  readonly offered?: { readonly text: string; readonly found: readonly ArgumentCompletion[] };
  readonly mode: PermissionMode;
  readonly modes: readonly PermissionMode[];
  readonly preview: PreviewView;
  /** True if an editor for files is available. */
  readonly canEdit: boolean;
  /** The number of questions that must be answered, including the shown question. */
  readonly questionCount: number;
  readonly keymap: Keymap;
  /** False if the history must not complete the draft. */
  readonly hasGhost?: boolean;
  /** The vim keys, once their code is loaded. */
  readonly pressVim?: PressVim;
  /** The tasks of the strip. */
  readonly tasks?: readonly ShownTask[];
  /** The questions that wait in the rows of the strip. */
  readonly rowQuestions?: RowQuestions;
  /** The ids of the calls whose commands are running. */
  readonly commandCalls?: readonly string[];
};

export type Handled = { readonly ui: Ui; readonly effects: readonly Effect[] };

export function stay(ui: Ui): Handled {
  return { ui, effects: [] };
}

/** Runs a command as if it were typed, but the history does not keep it; without one, only the state changes. */
export function running(ui: Ui, text: string | undefined): Handled {
  return { ui, effects: text === undefined ? [] : [{ type: "submit", text, remembered: "" }] };
}
