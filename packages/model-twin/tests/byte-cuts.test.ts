import { describe, expect, test } from "bun:test";
import { ByteCutter, cutSizes, seededRandom } from "../src/byte-cuts.ts";

const take = (next: () => number, count: number) => Array.from({ length: count }, () => next());

describe("sizes", () => {
  test("of a list start again when it is used up", () => {
    expect(take(cutSizes([3, 1, 7]), 7)).toEqual([3, 1, 7, 3, 1, 7, 3]);
  });

  test("of a seed are the same each time, and differ between seeds", () => {
    expect(take(cutSizes({ seed: 5 }), 50)).toEqual(take(cutSizes({ seed: 5 }), 50));
    expect(take(cutSizes({ seed: 5 }), 50)).not.toEqual(take(cutSizes({ seed: 6 }), 50));
  });

  test("of a seed stay between its limits and reach both", () => {
    const sizes = take(cutSizes({ seed: 1, min: 2, max: 5 }), 200);

    expect([...new Set(sizes)].sort()).toEqual([2, 3, 4, 5]);
  });

  test("are never less than 1, whatever the request", () => {
    expect(take(cutSizes([0, -3, 0.5]), 3)).toEqual([1, 1, 1]);
    expect(Math.min(...take(cutSizes({ seed: 2, min: 0, max: 0 }), 20))).toBe(1);
  });
});

test("random numbers spread evenly over [0, 1)", () => {
  const numbers = take(seededRandom(9), 10_000);

  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((a, b) => a + b) / numbers.length).toBeCloseTo(0.5, 1);
});

test("pieces have the requested sizes across the pushed chunks, and lose no byte", () => {
  const cutter = new ByteCutter([4]);
  const inputs = ["ab", "cdefghi", "", "j"].map((text) => Buffer.from(text));
  const pieces = [...inputs.flatMap((bytes) => [...cutter.push(bytes)]), cutter.rest()];

  expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(["abcd", "efgh", "ij"]);
  expect(cutter.rest().length).toBe(0);
});
