import { expect, test } from "bun:test";
import { diffAfterHook } from "../../../src/services/tools/hook-changes.ts";
import { shownDiff } from "../../../src/services/tools/shown-diff.ts";
import { NO_SECRETS } from "../../support/engine-harness.ts";

test("the diff of a notebook's cell stays when a hook changes the file's JSON after it", () => {
  const { diff } = shownDiff("x = 1", "x = 2", undefined);
  const display = { kind: "diff", path: "n.ipynb", isNew: false, isOfCell: true, ...diff } as const;
  const texts = { before: '{\n "source": "x = 2"\n}\n', after: '{ "source": "x = 2" }\n' };
  expect(diffAfterHook(display, texts, NO_SECRETS)).toBe(display);
});
