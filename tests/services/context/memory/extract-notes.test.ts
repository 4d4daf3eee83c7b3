import { describe, expect, test } from "bun:test";
import { extractQuestion, readExtracted } from "../../../../src/services/context/memory/extract-notes.ts";

const NOTE = { name: "Run Tests", description: "Tests run with bun", type: "feedback", body: "Use bun." };

describe("proposed notes", () => {
  test("are read from the answer, at most three, with names for files", () => {
    const answer = `Here: ${JSON.stringify([NOTE, NOTE, NOTE, NOTE])}`;
    expect(readExtracted(answer)).toEqual([1, 2, 3].map(() => ({ ...NOTE, type: "feedback", name: "run-tests" })));
    expect(readExtracted("[]")).toEqual([]);
  });

  test.each(["", "none", '[{"name": "x"}]', JSON.stringify([{ ...NOTE, type: "secret" }])])(
    "%p is refused",
    (answer) => {
      expect(() => readExtracted(answer)).toThrow("the model's answer");
    },
  );

  test("are asked for with the person's words, cut, and the notes that exist", () => {
    const question = extractQuestion(["a".repeat(9_000), 'say "hi"\n'], [{ name: "bun", description: "Tests" }]);
    expect(question).toContain("bun: Tests");
    expect(question).toContain('"say \\"hi\\"\\n"');
    expect(question.length).toBeLessThan(4_300);
  });
});
