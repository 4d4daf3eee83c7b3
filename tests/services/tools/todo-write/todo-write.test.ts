import { expect, test } from "bun:test";
import type { Todo } from "../../../../src/contracts/display.ts";
import { todoWriteTool } from "../../../../src/services/tools/todo-write/todo-write.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { failure, runCall } from "../call-tool.ts";

const context = toolContext();
const step = (content: string, status: Todo["status"]): Todo => ({ content, status, activeForm: `${content}ing` });

test("a list is sent to the screen and answered briefly", async () => {
  const tool = todoWriteTool();
  const todos = [step("Read", "completed"), step("Fix", "in_progress"), step("Test", "pending")];
  const call = await tool.prepare({ todos }, context);
  expect({ level: call.level, subjects: call.subjects, title: call.title }).toEqual({
    level: "none",
    subjects: [],
    title: "3 steps",
  });
  expect(await runCall(call)).toEqual({
    content: "Noted: 1 of 3 steps done; now: Fix.",
    display: { kind: "todos", todos },
  });
});

test("an empty list clears, a finished one has nothing next", async () => {
  const tool = todoWriteTool();
  expect((await runCall(await tool.prepare({ todos: "[]" }, context))).content).toBe("The list is cleared.");
  expect((await runCall(await tool.prepare({ todos: [step("Read", "completed")] }, context))).content).toBe(
    "Noted: 1 of 1 step done.",
  );
});

test.each([
  [
    { todos: [step("A", "in_progress"), step("B", "in_progress")] },
    'Only one step may be in_progress, and 2 are: "A", "B".',
  ],
  [{ todos: [{ content: "A", status: "pending" }] }, "todos[0].activeForm"],
  [{ todos: [{ content: " ", status: "pending", activeForm: "x" }] }, "todos[0].content"],
  [{ todos: [{ content: "A", status: "done", activeForm: "x" }] }, "todos[0].status"],
  [{}, "todos"],
])("%j is refused", async (input, message) => {
  const tool = todoWriteTool();
  expect(await failure(tool.prepare(input, context))).toContain(message);
});
