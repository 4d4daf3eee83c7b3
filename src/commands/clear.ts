import type { Command } from "../contracts/command.ts";

export const clearCommand: Command = {
  name: "clear",
  summary: "Start a new conversation; the old one stays saved",
  async run(_argument, { engine, sessions }) {
    const { sessionId } = engine.state;
    engine.clear();
    const ways = sessions.copyCleared ? "/resume opens it again, /search finds its parts" : "/search finds its parts";
    const saved = `The old conversation stays saved in session ${sessionId.slice(0, 8)}: ${ways}.`;
    return { kind: "text", lines: [`The conversation was cleared. ${saved}`] };
  },
};
