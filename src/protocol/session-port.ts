import type { CallRecord } from "../contracts/call-record.ts";
import type { ArgumentCompletion, KeysRequest } from "../contracts/command.ts";
import type {
  ChangesResult,
  Choice,
  ChooseResult,
  MarkResult,
  OperationProgress,
  ViewResult,
} from "../contracts/command-result.ts";
import type { EngineState, UserInput } from "../contracts/engine.ts";
import type { EngineEvent, EventEnvelope, QueueTime, TurnReport } from "../contracts/event.ts";
import type { FoundFile } from "../contracts/file-mention.ts";
import type { PermissionMode } from "../contracts/permission-mode.ts";
import type { Question, Reply } from "../contracts/question.ts";
import type { StatusLineScreen } from "../contracts/status-line.ts";
import type { TaskReport } from "../contracts/task-control.ts";
import type { EditorMode } from "../contracts/terminal-settings.ts";
import type { ThemeChoice } from "../contracts/theme.ts";
import type { FaceRow, ScreenEvent } from "./transcript/transcript.ts";

/** The engine's state, as far as a screen needs it. */
export type SessionView = Omit<EngineState, "messages" | "usageByModel" | "spendBySource"> & {
  /** True if the conversation is empty. */
  readonly isEmpty: boolean;
};

/** A command's list of choices. */
export type PickerList = Omit<ChooseResult, "kind" | "lines" | "before" | "after" | "later">;

/** A command's list of items to mark. */
export type MarkList = Omit<MarkResult, "kind">;

/** A command for completion. */
export type CommandCompletion = {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly argumentHint: string;
  /** True if the session can be asked for the command's arguments. */
  readonly completes?: true;
  /** True if the command's argument is a folder. */
  readonly takesFolder?: true;
};

/** A part of a watched task's output: as in `TaskReport`, but with events in place of entries. */
export type TaskOutput =
  | Exclude<TaskReport, { readonly kind: "conversation" }>
  | { readonly kind: "conversation"; readonly events: readonly ScreenEvent[] };

