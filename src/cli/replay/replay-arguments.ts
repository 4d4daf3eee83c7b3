import { Command } from "commander";

export type ExportOptions = { readonly replayable?: true; readonly output?: string };

export type ReplayOptions = {
  readonly json?: true;
  /** The folder or commit that the scratch copy is made from. */
  readonly project?: string;
  readonly keep?: true;
  readonly allowRecorded?: true;
};

export type SearchOptions = { readonly json?: true; readonly all?: true };

export type ReplayInvocation =
  | { readonly kind: "search"; readonly words: readonly string[]; readonly options: SearchOptions }
  | { readonly kind: "replay"; readonly wanted: string; readonly options: ReplayOptions }
  | { readonly kind: "sessions"; readonly session: string; readonly options: ExportOptions };

export function replayCommand(found: (asked: ReplayInvocation) => void): Command {
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
    .action((wanted: string, options: ReplayOptions) => found({ kind: "replay", wanted, options }));
}
