import { hash, randomBytes } from "node:crypto";

/** @param data A text counts as UTF-8. @returns 64 hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}

/** `bytes` unpredictable bytes as hexadecimal digits. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}
