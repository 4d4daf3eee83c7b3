import { z } from "zod";
import { declareTool } from "../../../contracts/tool.ts";
import description from "./exit-plan-mode.md" with { type: "text" };

/** Short enough for a person to read completely. */
export const MAX_PLAN_CHARS = 50_000;
export const MAX_PLAN_RULES = 10;
const MAX_RULE_CHARS = 200;

/** A command rule must name a command: text that a person cannot see, or that would match every command, is invalid. */
const COMMAND_RULE = /^Bash\((?=.*[^\s*:()]).+\)$/;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

function isCommandRule(rule: string): boolean {
  return COMMAND_RULE.test(rule) && !UNSEEN.test(rule);
}

export const exitPlanModeSpec = declareTool({
  name: "ExitPlanMode",
  summary: "Show the user a plan, and start it after approval",
  description,
  level: "none",
  input: z.object({
    plan: z.string().trim().min(1).max(MAX_PLAN_CHARS),
    allowed: z
      .array(
        z
          .string()
          .trim()
          .max(MAX_RULE_CHARS)
          .refine(isCommandRule, "must be a rule such as Bash(npm test *), on one line"),
      )
      .max(MAX_PLAN_RULES)
      .default([]),
  }),
  aliases: { text: "plan", markdown: "plan", rules: "allowed", allowedPrompts: "allowed" },
});
