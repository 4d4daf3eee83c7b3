import { expect, test } from "bun:test";
import { preparingText } from "../../../src/protocol/transcript/preparing-text.ts";

test("a built-in tool is told by what a person sees of it, another tool by its name", () => {
  expect(preparingText("TodoWrite")).toBe("updating the todo list");
  expect(preparingText("Write")).not.toContain("Write");
  expect(preparingText("mcp__github__create_issue")).toBe("preparing create_issue of github");
  expect(preparingText("Unknown")).toBe("preparing Unknown");
});
