import { z } from "zod";
import { SKILL_TOOL } from "../../../contracts/skill.ts";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./skill.md" with { type: "text" };

export const skillSpec = declareTool({
  name: SKILL_TOOL,
  summary: "Load the instructions of a skill",
  description,
  level: "read",
  input: z.object({
    skill: z.string().trim().min(1).describe("Its name, without a slash"),
    args: z.string().optional().describe("What follows the name when typed"),
  }),
  aliases: { name: "skill", command: "skill", arguments: "args" },
});
