import type { Command } from "../contracts/command.ts";

export const clearCommand: Command = {
  name: "clear",
  summary: "Start a new conversation; the old one stays saved",
  async run(_argument, { engine }) {
    const { sessionId } = engine.state;
    engine.clear();
    return {
      kind: "text",
      lines: [
        `The conversation was cleared. The old conversation stays saved in session ${sessionId.slice(0, 8)}: /search finds its parts, but /resume can't open it again.`,
      ],
    };
  },
};
