import type { DiffHunk } from "../../contracts/display.ts";
import type { FileStamp } from "../../contracts/files.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { decode, detectEncoding } from "../../platform/files/encoding.ts";
import { linesAfter } from "./edit/seen-lines.ts";
import { type KnownDeps, knownState, type LoadedFile } from "./known-file.ts";
import { isSameKnown } from "./read-tracker.ts";
import { shownDiff } from "./shown-diff.ts";

/** Larger files are not compared. */
const MAX_COMPARED_BYTES = 1024 * 1024;
/** A longer diff costs more than reading the part again that the model needs. */
const MAX_DIFF_CHARS = 6_000;

type FollowDeps = KnownDeps & { redactor(): Promise<Redactor> };
type Before = { readonly path: string; readonly stamp: FileStamp; readonly file: LoadedFile | undefined };
type Notes = () => Promise<string | undefined>;

/** The files, most recent first, that are compared around hooks that belong to no call. */
export const MAX_FOLLOWED = 20;

/**
 * Remembers files that a call wrote, before hooks run that may format them.
 * @returns a function for the time after the hooks: it takes small changes as known, and returns a note for the model
 * about the changed files.
 */
export async function followHookChanges(paths: readonly string[], deps: FollowDeps): Promise<Notes> {
  const before = await Promise.all([...new Set(paths)].map((path) => remember(path, deps)));
  return async () => {
    const notes: string[] = [];
    for (const one of before) {
      const note = one && (await noteChange(one, deps));
      if (note !== undefined) notes.push(note);
    }
    return notes.length === 0 ? undefined : notes.join("\n");
  };
}

/** @returns undefined for a file whose current content the model does not know. */
async function remember(path: string, { tracker, files, signal }: FollowDeps): Promise<Before | undefined> {
  const known = tracker.get(path);
  if (!known) return undefined;
  try {
    const stamp = await files.stamp(path);
    if (!stamp) return undefined;
    if (stamp.size > MAX_COMPARED_BYTES) return { path, stamp, file: undefined };
    const file = await files.load(path, MAX_COMPARED_BYTES, signal);
    if (!isSameKnown(known, knownState(file.stamp, file.bytes))) return undefined;
    return { path, stamp: file.stamp, file: { ...file, ...(known.lines && { seenLines: known.lines }) } };
  } catch {
    return undefined;
  }
}

async function noteChange({ path, stamp, file }: Before, deps: FollowDeps): Promise<string | undefined> {
  const { tracker, files, signal } = deps;
  try {
    const now = await files.stamp(path);
    if (!now) return `[A hook deleted ${path}.]`;
    if (isSameStamp(stamp, now)) return undefined;
    if (!file || now.size > MAX_COMPARED_BYTES) return readAgain(path);
    const changed = await files.load(path, MAX_COMPARED_BYTES, signal);
    if (changed.bytes.equals(file.bytes)) return undefined;
    const hunks = diffOf(file, changed, await deps.redactor());
    const text = hunks && diffText(hunks);
    if (!hunks || text === undefined || text.length > MAX_DIFF_CHARS) return readAgain(path);
    const state = knownState(changed.stamp, changed.bytes);
    if (file.seenLines) tracker.noteLines(path, state, linesAfter(hunks, file.seenLines));
    else tracker.noteMade(path, state, "edit");
    return `[A hook changed ${path}. The changes:]\n${text}`;
  } catch {
    return readAgain(path);
  }
}

function diffOf(before: LoadedFile, after: LoadedFile, redactor: Redactor): readonly DiffHunk[] | undefined {
  const encodings = [detectEncoding(before.bytes), detectEncoding(after.bytes)] as const;
  const [old, now] = encodings;
  if (old === "binary" || now === "binary") return undefined;
  const { diff, take } = shownDiff(decode(before.bytes, old), decode(after.bytes, now), redactor);
  return take && diff.hunks;
}

function diffText(hunks: readonly DiffHunk[]): string {
  const signs = { same: " ", added: "+", removed: "-" } as const;
  return hunks
    .flatMap(({ oldStart, newStart, lines }) => [
      `@@ -${oldStart} +${newStart} @@`,
      ...lines.map(({ kind, text }) => `${signs[kind]}${text.replace(/\r?\n$/, "")}`),
    ])
    .join("\n");
}

function readAgain(path: string): string {
  return `[A hook changed ${path}. Read it again before you change it.]`;
}

function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.inode === b.inode && a.size === b.size && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs;
}
