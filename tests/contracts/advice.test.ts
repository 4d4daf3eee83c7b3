import { expect, test } from "bun:test";
import { withAdvice, withoutAdvice } from "../../src/contracts/advice.ts";

test("people are shown what happened without the advice for the model", () => {
  expect(withoutAdvice(withAdvice("Refused: no rule covers it.", "Go on without it."))).toBe(
    "Refused: no rule covers it.",
  );
});

test("a text that only looks like advice stays whole", () => {
  for (const text of ["a\nNext: b\nc", "Next: b", "plain"]) expect(withoutAdvice(text)).toBe(text);
});
