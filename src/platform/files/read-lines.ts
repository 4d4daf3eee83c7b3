import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import type { BinaryRead, Encoding, FileStamp, LinesRead, LineWindow } from "../../contracts/files.ts";
import { MAX_HASHED_BYTES } from "../digest.ts";
import { bomLength, detectText, SAMPLE_BYTES } from "./encoding.ts";
import { fileError } from "./file-error.ts";
import { LineCollector } from "./line-collector.ts";
import { openFile } from "./open-file.ts";

const CHUNK_BYTES = 256 * 1024;
/** The number of bytes to read after the window is full, only to count lines. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;

/**
 * Streams a text file and keeps the lines of one window: memory and, for a window near its start, time do not grow with it.
 * @throws {ToolFailedError} as `openFile`; the abort reason when `signal` aborts.
 */
export async function readLines(
  path: string,
  window: LineWindow,
  signal: AbortSignal,
): Promise<LinesRead | BinaryRead> {
  const { handle, stamp } = await openFile(path);
  try {
    const head = readHead(handle);
    const encoding = await detectText(head);
    if (encoding === "binary") return { stamp, head };
    return await collect({ handle, head, stamp, encoding, window, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw fileError(error, path);
  } finally {
    // The lines are read: nobody needs to wait for the end of the descriptor.
    void handle.close().catch(() => undefined);
  }
}

type Collecting = {
  readonly handle: FileHandle;
  /** Bytes that were already read. */
  readonly head: Buffer;
  readonly stamp: FileStamp;
  readonly encoding: Encoding;
  readonly window: LineWindow;
  readonly signal: AbortSignal;
};

async function collect({ handle, head, stamp, encoding, window, signal }: Collecting): Promise<LinesRead> {
  const collector = new LineCollector(window, encoding);
  const toLines = transcoder(encoding);
  const hash = stamp.size <= MAX_HASHED_BYTES ? createHash("sha256") : undefined;
  let chunk: Buffer | undefined;
  let position = 0;
  let fullAt: number | undefined;
  let isWhole = false;
  for (;;) {
    signal.throwIfAborted();
    let bytes = head;
    if (position > 0) {
      chunk ??= Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
      bytes = chunk.subarray(0, bytesRead);
    }
    if (bytes.length === 0) {
      isWhole = true;
      break;
    }
    hash?.update(bytes);
    collector.feed(toLines(position === 0 ? bytes.subarray(bomLength(encoding)) : bytes));
    position += bytes.length;
    // Reads up to the size at opening; later additions are left for the next call.
    if (position === stamp.size) {
      isWhole = true;
      break;
    }
    if (!collector.full) continue;
    fullAt ??= position;
    if (stamp.size - fullAt > MAX_COUNTED_BYTES || position - fullAt > MAX_COUNTED_BYTES) break;
  }
  if (isWhole) {
    collector.feed(toLines(undefined));
    collector.end();
  }
  return {
    stamp,
    encoding,
    lines: collector.lines,
    stoppedBy: collector.full ?? "end",
    lineCount: isWhole ? collector.lineCount : undefined,
    size: stamp.size || position,
    hash: isWhole && position === stamp.size ? hash?.digest("hex") : undefined,
    hasStray: collector.hasStray,
    hasCrLf: collector.hasCrLf,
    endsWithNewline: collector.endsWithNewline,
  };
}

/** Read at once: switching threads takes longer than this read. */
function readHead(handle: FileHandle): Buffer {
  const buffer = Buffer.allocUnsafe(SAMPLE_BYTES);
  return buffer.subarray(0, readSync(handle.fd, buffer, 0, SAMPLE_BYTES, 0));
}

/** Turns pieces of a file in UTF-16 into UTF-8; each line of another encoding is decoded later. Undefined ends the text. */
function transcoder({ name }: Encoding): (bytes: Buffer | undefined) => Buffer {
  if (name !== "utf-16le" && name !== "utf-16be") return (bytes) => bytes ?? Buffer.alloc(0);
  const decoder = new StringDecoder("utf16le");
  let odd: Buffer = Buffer.alloc(0);
  return (bytes) => {
    if (!bytes) return Buffer.from(decoder.end(), "utf8");
    const joined = Buffer.concat([odd, bytes]);
    const even = joined.length - (joined.length % 2);
    odd = joined.subarray(even);
    const pairs = joined.subarray(0, even);
    return Buffer.from(decoder.write(name === "utf-16be" ? pairs.swap16() : pairs), "utf8");
  };
}
