import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { controlOf, type WorktreeControl } from "../enter-worktree/worktree-control.ts";
import { exitWorktreeSpec } from "./spec.ts";

export const exitWorktreeInput = z.object({
  action: z.enum(["keep", "remove"]),
  discard: z.boolean().optional(),
});

/** Moves the main conversation out of its worktree; only losing work needs consent. @param control Undefined for an agent, which is refused. */
export function exitWorktreeTool(control: WorktreeControl | undefined): Tool {
  return defineTool(exitWorktreeSpec, exitWorktreeInput, async ({ action, discard }, { signal }) => {
    const discards = action === "remove" && discard === true;
    return {
      level: discards ? "execute" : "none",
      concurrencySafe: false,
      subjects: [],
      title: discards ? "remove, with all its work" : action,
      ...(discards && {
        preview: { kind: "text", text: "The changed files and the commits of the worktree are lost." } as const,
      }),
      run: async () => {
        const { text, summary } = await controlOf(control).exit({ action, discards }, signal);
        return textResult(text, { display: { kind: "summary", text: summary } });
      },
    };
  });
}
