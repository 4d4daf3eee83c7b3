import type { Command, CommandContext } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";

const REVOKE = "revoke sandbox";
/** The earlier spelling. */
const REVOKE_CONFINED = "revoke confined";
/** Fits a terminal of 80 columns. */
const MAX_ROW_CHARS = 76;

export const permissionsCommand: Command = {
  name: "permissions",
  summary: "List, add and remove permission rules",
  argumentHint: `[add|remove|${REVOKE}]`,
  needsNoServers: true,
  async run(argument, context) {
    const words = argument.trim().replace(/\s+/g, " ");
    const lines = () => overview(context);
    const { changeRules, ruleList } = await import("./permission-rules.ts");
    if (words === "") return context.settings ? ruleList(context, lines()) : { kind: "text", lines: lines() };
    const changed = await changeRules(argument.trim(), context, lines);
    if (changed) return changed;
    if (words === REVOKE || words === REVOKE_CONFINED)
      return { kind: "text", lines: await context.permissions.revokeConsent() };
    throw new UserFacingError(`Unknown: "${words}". Type /permissions, or /permissions add, remove or ${REVOKE}.`);
  },
};

function overview({ engine, permissions }: CommandContext): readonly string[] {
  const { line, isGiven } = permissions.consent();
  const rules = permissions.describe();
  const head = [
    `Mode: ${engine.state.mode}. Deny rules precede ask rules, and ask rules precede allow rules, whatever their order.`,
    line,
    ...(isGiven ? [`Revoke this consent with /permissions ${REVOKE}.`] : []),
  ];
  if (rules.length === 0)
    return [...head, "No rules: Quoll reads the workspace without asking, and asks about everything else."];
  const decisions = Math.max(...rules.map(({ decision }) => decision.length));
  const names = Math.min(48, Math.max(...rules.map(({ rule }) => rule.length)));
  const rows = rules.map(
    ({ decision, rule, source }) => `  ${decision.padEnd(decisions)}  ${rule.padEnd(names)}  ${source}`,
  );
  if (rows.every((row) => row.length <= MAX_ROW_CHARS)) return [...head, ...rows];
  // A row that the terminal wraps would break paths in the middle.
  const indent = " ".repeat(decisions + 4);
  const pairs = rules.flatMap(({ decision, rule, source }) => [
    `  ${decision.padEnd(decisions)}  ${rule}`,
    `${indent}${source}`,
  ]);
  return [...head, ...pairs];
}
