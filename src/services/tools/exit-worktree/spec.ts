import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./exit-worktree.md" with { type: "text" };

export const exitWorktreeSpec = declareTool({
  name: "ExitWorktree",
  summary: "Go back to the folder of the start",
  description,
  level: "execute",
  isRare: true,
  searchHint: "leave, keep or remove the git worktree",
  inputSchema: inputSchemas.ExitWorktree,
  otherNames: {
    discard: "discard_changes",
  },
});
