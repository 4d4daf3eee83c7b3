import type { Command } from "../contracts/command.ts";

export const clearCommand: Command = {
  name: "clear",
  summary: "Forget the conversation and begin anew; its record is kept",
  async run(_argument, { engine }) {
    const { sessionId } = engine.state;
    engine.clear();
    return {
      kind: "text",
      lines: [`The model starts anew. What was said before stays on record in session ${sessionId.slice(0, 8)}.`],
    };
  },
};
