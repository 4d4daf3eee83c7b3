import { expect, test } from "bun:test";
import { claimUncaught, isClaimed } from "../../src/platform/uncaught-errors.ts";

const thrown = (message: string, frames: string) =>
  Object.assign(new Error(message), { stack: `Error: ${message}${frames}` });

test("an uncaught error belongs to an extension only if a frame of its stack names the extension's file", () => {
  const release = claimUncaught({ places: ["/own/a.ts:", "/own/lib/"], claimed: () => undefined });
  const ours = "\n    at main (/quoll/run.ts:1:1)";
  try {
    expect(isClaimed(thrown("late", `\n    at later (/own/a.ts:1:2)${ours}`))).toBe(true);
    expect(isClaimed(thrown("late", "\n    at /own/lib/help.ts:1:2"))).toBe(true);
    expect(isClaimed(thrown("no frames", ""))).toBe(false);
    expect(isClaimed(thrown("in\n    at x (/own/a.ts:1:2)", ours))).toBe(false);
    expect(isClaimed("/own/a.ts:1:2")).toBe(false);
  } finally {
    release();
  }
});
