import { createHash, type Hash } from "node:crypto";

/** Files above this are told apart by time and size alone. */
export const MAX_HASHED_BYTES = 16 * 1024 * 1024;

export function newContentHash(): Hash {
  return createHash("sha256");
}

/** @returns SHA-256 in hex, or undefined for what is too large to be worth it. */
export function contentHash(bytes: Uint8Array): string | undefined {
  return bytes.byteLength > MAX_HASHED_BYTES ? undefined : newContentHash().update(bytes).digest("hex");
}
