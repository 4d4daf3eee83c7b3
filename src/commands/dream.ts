import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { SessionMemory } from "../contracts/memory.ts";
import { yesNo } from "./yes-no.ts";

/**
 * Lets the model merge and prune the notes of the project's memory: shows the changes first, and applies them after a
 * yes.
 */
export const dreamCommand: Command = {
  name: "dream",
  summary: "Have the model merge and prune the notes, as a diff first",
  argumentHint: "[apply | discard | undo]",
  async run(argument, { memory }) {
    if (!memory) throw new UserFacingError("This session has no memory.");
    switch (argument.trim()) {
      case "":
        return dreaming(memory);
      case "apply":
        return { kind: "text", lines: await memory.applyDream() };
      case "undo":
        return { kind: "text", lines: await memory.undoDream() };
      case "discard":
        return { kind: "text", lines: ["The notes stay as they are."] };
      default:
        throw new UserFacingError("Use /dream, /dream apply, /dream discard or /dream undo.");
    }
  },
};

function dreaming(memory: SessionMemory): CommandResult {
  return {
    kind: "operation",
    title: "Reading the notes",
    run: async (_report, signal) => {
      const lines = await memory.dream(signal);
      if (lines.length === 0) return { kind: "text", lines: ["The notes need no change."] };
      return yesNo({
        title: "Change the notes like this?",
        no: { detail: "the notes stay as they are", input: "/dream discard" },
        yes: { label: "Yes", detail: "`/dream undo` takes it back", input: "/dream apply" },
        before: lines,
        lines: ["Nothing is changed yet. `/dream apply` changes the notes like this."],
      });
    },
  };
}
