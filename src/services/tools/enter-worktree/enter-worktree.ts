import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { enterWorktreeSpec } from "./spec.ts";
import { controlOf, type WorktreeControl } from "./worktree-control.ts";

export const enterWorktreeInput = z.object({
  name: z.string().optional(),
  base: z.string().optional(),
});

/** Moves the main conversation into a worktree. @param control Undefined for an agent, which is refused. */
export function enterWorktreeTool(control: WorktreeControl | undefined): Tool {
  return defineTool(enterWorktreeSpec, enterWorktreeInput, async ({ name, base }, { signal }) => ({
    level: "execute",
    concurrencySafe: false,
    subjects: [],
    title: name ?? "a new worktree",
    preview: {
      kind: "text",
      text: `The conversation continues in the worktree ${name ?? "with a made-up name"}${base === undefined ? "" : `, made from ${base}`}.`,
    },
    run: async () => {
      const { text, summary } = await controlOf(control).enter(
        { ...(name !== undefined && { name }), ...(base !== undefined && { base }) },
        signal,
      );
      return textResult(text, { display: { kind: "summary", text: summary } });
    },
  }));
}
