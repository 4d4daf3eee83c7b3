import { expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { hmacSha256, newSha256, randomBytes, randomHex, sha256 } from "../../src/platform/digest.ts";

const TEXTS = ["", "abc", "Grüße 🐨", "a\ud800b", "x".repeat(100_000)];

test("a digest is that of node:crypto, for texts, bytes and data in parts", () => {
  for (const text of TEXTS) {
    const wanted = createHash("sha256").update(text).digest("hex");
    const parts = newSha256();
    for (let at = 0; at < text.length; at += 7_000) parts.update(Buffer.from(text).subarray(at, at + 7_000));
    expect(sha256(text)).toBe(wanted);
    expect(sha256(Buffer.from(text))).toBe(wanted);
    if (Buffer.byteLength(text) === text.length) expect(parts.digest("hex")).toBe(wanted);
  }
});

test("a keyed digest is that of node:crypto, for keys of each length", () => {
  for (const length of [1, 32, 64, 200]) {
    const key = new Uint8Array(length).fill(length);
    for (const text of TEXTS) expect(hmacSha256(key, text)).toBe(createHmac("sha256", key).update(text).digest("hex"));
  }
});

test("random names have their length and differ", () => {
  expect(randomHex(8)).toMatch(/^[0-9a-f]{16}$/);
  expect(randomBytes(24)).toHaveLength(24);
  expect(new Set(Array.from({ length: 100 }, () => randomHex(8))).size).toBe(100);
});
