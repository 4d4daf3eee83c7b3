import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./enter-worktree.md" with { type: "text" };

export const enterWorktreeSpec = declareTool({
  name: "EnterWorktree",
  summary: "Go on in a git worktree",
  description,
  level: "execute",
  isRare: true,
  searchHint: "git worktree, separate checkout, branch of its own",
  input: z.object({
    name: z.string().optional(),
    base: z.string().optional(),
  }),
  aliases: { branch: "base", base_ref: "base" },
});
