import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./todo-write.md" with { type: "text" };

export const todoWriteSpec = declareTool({
  name: "TodoWrite",
  summary: "Maintain the task list that the user sees",
  description,
  level: "none",
  input: z.object({
    todos: z.array(
      z.object({
        content: z.string().trim().min(1).describe("The step, as an order: Fix the parser"),
        status: z.enum(["pending", "in_progress", "completed"]),
        activeForm: z.string().trim().min(1).describe("The same while it is done: Fixing the parser"),
      }),
    ),
  }),
  aliases: { items: "todos", tasks: "todos", list: "todos" },
});
