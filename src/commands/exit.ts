import type { Command } from "../contracts/command.ts";

export const exitSpec = { name: "exit", summary: "Leave; the session is saved" } as const;

export function exitCommand(): Command {
  return {
    ...exitSpec,
    async run(_argument, { exit }) {
      exit();
      return { lines: [] };
    },
  };
}
