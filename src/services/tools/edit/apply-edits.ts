import { plural } from "@quoll/terminal-text/plural";
import type { ParseError } from "jsonc-parser/lib/esm/main.js";
import { splitAdvice, withAdvice } from "../../../contracts/advice.ts";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { isJson } from "../../../contracts/parsed-json.ts";
import { count } from "../target-file.ts";
import { findChange, type Replacement } from "./find-change.ts";
import { lineAt, toLf } from "./line-ends.ts";
import { nearestMatch } from "./nearest-match.ts";

const MAX_NAMED_LINES = 10;
/** Of one call; the edits behind them are not checked. */
const MAX_REPORTED_FAILURES = 5;
const LOOK_AGAIN = "Read the file again, or Grep for the place.";
const USE_CELL_TOOL = "Change the source of a cell with NotebookEdit; Edit sees the JSON of the file.";
/** A shorter text matches by chance. */
const MIN_TELLING_CHARS = 4;

export type Edit = { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean };

export type Applied = {
  readonly text: string;
  readonly replacements: number;
  /** The corrections that were made, each named once. */
  readonly corrections: readonly string[];
};

/** `shown`: the file's name for messages. `hasCellTool`: the model has a tool that changes the cells of a notebook. */
export type EditedFile = { readonly shown: string; readonly hasCellTool?: boolean };

/**
 * Applies changes in order, each to the result of the previous one: all of them or none.
 * @throws {ToolFailedError} changes have no effect, are not found or are not unique; the message says which and what to do.
 */
export function applyEdits(text: string, edits: readonly Edit[], file: EditedFile): Applied {
  let current = text;
  let replacements = 0;
  const corrections = new Set<string>();
  const failures: Failure[] = [];
  const unmade: Edit[] = [];
  for (const [index, edit] of edits.entries()) {
    if (unmade.some((earlier) => buildsOn(edit, earlier))) {
      unmade.push(edit);
      continue;
    }
    try {
      const applied = applyEdit(current, edit, file);
      current = applied.text;
      replacements += applied.replacements;
      for (const name of applied.corrections) corrections.add(name);
    } catch (error) {
      if (!(error instanceof ToolFailedError) || edits.length === 1) throw error;
      unmade.push(edit);
      failures.push({ number: index + 1, error });
      if (failures.length === MAX_REPORTED_FAILURES) break;
    }
  }
  if (failures.length > 0) throw failed(failures, edits.length);
  if (current === text) throw new ToolFailedError(`This would not change ${file.shown}: nothing was written.`);
  return { text: current, replacements, corrections: [...corrections] };
}

type Failure = { readonly number: number; readonly error: ToolFailedError };

/** True if an edit needs a line that an edit which was not made would have written: it can't be judged without that line. */
function buildsOn({ oldString }: Edit, unmade: Edit): boolean {
  const isNew = (line: string) => unmade.newString.includes(line) && !unmade.oldString.includes(line);
  return oldString.split("\n").some((line) => line.trim().length >= MIN_TELLING_CHARS && isNew(line.trim()));
}

/** All failures in one message, because each message costs the model a step; advice that they share is said once. */
function failed(failures: readonly Failure[], total: number): ToolFailedError {
  const [first] = failures;
  const cause = first?.error;
  if (failures.length === 1)
    return new ToolFailedError(`Edit ${first?.number} of ${total} failed, so none was made: ${cause?.message}`, {
      cause,
    });
  const parts = failures.map(({ number, error }) => ({ number, ...splitAdvice(error.message) }));
  const last = failures.at(-1)?.number ?? total;
  const isCut = failures.length === MAX_REPORTED_FAILURES && last < total;
  const facts = [
    `${failures.length} of ${total} edits failed, so none was made.`,
    ...parts.map(({ number, facts }) => `Edit ${number}: ${facts}`),
    ...(isCut ? [`The edits after ${last} were not checked.`] : []),
  ].join("\n");
  const advice = [...new Set(parts.flatMap((part) => part.advice ?? []))].join(" ");
  return new ToolFailedError(advice === "" ? facts : withAdvice(facts, advice), { cause });
}

