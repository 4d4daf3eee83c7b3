import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { assertNotCleared } from "../../../contracts/cleared-input.ts";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import type { Encoding } from "../../../contracts/files.ts";
import type { Redactor } from "../../../contracts/ports.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { commonEnds, splitLines, type TextDiff } from "../../../platform/diff-hunks.ts";
import { decode, detectText, encode, UTF_8 } from "../../../platform/files/encoding.ts";
import { refuseReadOnly } from "../../../platform/files/write-file.ts";
import { changedLines } from "../changed-lines.ts";
import {
  type KnownDeps,
  knownState,
  type LoadedFile,
  loadKnown,
  MAX_WRITTEN_BYTES,
  refuseUnread,
} from "../known-file.ts";
import { notebookEditSpec } from "../notebook-edit/spec.ts";
import type { KnownState, ReadTracker } from "../read-tracker.ts";
import { type RedactorDep, refuseSecrets, withPlaceholders, withSecrets } from "../restore-secrets.ts";
import { shownDiff } from "../shown-diff.ts";
import { count, type PathDeps, resolveTarget, subjectOf, type Target, withMachineNote } from "../target-file.ts";
import { type Applied, applyEdits, brokenJsonLine, type Edit, type EditedFile, isNotebook } from "./apply-edits.ts";
import { linesAfter, refuseUnseen } from "./seen-lines.ts";
import { editSpec } from "./spec.ts";

const oldString = z.string();
const replaceAll = z.boolean().optional();

export const editInput = z.object({
  file_path: z.string().min(1),
  old_string: oldString.optional(),
  new_string: z.string().optional(),
  replace_all: replaceAll.describe("Every occurrence, not one"),
  edits: z
    .array(z.object({ old_string: oldString, new_string: z.string(), replace_all: replaceAll }))
    .optional()
    .describe("Instead of the three above"),
});

export type EditDeps = Pick<PathDeps, "home" | "temporary"> & RedactorDep & { readonly tracker: ReadTracker };

/** A change that is planned but not written. `old` is undefined for a new file. */
type Plan = {
  readonly old: LoadedFile | undefined;
  readonly before: string;
  readonly applied: Applied;
  readonly bytes: Buffer;
  readonly shown: TextDiff;
};

/** The inputs of a plan. */
type Planning = KnownDeps & {
  readonly target: Target;
  readonly edited: EditedFile;
  readonly edits: readonly Edit[];
  readonly redactor: Redactor | undefined;
};

export const editTool = ({ home, temporary, tracker, redactor: load, refusesSecrets }: EditDeps) =>
  defineTool(editSpec, editInput, async (input, { cwd, signal, files, hasTool }) => {
    const sent = editsOf(input);
    assertNotCleared(...sent.flatMap(({ oldString, newString }) => [oldString, newString]));
    const target = await resolveTarget(input.file_path, { cwd, home, temporary });
    const redactor = await load?.();
    const edits = await Promise.all(sent.map((edit) => withItsSecrets(edit, target, redactor)));
    const edited = { shown: target.shown, hasCellTool: hasTool(notebookEditSpec.name) };
    const planning = { target, edited, edits, tracker, files, redactor, signal };
    const plan = await makePlan(planning);
    refuseSecrets(plan.applied.text, target.path, { redactor, refusesSecrets });
    const takeHunks = hunkTaker(input.file_path, plan, planning);
    return {
      level: "write",
      concurrencySafe: false,
      subjects: [subjectOf("write", target)],
      title: target.shown,
      preview: { kind: "diff", path: target.shown, isNew: !plan.old, hunks: plan.shown.diff.hunks },
      ...(takeHunks && { takeHunks }),
      run: async () => {
        // An earlier call may have changed the file since: the change is applied to the current content, if the model knows it.
        const now = await makePlan(planning);
        const stamp = await files.write({ path: target.path, bytes: now.bytes, expected: now.old?.stamp, signal });
        const state = knownState(stamp, now.bytes);
        note(target, state, now, tracker);
        if (!now.old) tracker.created.add(target.path, stamp);
        const answered = answer(target, now, await jsonNote(target, now));
        return withMachineNote({ ...answered, ...(!now.old?.seenLines && tracker.factOf(target.path, state)) }, target);
      },
    };
  });

async function withItsSecrets(edit: Edit, { path }: Target, redactor: Redactor | undefined): Promise<Edit> {
  const [oldString, newString] = await Promise.all([
    withSecrets(edit.oldString, path, redactor),
    withSecrets(edit.newString, path, redactor),
  ]);
  return { ...edit, oldString, newString };
}

/** Builds inputs for parts of a change, if it has separable parts. */
function hunkTaker(filePath: string, { old, before, shown }: Plan, { target, edited, redactor }: Planning) {
  const { diff, take } = shown;
  // Invalid bytes are unpaired surrogates in the text, which no input can contain.
  if (!old || !take || diff.hunks.length < 2 || !before.isWellFormed()) return undefined;
  return (indices: readonly number[]): Readonly<Record<string, unknown>> => {
    const after = take(indices);
    const { oldText, newText } = uniqueReplacement(before, after);
    const edit = { oldString: oldText, newString: newText, replaceAll: false };
    if (applyEdits(before, [edit], edited).text !== after) {
      throw new ToolFailedError(
        `${target.shown}: these changes depend on each other and can only be accepted together.`,
      );
    }
    return {
      file_path: filePath,
      old_string: withPlaceholders(oldText, before, redactor),
      new_string: withPlaceholders(newText, before, redactor),
    };
  };
}

