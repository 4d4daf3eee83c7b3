import type { Command } from "../contracts/command.ts";

export const portsCommand: Command = {
  name: "ports",
  summary: "List the open ports of servers in the sandbox",
  interactive: true,
  async run(_argument, { ports }) {
    const open = ports?.list() ?? [];
    const next = ports?.askNext?.() ? ["Quoll will ask about the next ports in a moment."] : [];
    if (open.length === 0)
      return {
        kind: "text",
        lines:
          next.length > 0
            ? next
            : ["No port is open. When a server in the sandbox listens, Quoll asks whether to open its port."],
      };
    const width = Math.max(...open.map(({ address }) => address.length));
    return {
      kind: "text",
      lines: [
        ...open.map(
          ({ address, port, taskId, command }) =>
            `  http://${address.padEnd(width)}  port ${port} of ${taskId}: ${command.replace(/\s+/g, " ").slice(0, 120)}`,
        ),
        ...next,
      ],
    };
  },
};
