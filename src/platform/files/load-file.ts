import { ToolFailedError } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { fileError } from "./file-error.ts";
import { openFile } from "./open-file.ts";

const CHUNK_BYTES = 1024 * 1024;

/** A file is larger than its reader takes. */
export class TooLargeFileError extends ToolFailedError {}

/**
 * Reads a whole file in pieces, so that it can be aborted.
 * @param maxBytes The size of the largest file that is read.
 * @throws {ToolFailedError} as `openFile`; {TooLargeFileError} the file is larger than `maxBytes`; the abort reason when
 * `signal` aborts.
 */
export async function loadFile(
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly stamp: FileStamp }> {
  const { handle, stamp } = await openFile(path);
  try {
    if (stamp.size > maxBytes) throw tooLarge(path, stamp.size, maxBytes);
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      signal.throwIfAborted();
      const wanted = Math.max(1, Math.min(CHUNK_BYTES, stamp.size - total + 1));
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, total);
      if (bytesRead === 0) return { bytes: Buffer.concat(chunks), stamp };
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
      if (total > maxBytes) throw tooLarge(path, total, maxBytes);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw fileError(error, path);
  } finally {
    await handle.close();
  }
}

function tooLarge(path: string, bytes: number, maxBytes: number): TooLargeFileError {
  const mib = (count: number) => `${(count / 1024 / 1024).toFixed(1)} MiB`;
  return new TooLargeFileError(
    `${path} is ${mib(bytes)} large; ${mib(maxBytes)} is the limit here. Use Bash for such a file.`,
  );
}
