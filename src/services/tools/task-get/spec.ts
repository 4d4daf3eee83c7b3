import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./task-get.md" with { type: "text" };

export const taskGetSpec = declareTool({
  name: "TaskGet",
  summary: "Show a task of the shared list",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, details of a task",
  input: z.object({ taskId: z.string().trim().min(1) }),
  aliases: { id: "taskId", task: "taskId" },
});
