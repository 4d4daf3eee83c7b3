import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { errorCode } from "../contracts/errors.ts";

const MAX_CHUNK_BYTES = 64 * 1024;
/** The room for the read that finds the end of the file. */
const END_BYTES = 256;

/** Enough for any of git's pointer files, which contain a path. */
const MAX_LINE_FILE_BYTES = 64 * 1024;

/**
 * The text of a small file; undefined when the file is missing, not regular, unreadable or larger than `maxBytes`.
 * Never waits for a FIFO or device at this path, nor reads from it.
 */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  const bytes = readSmallBytes(path, maxBytes);
  return bytes === "missing" ? undefined : bytes?.toString("utf8");
}

/** The same as bytes; distinguishes a missing file. */
export function readSmallBytes(path: string, maxBytes: number): Buffer | "missing" | undefined {
  const read = readOrProblem(path, maxBytes);
  return "bytes" in read ? read.bytes : read.problem === "missing" ? "missing" : undefined;
}

/** Why a file could not be read; `refused`: the system did not let it be opened or read. */
export type ReadProblem = "missing" | "refused" | "not a file" | "too large";

/**
 * The bytes of a small file, or the reason why they can't be read. Never waits for a FIFO or device at this path, nor
 * reads from it.
 */
export function readOrProblem(
  path: string,
  maxBytes: number,
): { readonly bytes: Buffer } | { readonly problem: ReadProblem } {
  let descriptor: number;
  try {
    // Opening a missing file builds an error, which takes six times as long.
    if (!statSync(path, { throwIfNoEntry: false })) return { problem: "missing" };
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    return { problem: errorCode(error) === "ENOENT" ? "missing" : "refused" };
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { problem: "not a file" };
    const bytes = stats.size <= maxBytes ? readUpTo(descriptor, maxBytes, stats.size) : undefined;
    return bytes ? { bytes } : { problem: "too large" };
  } catch {
    return { problem: "refused" };
  } finally {
    closeSync(descriptor);
  }
}

/** The first line of a small text file, trimmed. */
export function readFirstLine(path: string): string | undefined {
  return readSmallFile(path, MAX_LINE_FILE_BYTES)?.split("\n", 1)[0]?.trim();
}

/** @returns undefined when the file has grown in the meantime. */
function readUpTo(descriptor: number, maxBytes: number, size: number): Buffer | undefined {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    // A file under /proc reports a size of 0 bytes.
    const wanted = total < size ? size - total : total > 0 ? END_BYTES : MAX_CHUNK_BYTES;
    const chunk = Buffer.allocUnsafe(Math.min(wanted, MAX_CHUNK_BYTES));
    const read = readSync(descriptor, chunk, 0, chunk.length, null);
    if (read === 0) return Buffer.concat(chunks);
    total += read;
    if (total > maxBytes) return undefined;
    chunks.push(chunk.subarray(0, read));
  }
}
