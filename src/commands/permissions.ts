import type { Command, CommandContext } from "../contracts/command.ts";

const REVOKE = "revoke confined";

export const permissionsCommand: Command = {
  name: "permissions",
  summary: "List the permission rules and where they stand, or take back the yes to all confined commands",
  argumentHint: `[${REVOKE}]`,
  async run(argument, context) {
    const words = argument.trim().replace(/\s+/g, " ");
    if (words === "") return { kind: "text", lines: overview(context) };
    if (words === REVOKE) return { kind: "text", lines: await context.permissions.revokeConsent() };
    return { kind: "text", lines: [`Unknown: "${words}". Type /permissions, or /permissions ${REVOKE}.`] };
  },
};

function overview({ engine, permissions }: CommandContext): readonly string[] {
  const { line, isGiven } = permissions.consent();
  const rules = permissions.describe();
  const head = [
    `Mode: ${engine.state.mode}. Deny goes before ask, ask before allow, whatever their order.`,
    line,
    ...(isGiven ? [`Take it back with /permissions ${REVOKE}.`] : []),
  ];
  if (rules.length === 0) return [...head, "No rules: reading the workspace is free, everything else is asked."];
  const decisions = Math.max(...rules.map(({ decision }) => decision.length));
  const names = Math.min(48, Math.max(...rules.map(({ rule }) => rule.length)));
  const listed = rules.map(
    ({ decision, rule, source }) => `  ${decision.padEnd(decisions)}  ${rule.padEnd(names)}  ${source}`,
  );
  return [...head, ...listed];
}
