import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./exit-worktree.md" with { type: "text" };

export const exitWorktreeSpec = declareTool({
  name: "ExitWorktree",
  summary: "Go back to the folder of the start",
  description,
  level: "execute",
  isRare: true,
  searchHint: "leave, keep or remove the git worktree",
  input: z.object({
    action: z.enum(["keep", "remove"]),
    discard: z.boolean().optional(),
  }),
  aliases: { discard_changes: "discard" },
});
