import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-get.md" with { type: "text" };

export const taskGetSpec = declareTool({
  name: "TaskGet",
  summary: "Show a task of the shared list",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, details of a task",
  inputSchema: inputSchemas.TaskGet,
  otherNames: {
    taskId: "id task",
  },
});
