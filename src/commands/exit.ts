import type { Command } from "../contracts/command.ts";

export const exitCommand: Command = {
  name: "exit",
  summary: "Leave; the session is saved",
  interactive: true,
  async run(_argument, { exit }) {
    exit();
    return { kind: "text", lines: [] };
  },
};
