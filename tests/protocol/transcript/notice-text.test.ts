import { expect, test } from "bun:test";
import { noticeText } from "../../../src/protocol/transcript/notice-text.ts";

test.each([
  ["the debug log is off", "The debug log is off."],
  ["telemetry: no key", "Telemetry: no key."],
  ["Ready (3 files)", "Ready (3 files)."],
  ["Is it done?", "Is it done?"],
  ["Already a sentence.", "Already a sentence."],
])("%j is shown as the sentence %j", (given, shown) => {
  expect(noticeText(given)).toBe(shown);
});

test.each([
  "src/a.ts is not valid.",
  "/tmp/x was kept.",
  "The debug log is /tmp/quoll/debug.log",
  "To resume this session: quoll --resume 0d9f2c1e-demo",
  "See https://example.com/x",
  "401",
])("%j keeps what is to be read as it stands", (text) => {
  expect(noticeText(text)).toBe(text);
});
