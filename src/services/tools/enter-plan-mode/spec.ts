import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./enter-plan-mode.md" with { type: "text" };

export const enterPlanModeSpec = declareTool({
  name: "EnterPlanMode",
  summary: "Plan first: change nothing until the user agrees",
  description,
  level: "none",
  inputSchema: inputSchemas.EnterPlanMode,
});
