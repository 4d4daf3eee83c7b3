import type { SimpleCommand } from "@quoll/bash-syntax/types";
import type { DiffHunk } from "../../../contracts/display.ts";
import type { Files } from "../../../contracts/files.ts";
import type { NamedPath } from "../../../contracts/ports.ts";
import { diffTexts } from "../../../platform/diff-hunks.ts";
import { realPathOrSelf } from "../../../platform/paths.ts";
import { knownState } from "../known-file.ts";
import { isSameKnown, type ReadTracker } from "../read-tracker.ts";

/** The maximum number of files of one command that are compared, and their maximum size in bytes. */
const MAX_FILES = 10;
const MAX_BYTES = 1024 * 1024;
const IN_PLACE = /^(?:-[a-zA-Z]*i|--in-place)/;

type Deps = { readonly files: Files; readonly signal: AbortSignal };
/** A file before a command that changes it in place. */
export type EditedFile = { readonly path: string; readonly text: string; readonly hash: ReturnType<typeof knownState> };

/** The files that `sed -i` of this line would change, as they are now; empty for other lines. */
export async function filesOfSed(
  commands: readonly SimpleCommand[],
  named: readonly NamedPath[],
  { files, signal }: Deps,
): Promise<readonly EditedFile[]> {
  if (!commands.some(isInPlace)) return [];
  const paths = new Set(named.flatMap(({ action, path }) => (action === "write" ? [realPathOrSelf(path)] : [])));
  const found: EditedFile[] = [];
  for (const path of [...paths].slice(0, MAX_FILES)) {
    const file = await files.load(path, MAX_BYTES, signal).catch(() => undefined);
    if (file) found.push({ path, text: file.bytes.toString("utf8"), hash: knownState(file.stamp, file.bytes) });
  }
  return found;
}

/** Notes the lines that the model changed with its own `sed` as seen; the lines that it had seen before stay seen. */
export async function noteSedLines(
  before: readonly EditedFile[],
  { tracker, files, signal }: Deps & { readonly tracker: ReadTracker },
): Promise<void> {
  for (const { path, text, hash } of before) {
    const file = await files.load(path, MAX_BYTES, signal).catch(() => undefined);
    if (!file) continue;
    const state = knownState(file.stamp, file.bytes);
    if (isSameKnown(hash, state)) continue;
    tracker.created.changed(path, state);
    const known = tracker.get(path);
    const isKnown = known !== undefined && isSameKnown(known, hash);
    if (isKnown && known.madeBy !== "grep") {
      tracker.noteMade(path, state, "edit");
      continue;
    }
    const { hunks } = diffTexts(text, file.bytes.toString("utf8")).diff;
    tracker.noteLines(path, state, changedAndSeen(hunks, isKnown ? (known.lines ?? new Set()) : new Set()));
  }
}

function isInPlace({ words }: SimpleCommand): boolean {
  return words[0]?.value?.split("/").at(-1) === "sed" && words.some(({ value = "" }) => IN_PLACE.test(value));
}

/** The numbers of the changed lines, and of the lines that were seen before, in the new text. */
function changedAndSeen(hunks: readonly DiffHunk[], seen: ReadonlySet<number>): readonly number[] {
  const changed: number[] = [];
  const moved = new Map([...seen].map((line) => [line, line]));
  for (const { oldStart, newStart, lines } of hunks) {
    let [old, now] = [oldStart, newStart];
    for (const { kind } of lines) {
      if (kind === "added") changed.push(now);
      if (kind === "removed") moved.delete(old);
      if (kind === "same" && moved.has(old)) moved.set(old, now);
      if (kind !== "added") old += 1;
      if (kind !== "removed") now += 1;
    }
    // Lines behind the hunk moved by as much as the hunk grew.
    for (const line of moved.keys()) if (line >= old) moved.set(line, line + now - old);
  }
  return [...changed, ...moved.values()];
}
