import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import type { PlanMode } from "../../../contracts/permission.ts";
import { type Tool, textResult } from "../../../contracts/tool.ts";
import { enterPlanModeSpec } from "./spec.ts";

export const enterPlanModeInput = z.object({});

export type EnterPlanModeDeps = { readonly mode: PlanMode };

/** Switches to plan mode. Asks nobody, because plan mode only restricts. */
export function enterPlanModeTool({ mode }: EnterPlanModeDeps): Tool {
  return defineTool(enterPlanModeSpec, enterPlanModeInput, async () => ({
    level: "none",
    concurrencySafe: false,
    subjects: [],
    title: "plan first",
    run: async () => {
      if (mode.get() === "plan") return textResult("Plan mode is on already. Hand the plan over with ExitPlanMode.");
      mode.set("plan");
      return textResult(
        "Plan mode is on: nothing can be changed or run until the user has agreed. Look at what the work needs, then hand the plan over with ExitPlanMode.",
        { display: { kind: "summary", text: "plan mode on" } },
      );
    },
  }));
}
