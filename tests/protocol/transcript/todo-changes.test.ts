import { expect, test } from "bun:test";
import type { Todo } from "../../../src/contracts/display.ts";
import { todoChanges } from "../../../src/protocol/transcript/todo-changes.ts";

const step = (content: string, status: Todo["status"] = "pending"): Todo => ({
  content,
  status,
  activeForm: `${content}…`,
});
const told = (before: readonly Todo[], after: readonly Todo[]) =>
  todoChanges(before, after).map(({ todo, how }) => `${how}: ${todo.content}`);

test("an update of the steps tells what was added, started, done, reopened and removed, and nothing else", () => {
  const before = [step("a", "in_progress"), step("b"), step("c"), step("d", "completed"), step("e")];
  const after = [step("a", "completed"), step("b", "in_progress"), step("c"), step("d"), step("f")];
  expect(told(before, after)).toEqual(["done: a", "started: b", "reopened: d", "added: f", "removed: e"]);
  expect(told(after, after)).toEqual([]);
});

test("the first list is new, and so is one that follows a finished list without a step of it", () => {
  const steps = [step("a", "in_progress"), step("b")];
  expect(told([], steps)).toEqual(["started: a", "added: b"]);
  expect(told([step("x", "completed")], steps)).toEqual(["started: a", "added: b"]);
  expect(told([step("x")], steps)).toEqual(["started: a", "added: b", "removed: x"]);
  expect(told([step("a", "completed"), step("x", "completed")], steps)).toEqual([
    "started: a",
    "added: b",
    "removed: x",
  ]);
});

test("a cleared list removes its open steps, and steps of one name are told apart by their number", () => {
  expect(told([step("a"), step("b", "completed")], [])).toEqual(["removed: a", "removed: b"]);
  expect(told([step("a")], [step("a"), step("a")])).toEqual(["added: a"]);
});
