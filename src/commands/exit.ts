import type { Command } from "../contracts/command.ts";

export const exitCommand: Command = {
  name: "exit",
  aliases: ["quit"],
  summary: "Leave; the session is saved (also /quit)",
  interactive: true,
  async run(_argument, { exit }) {
    exit();
    return { kind: "text", lines: [] };
  },
};
