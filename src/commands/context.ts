import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { contextLines } from "./context-lines.ts";

/** Shows every source of the next request's tokens; `--json` gives the same as data. */
export const contextCommand: Command = {
  name: "context",
  summary: "Show what fills the window, in tokens and money",
  argumentHint: "[--json]",
  async run(argument, { contextReport }) {
    if (!contextReport) throw new UserFacingError("This session has no context to show.");
    if (argument !== "" && argument !== "--json")
      throw new UserFacingError(`/context takes --json or nothing, not ${argument}.`);
    const report = await contextReport();
    if (argument === "--json") return { kind: "text", lines: [JSON.stringify(report, null, 2)] };
    return { kind: "view", title: "Context", lines: contextLines(report) };
  },
};
