/**
 * Digests and random names without a static import of `node:crypto`: Bun's module loads the streams, which takes a twentieth of the
 * start.
 */

type Digest = { update(data: string | Uint8Array): unknown; digest(encoding: "hex"): string };

/** A SHA-256 of data that comes in parts. */
export function newSha256(): Digest {
  return process.versions.bun === undefined ? nodeCrypto().createHash("sha256") : new Bun.CryptoHasher("sha256");
}

/** @param data A text counts as UTF-8. @returns 64 hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  const digest = newSha256();
  digest.update(data);
  return digest.digest("hex");
}

/** @returns the keyed hash (RFC 2104) with SHA-256, in hexadecimal digits. */
export function hmacSha256(key: Uint8Array, text: string): string {
  const digest: Digest =
    process.versions.bun === undefined
      ? nodeCrypto().createHmac("sha256", key)
      : new Bun.CryptoHasher("sha256", Buffer.from(key));
  digest.update(text);
  return digest.digest("hex");
}

/** Unpredictable bytes; at most 65,536. */
export function randomBytes(count: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count)).buffer);
}

/** `bytes` unpredictable bytes as hexadecimal digits. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

function nodeCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
