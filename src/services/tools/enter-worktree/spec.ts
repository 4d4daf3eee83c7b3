import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./enter-worktree.md" with { type: "text" };

export const enterWorktreeSpec = declareTool({
  name: "EnterWorktree",
  summary: "Go on in a git worktree",
  description,
  level: "execute",
  isRare: true,
  searchHint: "git worktree, separate checkout, branch of its own",
  inputSchema: inputSchemas.EnterWorktree,
  otherNames: {
    base: "branch base_ref",
  },
});
