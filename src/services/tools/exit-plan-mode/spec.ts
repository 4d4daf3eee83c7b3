import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./exit-plan-mode.md" with { type: "text" };

export const exitPlanModeSpec = declareTool({
  name: "ExitPlanMode",
  summary: "Show the user a plan, and start it after approval",
  description,
  level: "none",
  inputSchema: inputSchemas.ExitPlanMode,
  otherNames: {
    plan: "text markdown",
    allowed: "rules allowedPrompts",
  },
});
