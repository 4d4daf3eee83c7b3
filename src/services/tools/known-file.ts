import { ToolFailedError } from "../../contracts/errors.ts";
import { contentHash } from "../../platform/files/content-hash.ts";
import { type FileStamp, readStamp } from "../../platform/files/file-stamp.ts";
import { loadFile } from "../../platform/files/load-file.ts";
import { type FileMemory, isSameKnown, type KnownState } from "./file-memory.ts";
import type { Target } from "./target-file.ts";

/** Greatest file that Edit and Write take: 64 MiB. */
export const MAX_WRITTEN_BYTES = 64 * 1024 * 1024;

export type LoadedFile = {
  readonly bytes: Buffer;
  readonly stamp: FileStamp;
  /** Where Grep alone showed the file: the lines that the model has seen. */
  readonly seenLines?: ReadonlySet<number>;
};

export function knownState(stamp: FileStamp, bytes: Uint8Array): KnownState {
  return { modifiedMs: stamp.modifiedMs, size: stamp.size, hash: contentHash(bytes) };
}

/**
 * Loads a file that is about to be changed.
 * @throws {ToolFailedError} the model has not read it, or it is not what the model read; or as `loadFile`.
 */
export async function loadKnown(target: Target, memory: FileMemory, signal: AbortSignal): Promise<LoadedFile> {
  const known = memory.get(target.path);
  const isUnread = !known && (await readStamp(target.path))?.size !== 0;
  if (isUnread) throw unread(target);
  const file = await loadFile(target.path, MAX_WRITTEN_BYTES, signal);
  if (!known) {
    // Nothing can be lost of an empty file.
    if (file.bytes.length > 0) throw unread(target);
    return file;
  }
  if (!isSameKnown(known, knownState(file.stamp, file.bytes))) {
    throw new ToolFailedError(
      `${target.shown} was changed since you last saw it (by a person or a program). Read it again first.`,
    );
  }
  return { ...file, ...(known.lines && { seenLines: known.lines }) };
}

/** @throws {ToolFailedError} the model has seen only some lines of it. */
export function refuseUnread(target: Target, file: LoadedFile): LoadedFile {
  if (file.seenLines) throw unread(target);
  return file;
}

function unread(target: Target): ToolFailedError {
  return new ToolFailedError(
    `${target.shown} exists but was not read in this conversation. Read it first, then change it.`,
  );
}
