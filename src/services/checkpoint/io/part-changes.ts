import { isUtf8 } from "node:buffer";
import { plural } from "@quoll/terminal-text/plural";
import type { StoredChange, StoredEntry } from "../../../contracts/checkpoint.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { FilePart, PartedFile, TreeChanges } from "../../../contracts/session-changes.ts";
import { partedDiff, withoutPart } from "../../../platform/hunk-parts.ts";
import type { RewindPlan } from "../plan-rewind.ts";
import { isFolderChange } from "./apply-files.ts";
import type { FileCopies } from "./file-copies.ts";
import type { ObjectStore } from "./object-store.ts";

const MAX_DIFF_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 500;
/** Files whose contents are in memory at the same time. */
const AT_ONCE = 20;
const MAX_NAMED = 5;
const NEW_FILE_MODE = 0o644;

type Parts = { readonly objects: ObjectStore; readonly copies: FileCopies };

/** Changes as texts. @param shown The path as a person reads it. */
export async function changeTexts(
  changes: readonly StoredChange[],
  { objects, shown: shownPath }: Pick<Parts, "objects"> & { shown(path: string): string },
  signal: AbortSignal,
): Promise<TreeChanges> {
  const listed = changes.filter(({ before, after }) => !isFolderChange(before, after));
  const shown = listed.slice(0, MAX_FILES);
  const files: PartedFile[] = [];
  const others = new Map<string, string[]>();
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const some = shown.slice(at, at + AT_ONCE);
    const contents = await objects.readMany(some.flatMap(oidsOf), signal);
    for (const change of some) {
      const found = changeText(change, contents);
      const path = shownPath(change.path);
      if (typeof found !== "string") files.push({ ...found, path });
      else others.set(found, [...(others.get(found) ?? []), path]);
    }
  }
  const left = listed.length - shown.length;
  const notes = [...others].map(([kind, names]) => `${plural(names.length, "file")} ${kind}: ${namesOf(names)}`);
  return { files, notes: [...notes, ...(left > 0 ? [`${plural(left, "more file")} changed.`] : [])] };
}

/**
 * The change that takes one part of a file back; the present file is stored first.
 * @throws {UserFacingError} the file does not hold the part, or can't be stored.
 */
export async function planPart(
  { file: path, isNew, mode }: PartedFile,
  part: FilePart,
  { objects, copies }: Parts,
  signal: AbortSignal,
): Promise<RewindPlan> {
  const { copies: present, problems } = await copies.keep([path], signal);
  const now = present.get(path);
  if (now === undefined)
    throw new UserFacingError(`Nothing was changed: ${problems[0] ?? "the file can't be stored"}.`);
  const contents = await objects.readMany(oidsOf({ before: now, after: null }), signal);
  const text = now?.kind === "link" ? undefined : textOf(now, contents);
  const next = text === undefined ? undefined : withoutPart(text, part);
  if (next === undefined || next === text)
    throw new UserFacingError("Nothing was changed: the file no longer holds this change as it is shown.");
  const isGone = isNew && next === "";
  const oid = isGone ? "" : objects.write(Buffer.from(next));
  const after: StoredEntry | null = isGone ? null : { kind: "file", oid, mode: modeOf(now) ?? mode ?? NEW_FILE_MODE };
  const missing = new Set([...present].flatMap(([one, entry]) => (entry === null ? [one] : [])));
  return { files: [{ path, before: now, after }], conflicts: [], missing };
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** @returns what kind of file it is, if it has no text. */
function changeText(change: StoredChange, contents: ReadonlyMap<string, Buffer>): PartedFile | string {
  const { path, before, after } = change;
  const old = textOf(before, contents);
  const now = textOf(after, contents);
  if (old === undefined || now === undefined) return "without a text to compare";
  const diff = partedDiff(old, now);
  if (diff.hunks.length === 0) return emptyChange(change);
  const isLink = before?.kind === "link" || after?.kind === "link";
  const { parts, ...shown } = diff;
  const mode = modeOf(before);
  return {
    ...{ kind: "diff", path, file: path, isNew: before === null, ...shown },
    ...(after === null && { isDeleted: true }),
    ...(mode !== undefined && { mode }),
    ...(parts && !isLink && { parts }),
  };
}

function emptyChange({ before, after }: StoredChange): string {
  if (before === null) return "new and empty";
  return after === null ? "deleted, empty before" : "with other permissions";
}

function modeOf(entry: StoredEntry | null): number | undefined {
  return entry?.kind === "file" ? entry.mode : undefined;
}

function oidsOf({ before, after }: Pick<StoredChange, "before" | "after">): readonly string[] {
  return [before, after].flatMap((entry) => (entry === null || entry.kind === "folder" ? [] : [entry.oid]));
}

/** @returns undefined if there is no text. */
function textOf(entry: StoredEntry | null, contents: ReadonlyMap<string, Buffer>): string | undefined {
  if (entry === null) return "";
  const bytes = entry.kind === "folder" ? undefined : contents.get(entry.oid);
  if (!bytes || bytes.length > MAX_DIFF_BYTES || !isUtf8(bytes) || bytes.includes(0)) return undefined;
  return bytes.toString("utf8");
}
