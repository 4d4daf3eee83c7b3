import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-output.md" with { type: "text" };

export const taskOutputSpec = declareTool({
  name: "TaskOutput",
  summary: "Read the new output of a background task",
  description,
  level: "none",
  inputSchema: inputSchemas.TaskOutput,
  otherNames: {
    task_id: "id agent_id bash_id shell_id",
    block: "wait",
    timeout: "timeout_ms",
  },
});
