import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-list.md" with { type: "text" };

export const taskListSpec = declareTool({
  name: "TaskList",
  summary: "List the tasks that agents share",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, todos, free tasks",
  inputSchema: inputSchemas.TaskList,
});
