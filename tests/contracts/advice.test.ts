import { expect, test } from "bun:test";
import { withAdvice, withFact, withoutAdvice } from "../../src/contracts/advice.ts";

test("people are shown what happened without the advice for the model", () => {
  expect(withoutAdvice(withAdvice("Refused: no rule covers it.", "Go on without it."))).toBe(
    "Refused: no rule covers it.",
  );
});

test("a text that only looks like advice stays whole", () => {
  for (const text of ["a\nNext: b\nc", "Next: b", "plain"]) expect(withoutAdvice(text)).toBe(text);
});

test("a fact that is added later stands before the advice", () => {
  const refused = withAdvice("Refused: no rule covers it.", "Go on without it.");
  const noted = withFact(refused, "(Input corrected: `cmd` was taken as `command`.)");
  expect(noted).toBe(
    withAdvice("Refused: no rule covers it.\n(Input corrected: `cmd` was taken as `command`.)", "Go on without it."),
  );
  expect(withoutAdvice(noted)).toEndWith("as `command`.)");
  expect(withFact("plain", "more")).toBe("plain\nmore");
});
