import { expect, test } from "bun:test";
import { windowLimits } from "../../src/contracts/window-limits.ts";

const model = (contextWindow: number, maxOutputTokens = 64_000) => ({ contextWindow, maxOutputTokens });

test.each([
  [8_192, 4_096, { reserved: 819, usable: 7_373, warn: 5_898, compact: 6_635, stop: 7_151 }],
  [32_768, 8_192, { reserved: 3_276, usable: 29_492, warn: 23_593, compact: 26_542, stop: 28_607 }],
  [200_000, 64_000, { reserved: 20_000, usable: 180_000, warn: 144_000, compact: 162_000, stop: 174_600 }],
  [1_000_000, 64_000, { reserved: 32_000, usable: 968_000, warn: 774_400, compact: 871_200, stop: 938_960 }],
])("one formula holds for a window of %d tokens", (window, output, limits) => {
  expect(windowLimits(model(window, output))).toEqual({ window, ...limits });
});

test("a model with short answers keeps less of its window free", () => {
  expect(windowLimits(model(200_000, 8_000)).reserved).toBe(8_000);
});

test("every number can be set, and a lower limit never lies above a higher one", () => {
  const chosen = { warnPercent: 50, compactPercent: 60, stopPercent: 80, reserveTokens: 50_000 };
  expect(windowLimits(model(200_000), chosen)).toEqual({
    window: 200_000,
    reserved: 50_000,
    usable: 150_000,
    warn: 75_000,
    compact: 90_000,
    stop: 120_000,
  });
  expect(windowLimits(model(200_000), { stopPercent: 70 })).toMatchObject({ warn: 126_000, compact: 126_000 });
  expect(windowLimits(model(8_000), { reserveTokens: 100_000 }).usable).toBe(4_000);
});
