import type { Command } from "../contracts/command.ts";

/** Runs one prompt for many inputs. The batch code is loaded at the first use. */
export const batchCommand: Command = {
  name: "batch",
  summary: "Run one prompt for many files or lines, an agent each",
  argumentHint: "[--files glob -- prompt | run id | show id]",
  async run(argument, context, signal) {
    const { answerBatch } = await import("./batch-command.ts");
    return answerBatch(argument, context, signal);
  },
};
