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
    .argument("<session|file>", "a session of this project, by its id or the beginning of the id, or an exported file")
    .option("--json", "as JSON")
    .option("--project <folder>", "the project to copy")
    .option("--keep", "keep the scratch copy, and print its path")
    .option("--allow-recorded", "run every call that the recording allowed, even without a sandbox")
    .action((wanted: string, options: ReplayOptions) => found({ kind: "replay", wanted, options }));
}

export function sessionsCommand(found: (asked: ReplayInvocation) => void): Command {
  const exporting = new Command("export")
    .description("write a session to one file")
    .argument("<session>", "the session's id, or the beginning of the id")
    .option("--replayable", "include everything that `quoll replay` needs; credentials are removed")
    .option("--output <file>", "the file to write, or - for stdout (default: named after the session, here)")
    .action((session: string, options: ExportOptions) => found({ kind: "sessions", session, options }));
  const searching = new Command("search")
    .description("search everything that was said and done, in all sessions of all projects")
    .argument("<words...>", "words, names, numbers or ids")
    .option("--json", "as JSON")
    .option("--all", "list every match, not only the best 20")
    .action((words: readonly string[], options: SearchOptions) => found({ kind: "search", words, options }));
  return new Command("sessions")
    .description("saved sessions")
    .helpCommand(false)
    .addCommand(searching)
    .addCommand(exporting);
}
