import { createHmac, hash, randomBytes } from "node:crypto";

/** The maximum size of a file to hash; larger files are compared only by time and size. */
export const MAX_HASHED_BYTES = 16 * 1024 * 1024;

/** @param data A text counts as UTF-8. @returns 64 hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}

/** The HMAC-SHA-256 (RFC 2104) of a text: without the key, a guess at the text can't be checked. @returns 64 hexadecimal digits. */
export function keyedHash(text: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

/** `bytes` unpredictable bytes as hexadecimal digits. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/** @returns SHA-256 in hex, or undefined for a larger file. */
export function contentHash(bytes: Uint8Array): string | undefined {
  return bytes.byteLength > MAX_HASHED_BYTES ? undefined : sha256(bytes);
}
