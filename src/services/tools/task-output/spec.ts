import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./task-output.md" with { type: "text" };

export const taskOutputSpec = declareTool({
  name: "TaskOutput",
  summary: "Read the new output of a background task",
  description,
  level: "none",
  input: z.object({
    task_id: z.string().min(1).optional().describe("Such as b1 or a1; without it, all tasks are listed"),
    block: z.boolean().default(true),
    timeout: z.number().int().min(0).max(600_000).default(30_000).describe("Milliseconds"),
  }),
  aliases: {
    id: "task_id",
    agent_id: "task_id",
    bash_id: "task_id",
    shell_id: "task_id",
    wait: "block",
    timeout_ms: "timeout",
  },
});
