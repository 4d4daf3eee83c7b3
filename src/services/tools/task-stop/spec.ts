import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./task-stop.md" with { type: "text" };

export const taskStopSpec = declareTool({
  name: "TaskStop",
  summary: "End a background task",
  description,
  level: "none",
  input: z.object({ task_id: z.string().min(1) }),
  aliases: { id: "task_id", agent_id: "task_id", bash_id: "task_id", shell_id: "task_id" },
});
