import { expect, test } from "bun:test";
import { wantedThinking } from "../../../src/app/session/wanted-thinking.ts";

test("a session thinks as its configuration says, else as the setting and the variable say", () => {
  const setting = { maxThinkingTokens: 2_000 };
  const env = { MAX_THINKING_TOKENS: " 3000 " };
  expect(wantedThinking({ thinking: false }, setting, env)).toBe(false);
  expect(wantedThinking({ thinking: 1_000 }, setting, env)).toBe(1_000);
  expect(wantedThinking({ thinking: true }, setting, env)).toBe(true);
  expect(wantedThinking({}, setting, env)).toBe(2_000);
  expect(wantedThinking({ thinking: 0 }, setting, env)).toBe(0);
  expect(wantedThinking({}, {}, env)).toBe(3_000);
  expect(wantedThinking({}, {}, { MAX_THINKING_TOKENS: "" })).toBeUndefined();
});

test("a variable that is no number is told", () => {
  expect(() => wantedThinking({}, {}, { MAX_THINKING_TOKENS: "lots" })).toThrow(
    'MAX_THINKING_TOKENS is "lots": it must be a whole number of tokens, 0 for no thinking.',
  );
});