/** Both forms of the input as one list. */
function editsOf(input: z.infer<typeof editInput>): readonly Edit[] {
  const { old_string, new_string, replace_all, edits } = input;
  const hasOne = old_string !== undefined || new_string !== undefined;
  if (edits && edits.length > 0) {
    // Some models fill every field: empty fields next to `edits` have no meaning.
    if (old_string || new_string) {
      throw new InvalidInputError("Give either old_string and new_string, or edits, not both.");
    }
    return edits.map((edit) => toEdit(edit.old_string, edit.new_string, edit.replace_all ?? replace_all));
  }
  if (!hasOne)
    throw new InvalidInputError("Nothing to change: give old_string and new_string, or edits with at least one.");
  if (old_string === undefined || new_string === undefined) {
    const missing = old_string === undefined ? "old_string" : "new_string";
    throw new InvalidInputError(
      `${missing} is missing. (An empty new_string deletes; an empty old_string creates a file.)`,
    );
  }
  return [toEdit(old_string, new_string, replace_all)];
}

function toEdit(oldString: string, newString: string, replaceAll: boolean | undefined): Edit {
  // An unpaired surrogate cannot be written; it would also be read as a byte that is not UTF-8.
  return { oldString: oldString.toWellFormed(), newString: newString.toWellFormed(), replaceAll: replaceAll ?? false };
}

async function makePlan(planning: Planning): Promise<Plan> {
  const { target, edited, edits, redactor } = planning;
  const old = await loadOld(target, edits, planning);
  const encoding = old ? await encodingOf(old, target) : UTF_8;
  const before = old ? decode(old.bytes, encoding) : "";
  const applied = old ? applyEdits(before, edits, edited) : createdBy(edits, edited);
  const bytes = encode(applied.text, encoding);
  if (bytes.length > MAX_WRITTEN_BYTES) {
    throw new ToolFailedError(`${target.shown} would grow to ${count(bytes.length)} bytes; 64 MiB is the most.`);
  }
  const shown = shownDiff(before, applied.text, redactor);
  if (old?.seenLines && shown.take) refuseUnseen(shown.diff.hunks, old.seenLines, target);
  else if (old) refuseUnread(target, old);
  return { old, before, applied, bytes, shown };
}

/** The model's current knowledge of the file. */
function note({ path }: Target, state: KnownState, { old, shown: { diff } }: Plan, tracker: ReadTracker): void {
  if (old?.seenLines) tracker.noteLines(path, state, linesAfter(diff.hunks, old.seenLines));
  else tracker.noteMade(path, state, "edit");
}

async function loadOld(target: Target, edits: readonly Edit[], deps: KnownDeps): Promise<LoadedFile | undefined> {
  const stamp = await deps.files.stamp(target.path);
  if (stamp?.kind === "folder") throw new ToolFailedError(`${target.shown} is a folder. Give the path of a file.`);
  if (!stamp) {
    if (edits[0]?.oldString === "") return undefined;
    throw new ToolFailedError(
      `${target.shown} does not exist. Check the path with Glob; to create it use Write, or an empty old_string.`,
    );
  }
  refuseReadOnly(target.path, stamp);
  return loadKnown(target, deps);
}

function createdBy(edits: readonly Edit[], edited: EditedFile): Applied {
  const [first, ...rest] = edits;
  const text = first?.newString ?? "";
  return rest.length === 0 ? { text, replacements: 1, corrections: [] } : applyEdits(text, rest, edited);
}

async function encodingOf({ bytes }: LoadedFile, target: Target): Promise<Encoding> {
  const encoding = await detectText(bytes);
  if (encoding !== "binary") return encoding;
  throw new ToolFailedError(`${target.shown} is binary; Edit changes text only. Use a program that knows its format.`);
}

async function jsonNote(target: Target, { before, applied }: Plan): Promise<string> {
  const line = isNotebook(target.path) ? await brokenJsonLine(before, applied.text) : undefined;
  return line === undefined ? "" : `\n[${target.shown} is no longer valid JSON: line ${line}]`;
}

function answer(target: Target, { old, applied, shown: { diff } }: Plan, note: string): ToolResult {
  const { replacements, corrections } = applied;
  const what = old ? `Edited ${target.shown} (${plural(replacements, "replacement")})` : `Created ${target.shown}`;
  const notes = corrections.length > 0 ? ` Corrected: ${corrections.join("; ")}.` : "";
  const lines = changedLines(diff.hunks);
  return textResult(`${what}.${notes}${lines === "" ? "" : `\n${lines}`}${note}`, {
    ...(old ? corrections.length > 0 && { wrote: "adapted" } : { wrote: "new" }),
    display: { kind: "diff", path: target.shown, isNew: !old, ...diff },
  });
}

/** Old text that occurs once in a file, and its replacement. */
export type UniqueReplacement = { readonly oldText: string; readonly newText: string };

/**
 * The single replacement that turns one text into another: the changed lines, with enough context to be
 * unique. The context is doubled in each step, so that a file of many similar lines costs little.
 */
export function uniqueReplacement(before: string, after: string): UniqueReplacement {
  const a = splitLines(before);
  const b = splitLines(after);
  const { head, tail } = commonEnds(a, b);
  for (let around = 1; ; around *= 2) {
    const from = Math.max(0, head - around);
    const left = Math.max(0, tail - around);
    const oldText = a.slice(from, a.length - left).join("");
    const isWhole = from === 0 && left === 0;
    if (isWhole || isOnlyAt(before, oldText, a.slice(0, from).join("").length)) {
      return { oldText, newText: b.slice(from, b.length - left).join("") };
    }
  }
}

function isOnlyAt(text: string, wanted: string, place: number): boolean {
  return wanted !== "" && text.indexOf(wanted) === place && text.indexOf(wanted, place + 1) === -1;
}