function applyEdit(text: string, edit: Edit, file: EditedFile): Applied {
  const { oldString, newString, replaceAll } = edit;
  if (oldString === newString) throw new ToolFailedError("old_string and new_string are the same: nothing to change.");
  if (oldString === "") return filled(text, newString, file.shown);
  const found = findChange(text, { oldText: oldString, newText: newString });
  if (!found) throw notFound(text, edit, file);
  const { places, corrections } = found;
  if (places.length > 1 && !replaceAll) throw notUnique(text, places, file.shown);
  return { text: replaced(text, places), replacements: places.length, corrections };
}

function filled(text: string, newString: string, shown: string): Applied {
  if (text !== "") {
    throw new ToolFailedError(
      `old_string is empty, which only creates a missing file or fills an empty one, and ${shown} has text. Give the text to replace; to add some, repeat an adjacent line.`,
    );
  }
  return { text: newString, replacements: 1, corrections: [] };
}

function replaced(text: string, places: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const place of places) {
    parts.push(text.slice(at, place.start), place.text);
    at = place.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

function notUnique(text: string, places: readonly Replacement[], shown: string): ToolFailedError {
  const lines = places.slice(0, MAX_NAMED_LINES).map(({ start }) => lineAt(text, start));
  const more = places.length > lines.length ? " …" : "";
  return new ToolFailedError(
    withAdvice(
      `old_string occurs ${count(places.length)} times in ${shown}, in lines ${lines.join(", ")}${more}.`,
      "Add lines around it so that it is one place, or set replace_all.",
    ),
  );
}

function notFound(text: string, { oldString, newString }: Edit, file: EditedFile): ToolFailedError {
  const { shown, hasCellTool = false } = file;
  const start = `old_string was not found in ${shown}`;
  if (text === "") return new ToolFailedError(`${start}, which is empty. Fill it with an empty old_string.`);
  const plain = toLf(text);
  const wanted = toLf(newString);
  const present = wanted.trim().length >= MIN_TELLING_CHARS ? plain.indexOf(wanted) : -1;
  if (present !== -1) {
    return new ToolFailedError(
      withAdvice(
        `${start}, but new_string is there already, at line ${lineAt(plain, present)}: this change seems to be made.`,
        "Go on, or read the file if you doubt it.",
      ),
    );
  }
  // A line of a notebook is a JSON string: quoted once more, nobody could read its escapes. A byte without a letter is an
  // unpaired surrogate here, which Read shows as �.
  const nearest = nearestMatch(text.toWellFormed(), oldString, { quotesLines: !isNotebook(shown) });
  const stray =
    !text.isWellFormed() && oldString.includes("\ufffd")
      ? "\n\ufffd stands for a byte that is not text: leave the \ufffd out of old_string."
      : "";
  const found = `${start}. ${nearest}${stray}`;
  if (!nearest) {
    const missing = `${start}, and nothing in its ${plural(plain.split("\n").length, "line")} is like it.`;
    return new ToolFailedError(withAdvice(missing, isNotebook(shown) && hasCellTool ? USE_CELL_TOOL : LOOK_AGAIN));
  }
  if (!isNotebook(shown)) return new ToolFailedError(found);
  return new ToolFailedError(
    withAdvice(found, hasCellTool ? USE_CELL_TOOL : "Copy the lines of JSON as they are here."),
  );
}

/** True for a Jupyter notebook, whose lines of source are strings of JSON. */
export function isNotebook(path: string): boolean {
  return path.endsWith(".ipynb");
}

/** @returns the number of the first line that is not valid JSON; undefined if `after` is valid, or `before` was not. */
export async function brokenJsonLine(before: string, after: string): Promise<number | undefined> {
  if (isJson(after) || !isJson(before)) return undefined;
  const { parse } = await import("jsonc-parser/lib/esm/main.js");
  const errors: ParseError[] = [];
  parse(after, errors, { disallowComments: true });
  return lineAt(after, errors[0]?.offset ?? 0);
}
