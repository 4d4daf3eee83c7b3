import { SKILL_TOOL } from "../../../contracts/skill.ts";
import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./skill.md" with { type: "text" };

export const skillSpec = declareTool({
  name: SKILL_TOOL,
  summary: "Load the instructions of a skill",
  description,
  level: "read",
  inputSchema: inputSchemas[SKILL_TOOL],
  otherNames: {
    skill: "name command",
    args: "arguments",
  },
});
