import type { JsonObject } from "./message.ts";
import type { KnownContent } from "./result-facts.ts";

export type DiffLine = { readonly kind: "same" | "added" | "removed"; readonly text: string };
/** `oldStart` and `newStart` are 1-based line numbers. */
export type DiffHunk = { readonly oldStart: number; readonly newStart: number; readonly lines: readonly DiffLine[] };

/** The preview that a person sees before answering a question. */
export type Preview =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly description: string;
      readonly unclear: readonly string[];
    }
  | { readonly kind: "diff"; readonly path: string; readonly isNew: boolean; readonly hunks: readonly DiffHunk[] }
  | {
      readonly kind: "text";
      readonly text: string;
      /** A file that holds the text, which the person may edit before answering. */
      readonly file?: string;
    };

/** A state of a list's item; screens show it as a glyph. */
export type ListMark = "done" | "open" | "running" | "failed" | "warning" | "added" | "removed";
/** `note`: a secondary text, such as the host of a page. */
export type ListItem = { readonly text: string; readonly mark?: ListMark; readonly note?: string };
export type TableColumn = { readonly name: string; readonly align?: "right" };

/**
 * The content of a result as data, which each screen draws in its own way. `total`: the number of filled lines, items
 * or rows before the content was cut; absent if it is complete. `isInResult`: true if the result for the model says the same.
 */
export type ResultBody = { readonly isInResult?: true } & (
  | { readonly kind: "text"; readonly text: string; readonly total?: number }
  | { readonly kind: "list"; readonly items: readonly ListItem[]; readonly total?: number }
  | {
      readonly kind: "table";
      readonly columns: readonly TableColumn[];
      readonly rows: readonly (readonly string[])[];
      readonly total?: number;
    }
  | { readonly kind: "diff"; readonly path: string; readonly hunks: readonly DiffHunk[] }
);

/** The result of a call as the screen shows it, in addition to the text for the model. */
export type Display =
  | {
      readonly kind: "diff";
      readonly path: string;
      readonly isNew: boolean;
      readonly added: number;
      readonly removed: number;
      readonly hunks: readonly DiffHunk[];
      /** The lines are those of a notebook's cell, not of the file. */
      readonly isOfCell?: true;
    }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly exitCode: number | undefined;
      readonly signal: string | undefined;
      readonly timedOut: boolean;
      /** The last lines of output. */
      readonly tail: readonly string[];
      readonly totalLines: number;
      /** The id of the background task as which the command continues; absent for an ended command. */
      readonly taskId?: string;
      /** Where the command ran, if not in the sandbox as usual, and what was hidden from it: one line each. */
      readonly place?: readonly string[];
    }
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  | {
      readonly kind: "summary";
      readonly text: string;
      /** The result's content for a person, of which screens show the first lines; absent if the text says enough. */
      readonly body?: ResultBody;
      /** The number of the search's results; absent for other calls. */
      readonly count?: number;
      /** The result in the form of the Agent SDK's output types, for a program that drives Quoll. */
      readonly output?: JsonObject;
    };

export type Todo = {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly activeForm: string;
};

/** The changes that hooks made to files that a call had written. */
export type HookChanges = {
  /** A note for the model; undefined if nothing changed. */
  readonly note: string | undefined;
  /** The content of the call's only file as the hooks left it, if the note shows all of the change. */
  readonly knows?: KnownContent;
  /** Updates the result on the screen to the file as the hooks left it. */
  shown(display: Display): Display;
};

/** The progress of a running call for the screen: at most 10 updates a second. */
export type Progress = {
  readonly tail: readonly string[];
  readonly totalLines: number;
  readonly bytes: number;
  readonly elapsedMs: number;
};
