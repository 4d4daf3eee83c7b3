import { z } from "zod";

/** The `worktree` section: where and how Quoll makes worktrees. */
export const worktreeSettingsSchema = z.object({
  folder: z
    .string()
    .regex(/^(?:~\/|\/)./, "an absolute path, or one that begins with ~/")
    .optional()
    .describe("The folder for worktrees, outside repositories (default: in Quoll's data folder)"),
  base: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("The branch from which worktrees begin (default: the checked-out commit)"),
  sparse: z.array(z.string()).optional().describe("The only folders that worktrees hold, as in `git sparse-checkout`"),
  setup: z.string().min(1).optional().describe("A shell command that prepares each new worktree, such as `npm ci`"),
});
export type WorktreeSettings = z.infer<typeof worktreeSettingsSchema>;
