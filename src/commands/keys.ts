import { tableLines } from "@quoll/terminal-text/table-lines";
import type { Command } from "../contracts/command.ts";

/** Shows every key of the screen, and changes the person's own keys. */
export const keysCommand: Command = {
  name: "keys",
  summary: "Show and change the keys",
  argumentHint: "[set|add|remove|unbind|reset context action]",
  interactive: true,
  needsNoServers: true,
  async run(argument, { showKeys, keys = [] }) {
    if (showKeys) {
      showKeys({ about: "keys", argument: argument.trim() });
      return { kind: "text", lines: [] };
    }
    const rows = keys.map((one) => [one.keys, one.does]);
    return { kind: "text", lines: tableLines(rows, "  ") };
  },
};
