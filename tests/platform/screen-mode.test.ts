import { expect, test } from "bun:test";
import { screenMode } from "../../src/platform/screen-mode.ts";

test.each([
  [{}, {}, "inline"],
  [{ TERM: "dumb" }, {}, "plain"],
  [{ TERM: "dumb" }, { setting: "inline" }, "plain"],
  [{}, { isPlain: true }, "plain"],
  [{}, { isPlain: true, setting: "inline" }, "plain"],
  [{}, { setting: "plain" }, "plain"],
  [{ CI: "true" }, {}, "plain"],
  [{ CI: "false" }, {}, "inline"],
  [{ CI: "1" }, { setting: "inline" }, "inline"],
  [{ ACCESSIBLE: "1" }, {}, "plain"],
  [{ ACCESSIBLE: "" }, {}, "inline"],
  [{ CLAUDE_AX_SCREEN_READER: "1" }, {}, "plain"],
  [{ CLAUDE_AX_SCREEN_READER: "0" }, {}, "inline"],
] as const)("%j with %j is drawn %s", (env, wishes, expected) => {
  expect(screenMode(env, wishes)).toBe(expected);
});
