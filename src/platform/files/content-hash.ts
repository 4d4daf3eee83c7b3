import { sha256 } from "../digest.ts";

/** The maximum size of a file to hash; larger files are compared only by time and size. */
export const MAX_HASHED_BYTES = 16 * 1024 * 1024;

/** @returns SHA-256 in hex, or undefined for a larger file. */
export function contentHash(bytes: Uint8Array): string | undefined {
  return bytes.byteLength > MAX_HASHED_BYTES ? undefined : sha256(bytes);
}
