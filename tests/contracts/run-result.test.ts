import { expect, test } from "bun:test";
import type { Outcome, PermissionDenial } from "../../src/contracts/event.ts";
import { EXIT_CODES, type RunExit, runExit } from "../../src/contracts/run-result.ts";

const denial = (unanswered: boolean): PermissionDenial => ({
  ...{ toolName: "Bash", toolUseId: "t", input: {} },
  ...{ decidedBy: { kind: "default" }, unanswered },
});

test.each<[Outcome, denied: RunExit, undenied: RunExit]>([
  [{ reason: "completed" }, "refused", "done"],
  [{ reason: "stopped_short", message: "cut off" }, "refused", "failed"],
  [{ reason: "step_limit", steps: 3 }, "limit", "limit"],
  [{ reason: "budget", message: "$1 is spent" }, "limit", "limit"],
  [{ reason: "failed", message: "no" }, "failed", "failed"],
  [{ reason: "aborted" }, "failed", "failed"],
])("a run that ended by %j exits as %s if nobody could answer a call, otherwise as %s", (outcome, denied, undenied) => {
  expect(runExit({ outcome, denials: [denial(false), denial(true)] })).toBe(denied);
  expect(runExit({ outcome, denials: [denial(false)] })).toBe(undenied);
});

test("the exit codes of runs are those of the guide", () => {
  expect(EXIT_CODES).toEqual({ done: 0, failed: 1, limit: 3, refused: 4 });
});
