import { expect, test } from "bun:test";
import {
  backoffMs,
  type Failure,
  isAboutMoney,
  isRetriedStatus,
  planRetry,
  retryAfterMs,
} from "../../../../src/services/provider/request/retry.ts";

const failure: Failure = { status: 529, message: "Busy.", canRetry: true, retryAfterMs: undefined };
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

test("the wait doubles from half a second to 32 s", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) => backoffMs(attempt, () => 0.5))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000,
  ]);
});

test("chance spreads it by a quarter to both sides", () => {
  expect([0, 0.25, 0.5, 0.75, 1].map((chance) => backoffMs(3, () => chance))).toEqual([
    1_500, 1_750, 2_000, 2_250, 2_500,
  ]);
});

test("the ninth failure is followed by a tenth try, the tenth by none", () => {
  expect(planRetry(failure, 9, () => 0.5)).toEqual({ retry: true, delayMs: 32_000 });
  expect(planRetry(failure, 10, () => 0.5)).toEqual({ retry: false, because: "spent" });
});

test("the wait that the server asks for wins, without jitter, up to a minute", () => {
  const asks = (ms: number) => planRetry({ ...failure, retryAfterMs: ms }, 1, () => 0.9);
  expect([asks(0), asks(60_000), asks(60_001)]).toEqual([
    { retry: true, delayMs: 0 },
    { retry: true, delayMs: 60_000 },
    { retry: false, because: "too_long" },
  ]);
});

test("a final failure is final, whatever the server asks for", () => {
  expect(planRetry({ ...failure, canRetry: false, retryAfterMs: 999_000 }, 1, () => 0)).toEqual({
    retry: false,
    because: "final",
  });
});

test.each([
  [408, true],
  [409, true],
  [429, true],
  [500, true],
  [502, true],
  [503, true],
  [504, true],
  [529, true],
  [400, false],
  [401, false],
  [402, false],
  [403, false],
  [404, false],
  [413, false],
  [422, false],
  [301, false],
] as const)("status %d is tried again: %p", (status, expected) => {
  expect(isRetriedStatus(status, "Something.")).toBe(expected);
});

test.each([
  [400, "Your credit balance is too low to access the API.", true],
  [403, "billing_error", true],
  [429, "You exceeded your current quota, please check your plan and billing details.", true],
  [429, "enforced_spend_limit_reached", true],
  [402, "", true],
  [429, "This request would exceed the rate limit of 40,000 input tokens per minute.", false],
  [429, "Number of concurrent connections has exceeded your rate limit.", false],
  [500, "billing service down", false],
  [400, "messages: text content blocks must be non-empty", false],
] as const)("%d %p is about money: %p", (status, text, expected) => {
  expect(isAboutMoney(status, text)).toBe(expected);
});

test.each([
  ["5", 5_000],
  [" 0.5 ", 500],
  ["0", 0],
  ["Fri, 02 Jan 2026 03:05:05 GMT", 60_000],
  ["Thu, 01 Jan 2026 03:05:05 GMT", 0],
  ["-5", undefined],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
] as const)("Retry-After %p is %p ms", (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected);
});
