import { expect, test } from "bun:test";
import { screenMode } from "../../src/platform/screen-mode.ts";

test.each([
  [{}, {}, "inline"],
  [{ TERM: "dumb" }, {}, "plain"],
  [{ TERM: "dumb" }, { setting: "inline" }, "plain"],
  [{}, { flag: "plain" }, "plain"],
  [{}, { flag: "plain", setting: "inline" }, "plain"],
  [{}, { setting: "plain" }, "plain"],
  [{ TERM: "dumb" }, { flag: "full" }, "plain"],
  [{ CI: "1" }, { flag: "full", setting: "plain" }, "full"],
  [{}, { setting: "full" }, "full"],
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
