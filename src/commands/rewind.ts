import type { Command } from "../contracts/command.ts";

/** Goes back to the moment before a prompt. The code is loaded at the first use. */
export const rewindCommand: Command = {
  name: "rewind",
  aliases: ["undo", "revert", "checkpoint"],
  summary: "Go back to before a prompt: files, conversation or both (also /undo, /revert, /checkpoint)",
  argumentHint: "[prompt|backups] [both|files|conversation]",
  needsNoServers: true,
  async run(argument, context, signal) {
    const { runRewind } = await import("./run-rewind.ts");
    return runRewind(argument, context, signal);
  },
};

/** Takes the newest rewind back. */
export const redoCommand: Command = {
  name: "redo",
  summary: "Take the last rewind back: files and conversation",
  needsNoServers: true,
  async run(_argument, context, signal) {
    const { runRedo } = await import("./run-rewind.ts");
    return runRedo(context, signal);
  },
};
