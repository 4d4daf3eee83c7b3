import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./enter-plan-mode.md" with { type: "text" };

export const enterPlanModeSpec = declareTool({
  name: "EnterPlanMode",
  summary: "Plan first: change nothing until the user agrees",
  description,
  level: "none",
  input: z.object({}),
});
