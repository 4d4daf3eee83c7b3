import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-output.md" with { type: "text" };

export const taskOutputSpec = declareTool({
  name: "TaskOutput",
  summary: "Read the new output of a background task",
  description,
  level: "none",
  inputSchema: inputSchemas.TaskOutput,
  aliases: {
    id: "task_id",
    agent_id: "task_id",
    bash_id: "task_id",
    shell_id: "task_id",
    wait: "block",
    timeout_ms: "timeout",
  },
});
