import type { Command } from "../contracts/command.ts";

/** Shows what the session, a turn or a file changed, and what differs from the last commit. */
export const diffCommand: Command = {
  name: "diff",
  summary: "Show this session's changes, and take single ones back",
  argumentHint: "[prompt | turn [prompt] | commit] [file]",
  interactive: true,
  needsNoServers: true,
  async run(argument, context, signal) {
    const { runDiff } = await import("./run-diff.ts");
    return runDiff(argument, context, signal);
  },
};
