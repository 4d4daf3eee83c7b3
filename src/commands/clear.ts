import type { Command } from "../contracts/command.ts";

export const clearSpec = { name: "clear", summary: "Start a new conversation; the old one stays saved" } as const;

export function clearCommand(): Command {
  return {
    ...clearSpec,
    async run(_argument, { engine }) {
      const { sessionId } = engine.state;
      engine.clear();
      return { lines: [`New conversation. What was said before stays in session ${sessionId.slice(0, 8)}.`] };
    },
  };
}
