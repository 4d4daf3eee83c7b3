import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";

/** Writes a file for the report of a bug, and sends it nowhere. */
export const bugCommand: Command = {
  name: "bug",
  summary: "Write what a bug report needs to a file, without secrets",
  interactive: true,
  needsNoServers: true,
  async run(_argument, { bugReport }) {
    if (!bugReport)
      throw new UserFacingError("Run `quoll doctor` in a terminal and add what it prints to your report.");
    return {
      kind: "operation",
      title: "Collecting",
      run: async (_progress, signal) => {
        const lines = [
          `Written: ${await bugReport(signal)}`,
          "Read the file, add at its top what you did and what happened, and attach it to your report.",
        ];
        return { kind: "text", lines };
      },
    };
  },
};
