import type { Command } from "../contracts/command.ts";

/** Lists saved sessions, or resumes one. The code is loaded at the first use. */
export const resumeCommand: Command = {
  name: "resume",
  summary: "Resume another session",
  argumentHint: "[session]",
  interactive: true,
  async complete(typed, context) {
    const { completeResume } = await import("./run-resume.ts");
    return completeResume(typed, context);
  },
  async run(argument, context) {
    const { runResume } = await import("./run-resume.ts");
    return runResume(argument, context);
  },
};
