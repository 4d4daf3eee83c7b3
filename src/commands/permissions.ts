import type { Command } from "../contracts/command.ts";

export const permissionsSpec = {
  name: "permissions",
  summary: "List the permission rules and where they stand",
} as const;

export function permissionsCommand(): Command {
  return {
    ...permissionsSpec,
    async run(_argument, { engine, permissions }) {
      const rules = permissions.describe();
      const mode = `Mode: ${engine.state.mode}. Deny goes before ask, ask before allow, whatever their order.`;
      if (rules.length === 0) {
        return { lines: [mode, "No rules: reading the workspace is free, everything else is asked."] };
      }
      const decisions = Math.max(...rules.map(({ decision }) => decision.length));
      const names = Math.min(48, Math.max(...rules.map(({ rule }) => rule.length)));
      return {
        lines: [
          mode,
          ...rules.map(
            ({ decision, rule, source }) => `  ${decision.padEnd(decisions)}  ${rule.padEnd(names)}  ${source}`,
          ),
        ],
      };
    },
  };
}
