import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formsGuide, GUIDE_END, GUIDE_START } from "../../../../scripts/docs/offline-forms.ts";
import { FORMS } from "../../../../src/services/provider/offline/grammar.ts";
import { parseRequest } from "../../../../src/services/provider/offline/parse-request.ts";

const guide = await readFile(join(import.meta.dir, "../../../../docs/guide/offline.md"), "utf8");

/** The requests in blocks of the language `request`; in one with three backticks empty lines part them. */
function examples(): readonly string[] {
  return [...guide.matchAll(/^(`{3,})request\n([\s\S]*?)\n\1$/gm)].flatMap(([, fence = "", body = ""]) =>
    fence.length > 3 ? [body] : body.split("\n\n"),
  );
}

test("every example of the guide is understood", () => {
  const found = examples();
  expect(found.length).toBeGreaterThan(FORMS.flatMap((form) => form.examples).length + 8);
  for (const example of found) expect([example, parseRequest(example).kind]).toEqual([example, "plan"]);
});

test("the guide's list of forms is the table's own", () => {
  const start = guide.indexOf(GUIDE_START);
  const end = guide.indexOf(GUIDE_END) + GUIDE_END.length;
  expect(guide.slice(start, end)).toBe(formsGuide());
});

test("the guide says what the examples of several steps mean", () => {
  const steps = examples().map((example) => {
    const parsed = parseRequest(example);
    return parsed.kind === "plan" ? parsed.steps.map(({ step }) => step.form).join(" ") : "";
  });
  expect(steps).toEqual(
    expect.arrayContaining([
      "replace run",
      "create append read",
      "list read",
      "search run",
      "run run",
      "run list",
      "create run",
    ]),
  );
});
