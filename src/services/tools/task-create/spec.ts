import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./task-create.md" with { type: "text" };

export const taskCreateSpec = declareTool({
  name: "TaskCreate",
  summary: "Add a task to the list that agents share",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, todo, plan, work of several agents",
  input: z.object({
    subject: z.string().trim().min(1).describe("As an order: Fix the parser"),
    description: z.string().trim().min(1),
    activeForm: z.string().trim().min(1).optional(),
    metadata: z.looseObject({}).optional(),
  }),
  aliases: { title: "subject", name: "subject", content: "subject", prompt: "description", details: "description" },
});
