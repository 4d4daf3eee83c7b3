import { expect, test } from "bun:test";
import { formatAgo, formatCount, formatDuration, formatSeconds, formatUsd } from "../src/format-amount.ts";

test("counts have three digits at most", () => {
  expect([0, 950, 2_100, 9_949, 9_960, 21_400, 999_499, 1_200_000].map(formatCount)).toEqual([
    "0",
    "950",
    "2.1k",
    "9.9k",
    "10k",
    "21k",
    "999k",
    "1.2M",
  ]);
});

test("durations show tenths only while they are short", () => {
  expect([0, 420, 8_940, 41_000, 130_000, 3_900_000].map(formatDuration)).toEqual([
    "0.0s",
    "0.4s",
    "8.9s",
    "41s",
    "2m10s",
    "1h05m",
  ]);
  expect([0, 2_600, 59_600].map(formatSeconds)).toEqual(["0s", "3s", "1m00s"]);
});

test("an unknown price is named, and a tiny one is never shown as 0", () => {
  expect([undefined, 0, 0.0001, 0.04, 12.345, 250].map((usd) => formatUsd(usd))).toEqual([
    "cost unknown",
    "$0.00",
    "<$0.01",
    "$0.04",
    "$12.35",
    "$250",
  ]);
  expect([undefined, 0.0001, 0.04].map((usd) => formatUsd(usd, true))).toEqual(["cost unknown", "<$0.01", "~$0.04"]);
});

test("ages are shown in words", () => {
  expect([0, 300_000, 3 * 3_600_000, 72 * 3_600_000].map(formatAgo)).toEqual([
    "just now",
    "5 min ago",
    "3 h ago",
    "3 days ago",
  ]);
});
