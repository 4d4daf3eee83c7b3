import type { Command } from "../contracts/command.ts";

/**
 * Without a file: lists the instruction files and the notes. With a file: opens the file in the editor. `add`: adds a
 * line to an instruction file. `on`, `off`: switches the notes on or off for this session. The code is loaded at the first use.
 */
export const memoryCommand: Command = {
  name: "memory",
  summary: "List and edit instruction files, and switch notes on or off",
  argumentHint: "[file | add words | on | off]",
  needsNoServers: true,
  async run(argument, context, signal) {
    const { runMemory } = await import("./run-memory.ts");
    return runMemory(argument, context, signal);
  },
};
