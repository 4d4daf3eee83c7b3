import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type {
  FolderChanges,
  RedoResult,
  RewindFile,
  RewindPreview,
  RewindResult,
  RewindScope,
} from "../contracts/checkpoint.ts";
import { rewoundParts, rewoundPhrase } from "../contracts/rewound-parts.ts";
import { firstFew } from "../contracts/words.ts";

/** A list of files is limited to this number of lines. */
const MOST_FILES = 12;
const MAX_PATH_COLUMNS = 200;
const SIGNS = { created: "+", changed: "~", deleted: "−" } as const;

const NO_FOLDERS: FolderChanges = { restored: [], deleted: [] };

type Lines = { readonly added?: number; readonly removed?: number };

/** ` +3 −1`; a side without lines is left out. */
export function lineAmount({ added = 0, removed = 0 }: Lines): string {
  return `${added > 0 ? ` +${added}` : ""}${removed > 0 ? ` −${removed}` : ""}`;
}

/** `3 files +10 −2`; empty if nothing changed. */
export function changedAmount(files: readonly Lines[]): string {
  if (files.length === 0) return "";
  const sum = (side: "added" | "removed") => files.reduce((total, file) => total + (file[side] ?? 0), 0);
  return `${plural(files.length, "file")}${lineAmount({ added: sum("added"), removed: sum("removed") })}`;
}

type Shown = (path: string) => string;

/** `~ src/a.ts +3 −1`. @param shown The path as a person reads it. */
export function fileRow({ path, status, ...lines }: RewindFile, shown: Shown): string {
  return `${SIGNS[status]} ${oneLine(shown(path), MAX_PATH_COLUMNS)}${lineAmount(lines)}`;
}

/** True if a rewind would change nothing. */
export function isEmptyPreview({ restores, deletes, folders, conflicts }: RewindPreview): boolean {
  return restores.length + deletes.length + conflicts.length === 0 && folders === undefined;
}

type Preview = Pick<RewindPreview, "restores" | "deletes" | "conflicts"> & Partial<RewindPreview>;

/** The effects of a rewind of the files, in lines for the person. */
export function previewLines(preview: Preview, shown: Shown): readonly string[] {
  const row = (file: RewindFile) => fileRow(file, shown);
  const folderRow = (sign: string) => (path: string) => `${sign} ${oneLine(shown(path), MAX_PATH_COLUMNS)}/ (empty)`;
  const { restores, deletes, folders = NO_FOLDERS, conflicts, notUndone = [], notCovered = [], stops = [] } = preview;
  return [
    ...section("Restores", [...restores.map(row), ...folders.restored.map(folderRow(SIGNS.created))]),
    ...section("Deletes", [...deletes.map(row), ...folders.deleted.map(folderRow(SIGNS.deleted))]),
    ...section(
      "Conflicts (your file stays unless you decide otherwise)",
      conflicts.map((one) => `${row(one)}: ${one.reason}`),
    ),
    ...section("Ends first", stops),
    ...section("Not undone", notUndone),
    ...section("Not covered", notCovered),
  ];
}

/** The end of a rewind, in lines for the person. @param moment `before "fix the test"`. */
export function rewoundLines(
  result: RewindResult,
  { scope, moment }: { readonly scope: RewindScope; readonly moment: string },
  shown: Shown,
): readonly string[] {
  const parts = [...(scope === "files" ? [] : ["the conversation"]), ...rewoundParts(result)];
  const undo = parts.length === 0 ? "" : " /redo takes it back.";
  return [
    `Back ${moment}: ${parts.length === 0 ? "no file had to change" : parts.join(", ")}.${undo}`,
    ...restLines(result, shown),
  ];
}

/** The end of the restore of a backup, in lines for the person. @param redo The command that takes it back. */
export function restoredLines(
  result: RewindResult,
  { id, redo }: { readonly id: string; readonly redo: string },
  shown: Shown,
): readonly string[] {
  const undo = rewoundParts(result).length === 0 ? "" : ` ${redo} takes it back.`;
  const what = `${rewoundPhrase(result)}.${undo}`;
  return [`Backup ${id}: ${what}`, ...restLines(result, shown)];
}

/** The end of a restore that the end of a process had interrupted. */
export function finishedLines(result: RewindResult, shown: Shown): readonly string[] {
  return [`A restore was interrupted; it is finished now: ${rewoundPhrase(result)}.`, ...restLines(result, shown)];
}

const REDONE = { rewind: "Rewind taken back", backup: "Restore taken back", change: "The change is back" } as const;

/** The end of a redo, in lines for the person. */
export function redoneLines(result: RedoResult, shown: Shown): readonly string[] {
  const parts = rewoundParts(result);
  const what = REDONE[result.of ?? "rewind"];
  return [`${what}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`, ...restLines(result, shown)];
}

function restLines({ kept, notUndone, stopped = [] }: RewindResult, shown: Shown): readonly string[] {
  return [
    ...section(
      "Left as they are",
      kept.map(({ path, reason }) => `${oneLine(shown(path), MAX_PATH_COLUMNS)}: ${reason}`),
    ),
    ...section("Ended", stopped),
    ...section("Not undone", notUndone),
  ];
}

function section(title: string, rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return [];
  return [`${title}:`, ...firstFew(rows, MOST_FILES, (count) => `… ${count} more`).map((row) => `  ${row}`)];
}
