import { isUtf8 } from "node:buffer";
import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";
import type { Readable } from "node:stream";

/** The maximum size of piped text; a larger text is refused. */
export const MAX_STDIN_BYTES = 10 * 1024 * 1024;
/** How long to wait for the first byte of a pipe. */
export const FIRST_BYTE_MS = 3_000;

export type StdinText =
  | { readonly kind: "text"; readonly text: string; readonly replacedInvalid: boolean }
  /** No byte came in time. */
  | { readonly kind: "silent" }
  | { readonly kind: "too-large" };

/**
 * Reads piped input to its end. Never call it on a terminal.
 * @param firstByteMs Milliseconds to wait for the first byte; afterwards stdin is read to its end.
 */
export async function readStdin(
  stream: Readable,
  { maxBytes = MAX_STDIN_BYTES, firstByteMs = FIRST_BYTE_MS }: { maxBytes?: number; firstByteMs?: number } = {},
): Promise<StdinText> {
  const { promise, resolve, reject } = Promise.withResolvers<"end" | "silent" | "too-large">();
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => resolve("silent"), firstByteMs);
  const onData = (chunk: Buffer) => {
    clearTimeout(timer);
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) resolve("too-large");
  };
  const onEnd = () => resolve("end");
  stream.on("data", onData).on("end", onEnd).on("error", reject);
  try {
    const how = await promise;
    if (how !== "end") return { kind: how };
  } finally {
    clearTimeout(timer);
    stream.off("data", onData).off("end", onEnd).off("error", reject);
    stream.pause();
  }
  const bytes = Buffer.concat(chunks);
  const text = new TextDecoder().decode(bytes);
  return { kind: "text", text, replacedInvalid: !isUtf8(bytes) };
}

/** True if a descriptor is open on the null device, which gives no input. */
export function isNullDevice(descriptor: number): boolean {
  try {
    const { rdev } = fstatSync(descriptor);
    const nothing = statSync(devNull);
    return nothing.isCharacterDevice() && rdev !== 0 && rdev === nothing.rdev;
  } catch {
    return false;
  }
}
