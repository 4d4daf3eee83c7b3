import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { RewindFile, RewindPreview, RewindResult, RewindScope } from "../contracts/checkpoint.ts";

/** A list of files is limited to this number of lines. */
const MOST_FILES = 12;
const MAX_PATH_COLUMNS = 200;
const SIGNS = { created: "+", changed: "~", deleted: "−" } as const;

/** `3 files +10 −2`; empty if nothing changed. */
export function changedAmount(files: readonly RewindFile[]): string {
  if (files.length === 0) return "";
  const sum = (side: "added" | "removed") => files.reduce((total, file) => total + (file[side] ?? 0), 0);
  return `${plural(files.length, "file")} +${sum("added")} −${sum("removed")}`;
}

type Shown = (path: string) => string;

/** `~ src/a.ts +3 −1`. @param shown The path as a person reads it. */
export function fileRow({ path, status, added, removed }: RewindFile, shown: Shown): string {
  const lines = added === undefined || removed === undefined ? "" : ` +${added} −${removed}`;
  return `${SIGNS[status]} ${oneLine(shown(path), MAX_PATH_COLUMNS)}${lines}`;
}

type Preview = Pick<RewindPreview, "restores" | "deletes" | "conflicts"> & Partial<RewindPreview>;

/** What a rewind of the files would do, in lines for the person. */
export function previewLines(preview: Preview, shown: Shown): readonly string[] {
  const row = (file: RewindFile) => fileRow(file, shown);
  const { restores, deletes, conflicts, notUndone = [], notCovered = [], stops = [] } = preview;
  return [
    ...section("Restores", restores.map(row)),
    ...section("Deletes", deletes.map(row)),
    ...section(
      "Conflicts (your file stays unless you decide otherwise)",
      conflicts.map((one) => `${row(one)}: ${one.reason}`),
    ),
    ...section("Ends first", stops),
    ...section("Not undone", notUndone),
    ...section("Not covered", notCovered),
  ];
}

/** The end of a rewind or a redo, in lines for the person. */
export function resultLines(result: RewindResult, did: RewindScope | "redo", shown: Shown): readonly string[] {
  const { restored, deleted, kept, notUndone, stopped = [] } = result;
  const parts = [
    ...(did === "both" || did === "conversation" ? ["the conversation is back"] : []),
    ...(restored.length > 0 ? [`${plural(restored.length, "file")} restored`] : []),
    ...(deleted.length > 0 ? [`${plural(deleted.length, "file")} deleted`] : []),
  ];
  const done = parts.length === 0 ? "nothing had to change" : parts.join(", ");
  const undo = did === "redo" || parts.length === 0 ? "" : " /redo takes it back.";
  return [
    `${did === "redo" ? "Rewind taken back" : "Rewound"}: ${done}.${undo}`,
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
  const left = rows.length - MOST_FILES;
  return [
    `${title}:`,
    ...rows.slice(0, MOST_FILES).map((row) => `  ${row}`),
    ...(left > 0 ? [`  … ${left} more`] : []),
  ];
}
