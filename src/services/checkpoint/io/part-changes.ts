import { plural } from "@quoll/terminal-text/plural";
import type { StoredChange, StoredEntry } from "../../../contracts/checkpoint.ts";
import { ToolFailedError, UserFacingError } from "../../../contracts/errors.ts";
import type { Encoding } from "../../../contracts/files.ts";
import type { FilePart, PartedFile, TreeChanges } from "../../../contracts/session-changes.ts";
import { partedDiff, withoutPart } from "../../../platform/diff-hunks.ts";
import { encode, UTF_8 } from "../../../platform/files/encoding.ts";
import { type ReadableText, readableText } from "../../../platform/files/readable-text.ts";
import { type UnshownKind, unshownNote } from "../../../platform/unshown-files.ts";
import type { RewindPlan } from "../plan-rewind.ts";
import { isFolderChange } from "./apply-files.ts";
import type { FileCopies } from "./file-copies.ts";
import type { ObjectStore } from "./object-store.ts";

const MAX_DIFF_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 500;
/** Files whose contents are in memory at the same time. */
const AT_ONCE = 20;
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
  const others = new Map<UnshownKind, string[]>();
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const some = shown.slice(at, at + AT_ONCE);
    const contents = await objects.readMany(some.flatMap(oidsOf), signal);
    for (const change of some) {
      const found = await changeText(change, contents);
      const path = shownPath(change.path);
      if (typeof found !== "string") files.push({ ...found, path });
      else others.set(found, [...(others.get(found) ?? []), path]);
    }
  }
  const left = listed.length - shown.length;
  const notes = [...others].flatMap(([kind, names]) => unshownNote(kind, names));
  return { files, notes: [...notes, ...(left > 0 ? [`${plural(left, "more file")} changed.`] : [])] };
}

/**
 * The change that takes one part of a file back; the present file is stored first.
 * @throws {UserFacingError} the file does not hold the part, or can't be stored.
 */
export async function planPart(
  { file: path, isNew, mode, encoding: earlier = UTF_8 }: PartedFile,
  part: FilePart,
  { objects, copies }: Parts,
  signal: AbortSignal,
): Promise<RewindPlan> {
  const { copies: present, problems } = await copies.keep([path], signal);
  const now = present.get(path);
  if (now === undefined)
    throw new UserFacingError(`Nothing was changed: ${problems[0] ?? "the file can't be stored"}.`);
  const contents = await objects.readMany(oidsOf({ before: now, after: null }), signal);
  const found = now?.kind === "link" ? undefined : await textOf(now, contents);
  const next = found && withoutPart(found.text, part);
  if (next === undefined || next === found?.text)
    throw new UserFacingError("Nothing was changed: the file no longer holds this change as it is shown.");
  const isGone = isNew && next === "";
  const oid = isGone ? "" : objects.write(encoded(next, found && now !== null ? found.encoding : earlier));
  const after: StoredEntry | null = isGone ? null : { kind: "file", oid, mode: modeOf(now) ?? mode ?? NEW_FILE_MODE };
  const missing = new Set([...present].flatMap(([one, entry]) => (entry === null ? [one] : [])));
  return { files: [{ path, before: now, after }], conflicts: [], missing };
}

/** @returns what kind of file it is, if it has no text. */
async function changeText(
  change: StoredChange,
  contents: ReadonlyMap<string, Buffer>,
): Promise<PartedFile | UnshownKind> {
  const { path, before, after } = change;
  const old = await textOf(before, contents);
  const now = await textOf(after, contents);
  if (old === undefined || now === undefined) return "text";
  const diff = partedDiff(old.text, now.text);
  if (diff.hunks.length === 0) return emptyChange(change);
  const isLink = before?.kind === "link" || after?.kind === "link";
  const { parts, ...shown } = diff;
  const mode = modeOf(before);
  return {
    kind: "diff",
    path,
    file: path,
    isNew: before === null,
    ...shown,
    ...(after === null && { isDeleted: true }),
    ...(mode !== undefined && { mode }),
    ...(old.encoding !== UTF_8 && { encoding: old.encoding }),
    ...(parts && !isLink && { parts }),
  };
}

function emptyChange({ before, after }: StoredChange): UnshownKind {
  if (before === null) return "empty";
  if (after === null) return "emptied";
  return isOtherContent(before, after) ? "encoding" : "permissions";
}

function modeOf(entry: StoredEntry | null): number | undefined {
  return entry?.kind === "file" ? entry.mode : undefined;
}

function oidsOf({ before, after }: Pick<StoredChange, "before" | "after">): readonly string[] {
  return [before, after].flatMap((entry) => (entry === null || entry.kind === "folder" ? [] : [entry.oid]));
}

/** True if two entries without a difference of text differ in their bytes. */
export function isOtherContent(before: StoredEntry | null, after: StoredEntry | null): boolean {
  return before?.kind === "file" && after?.kind === "file" && before.oid !== after.oid;
}

/** @throws {UserFacingError} the encoding of the file has no place for a letter of the text. */
function encoded(text: string, encoding: Encoding): Buffer {
  try {
    return encode(text, encoding);
  } catch (error) {
    if (error instanceof ToolFailedError) throw new UserFacingError(`Nothing was changed: ${error.message}`);
    throw error;
  }
}

/** @returns undefined if there is no text. */
async function textOf(
  entry: StoredEntry | null,
  contents: ReadonlyMap<string, Buffer>,
): Promise<ReadableText | undefined> {
  if (entry === null) return { text: "", encoding: UTF_8 };
  return storedText(entry.kind === "folder" ? undefined : contents.get(entry.oid));
}

/** The text of a stored content; undefined if there is none, or if it is too large to compare. */
export async function storedText(bytes: Buffer | undefined): Promise<ReadableText | undefined> {
  return !bytes || bytes.length > MAX_DIFF_BYTES ? undefined : readableText(bytes);
}
