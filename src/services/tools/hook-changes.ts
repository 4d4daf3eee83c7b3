import type { DiffHunk, Display, HookChanges } from "../../contracts/display.ts";
import type { FileStamp } from "../../contracts/files.ts";
import type { Redactor } from "../../contracts/ports.ts";
import type { ResultFacts } from "../../contracts/result-facts.ts";
import { splitLines } from "../../platform/diff-hunks.ts";
import { decode, detectText } from "../../platform/files/encoding.ts";
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
type Change = Pick<ResultFacts, "knows"> & { readonly note: string; readonly texts?: ChangedTexts };
type ChangedTexts = { readonly before: string; readonly after: string };

/** The files, most recent first, that are compared around hooks that belong to no call. */
export const MAX_FOLLOWED = 20;

/**
 * Remembers files that a call wrote, before hooks run that may format them.
 * @returns a function for the time after the hooks: it takes small changes as known, and returns the changes.
 */
export async function followHookChanges(
  paths: readonly string[],
  deps: FollowDeps,
): Promise<() => Promise<HookChanges>> {
  const before = await Promise.all([...new Set(paths)].map((path) => remember(path, deps)));
  return async () => {
    const changes: Change[] = [];
    for (const one of before) {
      const change = one && (await changeOf(one, deps));
      if (change) changes.push(change);
    }
    const [{ texts, knows } = {}] = changes;
    const redactor = texts && (await deps.redactor());
    const isOne = before.length === 1;
    return {
      ...(isOne && knows && { knows }),
      note: changes.length === 0 ? undefined : changes.map(({ note }) => note).join("\n"),
      shown: (display: Display) =>
        isOne && texts && redactor && display.kind === "diff" ? diffAfterHook(display, texts, redactor) : display,
    };
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

async function changeOf({ path, stamp, file }: Before, deps: FollowDeps): Promise<Change | undefined> {
  const { tracker, files, signal } = deps;
  try {
    const now = await files.stamp(path);
    if (!now) return { note: `[A hook deleted ${path}.]` };
    if (isSameStamp(stamp, now)) return undefined;
    if (!file || now.size > MAX_COMPARED_BYTES) return readAgain(path);
    const changed = await files.load(path, MAX_COMPARED_BYTES, signal);
    if (changed.bytes.equals(file.bytes)) return undefined;
    const texts = await textsOf(file, changed);
    if (!texts) return readAgain(path);
    const { diff, take } = shownDiff(texts.before, texts.after, await deps.redactor());
    const text = take && diffText(diff.hunks);
    if (text === undefined || text.length > MAX_DIFF_CHARS) return { ...readAgain(path), texts };
    const state = knownState(changed.stamp, changed.bytes);
    const note = `[A hook changed ${path}. The changes:]\n${text}`;
    if (file.seenLines) {
      tracker.noteLines(path, state, linesAfter(diff.hunks, file.seenLines));
      return { note, texts };
    }
    tracker.noteMade(path, state, "edit");
    return { note, texts, ...tracker.factOf(path, state) };
  } catch {
    return readAgain(path);
  }
}

async function textsOf(before: LoadedFile, after: LoadedFile): Promise<ChangedTexts | undefined> {
  const [old, now] = [await detectText(before.bytes), await detectText(after.bytes)];
  if (old === "binary" || now === "binary") return undefined;
  return { before: decode(before.bytes, old), after: decode(after.bytes, now) };
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

function readAgain(path: string): Change {
  return { note: `[A hook changed ${path}. Read it again before you change it.]` };
}

function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.inode === b.inode && a.size === b.size && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs;
}

type DiffDisplay = Extract<Display, { kind: "diff" }>;

/**
 * The diff of a write and of the hook that changed the file right after it, as one.
 * @param texts The file as the call wrote it, and as the hook left it.
 * @returns `display` itself if its hunks are incomplete, or of a notebook's cell.
 */
export function diffAfterHook(
  display: DiffDisplay,
  { before, after }: { readonly before: string; readonly after: string },
  redactor: Redactor,
): DiffDisplay {
  const { hunks, added, removed, isOfCell } = display;
  const changed = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind !== "same").length;
  if (isOfCell || changed !== added + removed) return display;
  return { ...display, ...shownDiff(withoutHunks(before, hunks), after, redactor).diff };
}

/** The text from before the hunks, whose lines hold no line ends. */
function withoutHunks(text: string, hunks: readonly DiffHunk[]): string {
  const lines = splitLines(text);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  for (const { newStart, lines: shown } of hunks.toReversed()) {
    const now = lines.slice(newStart - 1, newStart - 1 + shown.filter(({ kind }) => kind !== "removed").length);
    let at = 0;
    const old = shown.flatMap(({ kind, text: line }) => {
      if (kind === "removed") return [`${line}${lineEnd}`];
      at += 1;
      return kind === "same" ? [now[at - 1] ?? ""] : [];
    });
    lines.splice(newStart - 1, now.length, ...old);
  }
  return lines.join("");
}
