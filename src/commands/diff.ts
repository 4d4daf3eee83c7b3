import type { Command } from "../contracts/command.ts";

/** Shows what the session, a turn or a file changed, and what differs from the last commit. */
export const diffCommand: Command = {
  name: "diff",
  summary: "Show what this session changed, since a prompt or the last commit; take single changes back",
  argumentHint: "[prompt | turn [prompt] | commit] [file]",
  interactive: true,
  needsNoServers: true,
  async run(argument, context, signal) {
    const { runDiff } = await import("./run-diff.ts");
    return runDiff(argument, context, signal);
  },
};
