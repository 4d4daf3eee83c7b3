import { expect, test } from "bun:test";
import { resolveThinking } from "../../../src/app/session/first-state.ts";

test("a session thinks as its configuration says, else as the setting and the variable say", () => {
  const setting = { maxThinkingTokens: 2_000 };
  const env = { MAX_THINKING_TOKENS: " 3000 " };
  expect(resolveThinking({ thinking: false }, setting, env)).toBe(false);
  expect(resolveThinking({ thinking: 1_000 }, setting, env)).toBe(1_000);
  expect(resolveThinking({ thinking: true }, setting, env)).toBe(true);
  expect(resolveThinking({}, setting, env)).toBe(2_000);
  expect(resolveThinking({ thinking: 0 }, setting, env)).toBe(0);
  expect(resolveThinking({}, {}, env)).toBe(3_000);
  expect(resolveThinking({}, {}, { MAX_THINKING_TOKENS: "" })).toBeUndefined();
});

test("a variable that is not a number is an error", () => {
  expect(() => resolveThinking({}, {}, { MAX_THINKING_TOKENS: "lots" })).toThrow(
    'MAX_THINKING_TOKENS is "lots": it must be a whole number of tokens, 0 for no thinking.',
  );
});
