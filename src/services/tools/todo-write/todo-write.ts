import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { Todo } from "../../../contracts/display.ts";
import { InvalidInputError } from "../../../contracts/errors.ts";
import { textResult } from "../../../contracts/tool.ts";
import { todoWriteSpec } from "./spec.ts";

export const todoWriteInput = z.object({
  todos: z.array(
    z.object({
      content: z.string().trim().min(1).describe("The step, as an order: Fix the parser"),
      status: z.enum(["pending", "in_progress", "completed"]),
      activeForm: z.string().trim().min(1).describe("The same while it is done: Fixing the parser"),
    }),
  ),
});

/** Stores nothing: the list is part of the result's display, and the screen reads it there. */
export const todoWriteTool = () =>
  defineTool(todoWriteSpec, todoWriteInput, async ({ todos }) => {
    const running = todos.filter(({ status }) => status === "in_progress");
    if (running.length > 1) {
      const names = running.map(({ content }) => `"${content}"`).join(", ");
      throw new InvalidInputError(`Only one step may be in_progress, and ${running.length} are: ${names}.`);
    }
    const title = todos.length === 0 ? "clear the list" : plural(todos.length, "step");
    return {
      level: "none",
      concurrencySafe: false,
      subjects: [],
      title,
      run: async () => textResult(answer(todos), { display: { kind: "todos", todos } }),
    };
  });

function answer(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is cleared.";
  const done = todos.filter(({ status }) => status === "completed").length;
  const next = todos.find(({ status }) => status === "in_progress") ?? todos.find(({ status }) => status === "pending");
  return `Noted: ${done} of ${plural(todos.length, "step")} done${next ? `; now: ${next.content}` : ""}.`;
}
