import type { Command } from "../contracts/command.ts";

/** The list of saved sessions, and the work of its keys. The code is loaded at the first use. */
export const sessionsCommand: Command = {
  name: "sessions",
  summary: "List, name, pin, archive and delete sessions",
  argumentHint: "[action]",
  interactive: true,
  async run(argument, context) {
    const { runSessions } = await import("./run-sessions.ts");
    return runSessions(argument, context);
  },
};
