import type { Command } from "../contracts/command.ts";

const SHORT_ID_CHARS = 8;

export const clearCommand: Command = {
  name: "clear",
  aliases: ["new"],
  summary: "Start a new conversation; the old one stays saved (also /new)",
  async run(_argument, { engine, sessions }) {
    const hadPrompts = engine.prompts.length > 0;
    const id = engine.clear().slice(0, SHORT_ID_CHARS);
    const canOpen = hadPrompts && sessions.copyCleared !== undefined;
    const ways = `/resume ${id} opens it again (in a shell: quoll --resume ${id}), /search finds its parts.`;
    const saved = canOpen
      ? [`The old conversation stays saved under an id of its own: ${ways}`, "The id of this session stays the same."]
      : [];
    return { kind: "text", lines: ["The conversation was cleared.", ...saved] };
  },
};
