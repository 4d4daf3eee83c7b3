import type { UserBlock } from "./message.ts";
import type { ChangeGroup } from "./session-changes.ts";
import type { ThemeChoice } from "./theme.ts";

/** One entry of a list to choose from; choosing it types `input`: `/resume 7c1e…`. An empty `input` closes the list. */
export type Choice = {
  readonly label: string;
  readonly detail: string;
  readonly input: string;
  /** The theme of the screen while the entry is selected. */
  readonly theme?: ThemeChoice;
  /** A second row below the label. If a choice of a list has it, each has two rows: the first ends with `brief`. */
  readonly second?: string;
  /**
   * An id that typing finds by its beginning only. Choices with ids are ranked while the person types: whole words of
   * the label come first.
   */
  readonly id?: string;
  /**
   * The name, then other names. If a choice of a list has it, choices are ranked while the person types: whole names,
   * beginnings of the name, parts of all names, then other texts.
   */
  readonly names?: readonly string[];
  /** Choosing it puts `input` into the prompt and sends nothing. */
  readonly isDraft?: true;
  /** A shorter text at the right, used if there is no room for `detail`. */
  readonly brief?: string;
  /** True for the current value: the list opens with this entry selected. */
  readonly isCurrent?: boolean;
  /** It can't be chosen now, only looked at: the list opens with another entry selected. */
  readonly isBlocked?: true;
  /** Lines about the choice, shown beside the list while it is selected, and searched by typing. */
  readonly about?: readonly string[];
  /** The inputs of shortcuts that have no input of their own, by letter or key. */
  readonly also?: Readonly<Record<string, string>>;
};

/** A choice of a list that marks the one in use. */
export function choiceInUse(label: string, input: string, inUse: string | undefined): Choice {
  return label === inUse ? { label, detail: "in use", input, isCurrent: true } : { label, detail: "", input };
}

/** More of a list that is open. */
export type GrownList = { readonly title: string; readonly choices: readonly Choice[] };

/** A row of a list of items that the person can mark. */
export type MarkRow = {
  readonly id: string;
  /**
   * At most 79 columns. The first four characters of a row with keys are blank: the cursor and the mark appear there.
   */
  readonly line: string;
  /** The mark that each key sets: `{ d: "drop" }`. A row without keys is a heading. */
  readonly keys: Readonly<Record<string, string>>;
};

