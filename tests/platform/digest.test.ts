import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { randomHex, sha256 } from "../../src/platform/digest.ts";

test("a digest is SHA-256 in hexadecimal digits, for texts and bytes", () => {
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  for (const text of ["", "Grüße 🐨", "a\ud800b", "x".repeat(100_000)]) {
    const wanted = createHash("sha256").update(text).digest("hex");
    expect([sha256(text), sha256(Buffer.from(text))]).toEqual([wanted, wanted]);
  }
});

test("random names have their length and differ", () => {
  expect(randomHex(8)).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(Array.from({ length: 100 }, () => randomHex(8))).size).toBe(100);
});
