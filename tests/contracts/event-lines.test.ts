import { expect, test } from "bun:test";
import { toolsChangedLine } from "../../src/contracts/event-lines.ts";

test("the line about changed tools names them and what the next request costs", () => {
  const line = toolsChangedLine({
    type: "tools_changed",
    added: ["One", "Two", "Three", "Four"],
    changed: ["Old"],
    resentTokens: 900,
  });
  expect(line).toBe(
    "New tools: One, Two, Three and 1 more. Changed tools: Old. The next request sends about 900 tokens again without the cache.",
  );
});
