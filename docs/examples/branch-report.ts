import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Extension } from "@quoll/extension-api";

const run = promisify(execFile);

/** A command: `/branch-report` shows the commits of the branch, `/branch-report write` has the model describe them. */
export const extension: Extension = {
  apiVersion: 1,
  setup(quoll) {
    quoll.defineCommand({
      name: "branch-report",
      summary: "Show the commits of this branch, or have them described",
      argumentHint: "[write]",
      async run(argument, { cwd, signal }) {
        const { stdout } = await run("git", ["log", "--oneline", "-20"], { cwd, signal });
        if (argument !== "write") return stdout;
        return { prompt: `Describe these commits for a pull request, in five lines at most:\n\n${stdout}` };
      },
    });
  },
};