/** Events of a session for a screen: plain JSON, so that the screen could be another process. */
export type SessionEvent =
  | { readonly type: "engine"; readonly event: EngineEvent }
  | { readonly type: "state"; readonly state: SessionView }
  /** A saved conversation that is shown again. `hiddenCount`: the number of older messages that it leaves out. */
  | { readonly type: "restored"; readonly events: readonly ScreenEvent[]; readonly hiddenCount: number }
  /** The older messages of that conversation; none if they can't be read. */
  | { readonly type: "history"; readonly events: readonly ScreenEvent[] }
  /** The events in the session's process before this screen was opened. */
  | { readonly type: "earlier"; readonly events: readonly EngineEvent[] }
  | { readonly type: "questions"; readonly pending: readonly Question[] }
  | { readonly type: "status"; readonly status: SessionStatus }
  /** The names of the servers that the model's tools wait for; empty when all are ready. */
  | { readonly type: "starting"; readonly names: readonly string[] }
  /** The names that a prompt can mention. `canContinue`: the session continues names with a `{`. */
  | { readonly type: "mentions"; readonly names: readonly Mention[]; readonly canContinue?: true }
  /** Mentions that continue `word`. */
  | { readonly type: "continued_mentions"; readonly word: string; readonly mentions: readonly Mention[] }
  /** Files for a mention that begins with `typed`; sent again whenever the results improve. `note`: what is left out. */
  | { readonly type: "files"; readonly typed: string; readonly found: readonly FoundFile[]; readonly note?: string }
  /** The prompt of a turn that ended before its answer began is no longer part of the conversation. */
  | { readonly type: "taken_back"; readonly input: UserInput }
  /** A text for the editor: a command went back to the moment before this prompt. */
  | { readonly type: "draft"; readonly text: string }
  /** The commands for completion. */
  | { readonly type: "commands"; readonly completions: readonly CommandCompletion[] }
  /** Lines of a command, or an error. */
  | { readonly type: "row"; readonly row: FaceRow }
  | { readonly type: "choose"; readonly list: PickerList }
  /** More choices of the list with the title `of`, which has the title `title` from now on. */
  | { readonly type: "choices"; readonly of: string; readonly title: string; readonly choices: readonly Choice[] }
  | { readonly type: "mark"; readonly list: MarkList }
  | {
      readonly type: "field";
      readonly title: string;
      readonly isShown: boolean;
      readonly canBeEmpty?: boolean;
      /** True if other fields of the form follow. */
      readonly hasMore?: boolean;
      /** The initial text of the field. */
      readonly value?: string;
      readonly problem?: string;
      /** The command that Esc types. */
      readonly back?: string;
      /** True if the screen asks for suggestions with `suggest`. */
      readonly canSuggest?: boolean;
    }
  /** Values for the current field that continue `text`. */
  | { readonly type: "suggestions"; readonly text: string; readonly values: readonly string[] }
  /** Arguments of the command that is being typed as `text`. */
  | { readonly type: "arguments"; readonly text: string; readonly found: readonly ArgumentCompletion[] }
  | ({ readonly type: "view" } & Omit<ViewResult, "kind">)
  | ({ readonly type: "changes" } & Omit<ChangesResult, "kind">)
  /** A part of the watched task's output. */
  | { readonly type: "task_output"; readonly id: string; readonly part: TaskOutput }
  /** The answer to `call`. */
  | { readonly type: "call_record"; readonly id: string; readonly record: CallRecord }
  /** A file to open in the person's editor; answered with `edited`. */
  | { readonly type: "edit"; readonly file: string }
  /** A text for the person's clipboard. `what`: its name. */
  | { readonly type: "copy"; readonly text: string; readonly what: string }
  /** The person chose the editing mode of the prompt. */
  | { readonly type: "editor_mode"; readonly mode: EditorMode }
  /** The screen shows its keys, or changes them. */
  | { readonly type: "keys"; readonly request: KeysRequest }
  /** The person chose the colours. */
  | { readonly type: "theme"; readonly theme: ThemeChoice }
  | { readonly type: "operation"; readonly title: string; readonly progress?: OperationProgress }
  | { readonly type: "operation_ended" }
  /** A command ends this screen, possibly to open another session. */
  | { readonly type: "leave"; readonly next?: NextSession };

/** The session to open next; undefined for a new one. */
export type NextSession = { readonly sessionId: string | undefined };

/** A person's request about a task. */
export type TaskRequest = TaskAction | TaskMessage;

/** A message for an agent; an agent that has ended continues with it. */
export type TaskMessage = {
  readonly type: "task";
  readonly does: "message";
  readonly id: string;
  readonly text: string;
};

export type TaskAction = {
  readonly type: "task";
  readonly does: "watch" | "unwatch" | "stop" | "background" | "release";
  /** The id of the task; for `release`, of the call that runs a command. */
  readonly id: string;
};

