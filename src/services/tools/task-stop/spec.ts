import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-stop.md" with { type: "text" };

export const taskStopSpec = declareTool({
  name: "TaskStop",
  summary: "End a background task",
  description,
  level: "none",
  inputSchema: inputSchemas.TaskStop,
  otherNames: {
    task_id: "id agent_id bash_id shell_id",
  },
});
