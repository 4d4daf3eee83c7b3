import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./task-update.md" with { type: "text" };

export const taskUpdateSpec = declareTool({
  name: "TaskUpdate",
  summary: "Claim, change, complete or delete a task of the shared list",
  description,
  level: "none",
  isRare: true,
  searchHint: "shared task list, claim, complete, dependencies, owner",
  inputSchema: inputSchemas.TaskUpdate,
  otherNames: {
    taskId: "id task",
    addBlocks: "blocks",
    addBlockedBy: "blockedBy",
    subject: "title",
  },
});