/** Commands of a screen to a session, also in plain JSON. */
export type SessionCommand =
  /** Starts a turn with the input, or steers the running turn. */
  | { readonly type: "submit"; readonly input: UserInput }
  /** Runs a shell command of the person: at once, or after everything else. */
  | { readonly type: "shell"; readonly command: string }
  | { readonly type: "enqueue"; readonly prompt: string; readonly when: QueueTime }
  /** Takes a queued input back to edit it. A receipt tells whether the input was still waiting. */
  | { readonly type: "withdraw"; readonly id: string }
  /** Begins the oldest queued input, if nothing runs. */
  | { readonly type: "start_queued" }
  /**
   * Interrupts the turn and the running commands, or only the commands. `isLast`: the screen closes, so it takes no
   * prompt back.
   */
  | { readonly type: "interrupt"; readonly what?: "commands"; readonly isLast?: true }
  /** Enters the first allowed mode of `modes`, from `wanted` on. */
  | { readonly type: "mode"; readonly wanted: PermissionMode; readonly modes: readonly PermissionMode[] }
  | { readonly type: "answer"; readonly id: string; readonly reply: Reply }
  /** A slash command; `text` is the typed line. */
  | { readonly type: "command"; readonly text: string; readonly name: string; readonly argument: string }
  | TaskRequest
  /** Asks for the whole result of an ended call, and for the calls of its agent; answered with `call_record`. */
  | { readonly type: "call"; readonly id: string }
  /** Asks for all entries of the saved conversation; answered with `history`. */
  | { readonly type: "history" }
  /** The value of the current field; absent when the person went back. */
  | { readonly type: "field"; readonly value?: string }
  /** Asks for values that continue the typed text of the current field; answered with `suggestions`, unless another text follows. */
  | { readonly type: "suggest"; readonly text: string }
  /** Asks for the arguments of the command `name` in the prompt `text`; answered with `arguments`, unless another text follows. */
  | { readonly type: "complete"; readonly text: string; readonly name: string; readonly typed: string }
  /** Asks for files that a mention can name; answered with `files`. Ends the previous search; absent: only that. */
  | { readonly type: "find_files"; readonly typed?: string }
  /** Asks for mentions that continue `word`; answered with `continued_mentions`, unless another word follows. */
  | { readonly type: "continue_mention"; readonly word: string }
  /** Facts of the screen, for the person's own lines. */
  | { readonly type: "look"; readonly screen: StatusLineScreen }
  /** The editor was closed; `problem` says why the file could not be edited. */
  | { readonly type: "edited"; readonly problem?: string };

/** Events of a session for a program, which draws no rows. */
export type ProgramEvent =
  /** An event of any agent. */
  | ({ readonly type: "engine" } & EventEnvelope)
  | Extract<SessionEvent, { readonly type: "operation" }>
  /** The turn or slash command of the input `id` begins. */
  | { readonly type: "begun"; readonly id: string }
  /** It has ended; the next input begins after this event. */
  | { readonly type: "answered"; readonly id: string; readonly report: TurnReport };

/** Commands of a program to a session. */
export type ProgramCommand =
  /**
   * Adds an input to the queue, or begins it if nothing runs. Its receipts have this id, which the program chooses.
   * `mayBeCommand`: a prompt that names a slash command runs it.
   */
  | {
      readonly type: "ask";
      readonly id: string;
      readonly input: UserInput;
      readonly when: QueueTime;
      readonly mayBeCommand: boolean;
    }
  | Extract<SessionCommand, { readonly type: "withdraw" | "start_queued" }>
  | { readonly type: "interrupt" };

/** A session as a screen sees it, or as a program does. */
export interface SessionPort<Command = SessionCommand, Event = SessionEvent> {
  send(command: Command): void;
  /** A screen gets the known state at once. @returns a function that removes the listener. */
  subscribe(listener: (event: Event) => void): () => void;
}

export type ProgramSession = SessionPort<ProgramCommand, ProgramEvent>;

/**
 * A mention for a prompt: `@docs:guide://install`. A name that contains a `{` is inserted up to it, and the person
 * types the rest.
 */
export type Mention = { readonly name: string; readonly summary: string };

/** The facts of a screen's status line in addition to the engine's state. */
export type SessionStatus = {
  /** The working folder; absolute. */
  readonly cwd: string;
  /** The folder as shown: `~/src/shop`. */
  readonly shownCwd: string;
  /** The confinement of commands, in a word or two: `sandbox`, `no sandbox`; absent while it is unknown. */
  readonly sandbox?: string;
  /** True if the settings demand the sandbox, so that `bypassPermissions` does not leave it either. */
  readonly isSandboxDemanded?: boolean;
  /** Short texts from extensions. */
  readonly texts: readonly string[];
  /** The person's own lines. */
  readonly ownLines: readonly string[];
};