/** A line to fill in. */
export type FormField = {
  readonly name: string;
  readonly label: string;
  /** True if the input is hidden while typed, and kept out of the transcript and the history. */
  readonly isSecret?: boolean;
  /** True if the field may stay empty. */
  readonly isOptional?: boolean;
  /** The initial text of the field. */
  readonly value?: string;
  /** The reason why the last value could not be used, in one line. */
  readonly problem?: string;
  /**
   * Suggests values that continue the typed text, the best first. `given`: the values of the preceding fields. Never
   * rejects. Absent for a field without suggestions.
   */
  suggest?(typed: string, given: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly string[]>;
};

/** The progress of an operation. */
export type OperationProgress = {
  readonly text: string;
  readonly done?: number;
  readonly total?: number;
};

/**
 * The result of a command. Every face handles every kind of result. All text is for the person; only the text of
 * `prompt` reaches the model. The `lines` of `choose` and `form` are for a face without lists and forms: they name the
 * argument to type.
 */
export type CommandResult =
  /** Lines for the transcript. A result without lines shows nothing. */
  | {
      readonly kind: "text";
      readonly lines: readonly string[];
      /** The last line of work that did not wholly succeed; without a screen, this line decides the exit code. */
      readonly problem?: CommandProblem;
      /** A text for the prompt's editor, in a face that has one. */
      readonly draft?: string;
    }
  /**
   * A list to choose from. `before` and `after`: lines around the notice, in every face; the transcript shows them
   * together.
   */
  | {
      readonly kind: "choose";
      readonly title: string;
      readonly choices: readonly Choice[];
      /**
       * Ctrl with the letter, or the named key (`delete`), types `input`; without `input`, the selected choice supplies
       * it.
       */
      readonly shortcuts?: readonly { readonly letter: string; readonly label: string; readonly input?: string }[];
      /** The words by which the list is filtered when it opens; the person can delete them. */
      readonly filter?: string;
      /** Esc types this command, which reopens the previous list. */
      readonly back?: string;
      /** The choices are yes and no: typed letters choose an answer and filter nothing. */
      readonly isYesNo?: true;
      /** The choices are steps from less to more, shown in a row: typed letters filter nothing. */
      readonly isScale?: true;
      readonly lines: readonly string[];
      readonly before?: readonly string[];
      readonly after?: readonly string[];
      /** True if `before` says everything about the command: the transcript does not repeat the typed line. */
      readonly isTold?: true;
      /**
       * All choices, for a list that opens before slow choices are known; they replace the first choices.
       * @param grow Shows more choices, and another title, in the meantime.
       */
      later?(signal: AbortSignal, grow: (more: GrownList) => void): Promise<readonly Choice[]>;
    }
  /**
   * A list of items to mark, below lines that describe the items. Keys mark the current row; Enter types `input`
   * followed by the marks: `/context drop 3 pin toolu_1`. Without marks, Enter closes the list unless `needsNoMark`.
   */
  | {
      readonly kind: "mark";
      readonly title: string;
      readonly lines: readonly string[];
      /** As many lines, for windows with at least `columns`, the widest first; `lines` need 79 columns. */
      readonly narrower?: readonly { readonly columns: number; readonly lines: readonly string[] }[];
      readonly rows: readonly MarkRow[];
      readonly input: string;
      /** The effect of Enter, for the list of keys: `goes back`. */
      readonly accepts: string;
      readonly needsNoMark?: true;
      /** Esc types this command, which reopens the previous list. */
      readonly back?: string;
    }
  /** Fields to fill in; `submit` gets their values by name. */
  | {
      readonly kind: "form";
      readonly title: string;
      readonly fields: readonly FormField[];
      readonly lines: readonly string[];
      /** Esc types this command, which reopens the previous list. */
      readonly back?: string;
      /** @throws {UserFacingError} (as a rejection) the values can't be used. */
      submit(values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<CommandResult>;
    }
  /** A prompt for the model. Only the typed command and its argument count as the person's own text. */
  | {
      readonly kind: "prompt";
      readonly prompt: string;
      readonly attachments?: readonly UserBlock[];
      /** The name of the skill that takes effect with this prompt. */
      readonly skill?: string;
      /** The command with the values of its form, as the transcript shows it; absent if the typed line is shown. */
      readonly typed?: string;
    }
  /** A long text for a separate screen, if the face has one; the transcript does not change. */
  | {
      readonly kind: "view";
      readonly title: string;
      readonly lines: readonly string[];
      /** True if the lines are Markdown written by the model. */
      readonly isMarkdown?: true;
    }
  /** Changes of files, for a separate screen. `lines`: the changes as plain text, for a face without that screen. */
  | {
      readonly kind: "changes";
      readonly title: string;
      readonly groups: readonly ChangeGroup[];
      /** Lines below the changes. */
      readonly notes: readonly string[];
      readonly lines: readonly string[];
      /** Closing the screen types this command, which reopens the previous list. */
      readonly back?: string;
      /**
       * One line about what the command did: for an open screen, and for the transcript, which does not repeat the
       * typed line.
       */
      readonly said?: string;
    }
  /** A file for the person's own editor. `lines` are for a face that can't open an editor in the terminal. */
  | {
      readonly kind: "edit";
      /** Absolute. */
      readonly file: string;
      readonly lines: readonly string[];
      /** Called when the editor was closed without a problem. */
      edited(signal: AbortSignal): Promise<CommandResult>;
    }
  /** A text for the person's clipboard. `lines` are for a face without access to a clipboard. */
  | {
      readonly kind: "copy";
      readonly text: string;
      /** Names the text in a line for the person: `Code block 2 (14 lines)`. */
      readonly what: string;
      readonly lines: readonly string[];
    }
  /** Long work that reports its progress and that the person may interrupt. */
  | {
      readonly kind: "operation";
      readonly title: string;
      /** True if nothing may come of it: a face of lines prints the title with the first progress. */
      readonly isLate?: true;
      /** The command as the transcript shows it; absent if the typed line is shown. */
      readonly typed?: string;
      /** The task of the agent, if an agent does the work; hooks may refuse it. */
      readonly prompt?: string;
      /**
       * Rejects with the abort reason after an interrupt.
       * @param context Text that hooks add to `prompt`.
       */
      run(report: (progress: OperationProgress) => void, signal: AbortSignal, context?: string): Promise<CommandResult>;
    };

/** `limit`: a budget was reached, and nothing failed. */
export type CommandProblem = { readonly reason: "failed" | "limit"; readonly message: string };

export type MarkResult = Extract<CommandResult, { readonly kind: "mark" }>;
export type ChooseResult = Extract<CommandResult, { readonly kind: "choose" }>;
export type OperationResult = Extract<CommandResult, { readonly kind: "operation" }>;
export type EditResult = Extract<CommandResult, { readonly kind: "edit" }>;
export type PromptResult = Extract<CommandResult, { readonly kind: "prompt" }>;
export type ViewResult = Extract<CommandResult, { readonly kind: "view" }>;
export type ChangesResult = Extract<CommandResult, { readonly kind: "changes" }>;
export type FormResult = Extract<CommandResult, { readonly kind: "form" }>;

/** Converts a result to text, for a face that has neither lists nor forms nor screens. */
export function linesOf(result: Exclude<CommandResult, { readonly kind: "prompt" | "operation" }>): readonly string[] {
  switch (result.kind) {
    case "choose":
      return [...(result.before ?? []), ...result.lines, ...(result.after ?? [])];
    case "view":
      return [result.title, ...result.lines];
    case "mark":
      return [result.title, ...result.lines, ...result.rows.map(({ line }) => line)];
    case "text":
      return result.problem ? [...result.lines, result.problem.message] : result.lines;
    case "changes":
      return [...(result.said === undefined ? [] : [result.said]), ...result.lines];
    default:
      return result.lines;
  }
}
