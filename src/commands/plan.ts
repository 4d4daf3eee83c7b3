import type { Command } from "../contracts/command.ts";

/** Enters plan mode; with an argument, the model begins at once. */
export const planCommand: Command = {
  name: "plan",
  summary: "Plan mode: the model changes nothing until you accept a plan",
  argumentHint: "[task]",
  async run(argument, { engine }) {
    const isThere = engine.state.mode === "plan";
    engine.setMode("plan");
    const task = argument.trim();
    if (task !== "") return { kind: "prompt", prompt: task };
    const line = isThere ? "Plan mode is on already." : "Plan mode is on: nothing is changed until you accept a plan.";
    return { kind: "text", lines: [line] };
  },
};
