import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-create.md" with { type: "text" };

export const taskCreateSpec = declareTool({
  name: "TaskCreate",
  summary: "Add a task to the list that agents share",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, todo, plan, work of several agents",
  inputSchema: inputSchemas.TaskCreate,
  otherNames: {
    subject: "title name content",
    description: "prompt details",
  },
});
