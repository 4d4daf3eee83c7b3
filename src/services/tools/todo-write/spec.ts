import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./todo-write.md" with { type: "text" };

export const todoWriteSpec = declareTool({
  name: "TodoWrite",
  summary: "Maintain the task list that the user sees",
  description,
  level: "none",
  inputSchema: inputSchemas.TodoWrite,
  otherNames: {
    todos: "items tasks list",
  },
});
