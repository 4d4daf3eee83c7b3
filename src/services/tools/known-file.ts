import { withAdvice } from "../../contracts/advice.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { FileStamp, Files } from "../../contracts/files.ts";
import { contentHash } from "../../platform/digest.ts";
import { isSameKnown, type KnownState, type ReadTracker } from "./read-tracker.ts";
import type { Target } from "./target-file.ts";

/** Largest file for Edit and Write: 64 MiB. */
export const MAX_WRITTEN_BYTES = 64 * 1024 * 1024;

export type LoadedFile = {
  readonly bytes: Buffer;
  readonly stamp: FileStamp;
  /** The lines that the model has seen, if it knows the file only through Grep. */
  readonly seenLines?: ReadonlySet<number>;
};

/** The expected state of a loaded file. */
export type KnownDeps = { readonly tracker: ReadTracker; readonly files: Files; readonly signal: AbortSignal };

export function knownState(stamp: FileStamp, bytes: Uint8Array): KnownState {
  return { modifiedMs: stamp.modifiedMs, size: stamp.size, hash: contentHash(bytes) };
}

/**
 * Loads a file before a change.
 * @throws {ToolFailedError} the model has not read the file, or the file changed since; or as `Files.load`.
 */
export async function loadKnown(target: Target, { tracker, files, signal }: KnownDeps): Promise<LoadedFile> {
  const known = tracker.get(target.path);
  const isUnread = !known && (await files.stamp(target.path))?.size !== 0;
  if (isUnread) throw unread(target);
  const file = await files.load(target.path, MAX_WRITTEN_BYTES, signal);
  if (!known) {
    // An empty file contains nothing to lose.
    if (file.bytes.length > 0) throw unread(target);
    return file;
  }
  if (!isSameKnown(known, knownState(file.stamp, file.bytes))) {
    throw new ToolFailedError(
      withAdvice(
        `${target.shown} was changed since Quoll last saw it: by a person or a program, perhaps by a command of this conversation.`,
        "Read it again first.",
      ),
    );
  }
  return { ...file, ...(known.lines && { seenLines: known.lines }) };
}

/** @throws {ToolFailedError} the model has seen only some lines of the file. */
export function refuseUnread(target: Target, file: LoadedFile): LoadedFile {
  if (file.seenLines) throw unread(target);
  return file;
}

function unread(target: Target): ToolFailedError {
  return new ToolFailedError(
    withAdvice(`${target.shown} exists but was not read in this conversation.`, "Read it first, then change it."),
  );
}
