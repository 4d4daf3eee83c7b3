import { Command } from "commander";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";

export function replayCommand(found: Found): Command {
  return new Command("replay")
    .description("run a session's calls again in a scratch copy, and say where the results differ")
    .argument(
      "<session|file>",
      "a session of this project, by its id or name or the beginning of either, or an exported file",
    )
    .option("--json", "as JSON")
    .option("--project <folder>", "the project to copy")
    .option("--keep", "keep the scratch copy, and print its path")
    .option("--allow-recorded", "run every call that the recording allowed, even without a sandbox")
    .action(actions(found, () => import("./replay-command.ts"))((code) => code.runReplayCommand));
}
