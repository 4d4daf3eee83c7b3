import { z } from "zod";

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

export const exitPlanModeInput = z.object({
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
});
