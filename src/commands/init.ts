import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";

const EXISTING =
  "The file exists already. Read it first. Keep what is right and every rule that a person wrote, correct what is wrong or out of date, add what is missing, and change nothing else.";

/** Lets the model write instructions for this repository, from the files of the repository. */
export const initCommand: Command = {
  name: "init",
  summary: "Write an AGENTS.md for this project, or improve it",
  argumentHint: "[hint]",
  async run(argument, { instructions }, signal) {
    if (!instructions) throw new UserFacingError("This session reads no instruction files.");
    const { target, exists, facts } = await instructions.report(signal);
    const parts: Readonly<Record<string, string>> = {
      target,
      // Text from the repository must not close its own element.
      facts: facts.replaceAll("</repository-facts", "<\\/repository-facts"),
      existing: exists ? EXISTING : "",
      hint: argument.trim() === "" ? "" : `The user adds: ${argument.trim()}`,
    };
    const { default: template } = await import("./init.md", { with: { type: "text" } });
    const prompt = template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? "").trim();
    return { kind: "prompt", prompt };
  },
};
