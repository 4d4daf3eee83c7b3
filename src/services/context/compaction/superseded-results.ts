import type { ToolResultBlock, ToolUseBlock } from "../../../contracts/message.ts";
import { type FoundResult, fileOf } from "./found-results.ts";

/** The beginning of the text that replaces a cleared result. */
export const CLEARED_WORDS = "[Cleared";
/**
 * A repeated call of these tools shows the present state. Other tools, such as TaskOutput, may return only new output.
 */
const SHOWS_ALL = new Set(["Read", "Grep", "Glob", "Bash"]);

/**
 * Results that a later result supersedes: those of a repeated identical call, and those of reads and changes of a file
 * that was later read as a whole. A later result that failed, was cleared, or refers to an earlier one supersedes none.
 * @param results The results, oldest first.
 * @returns each superseded result with the id of the later call.
 */
export function supersededResults(results: readonly FoundResult[]): ReadonlyMap<FoundResult, string> {
  const superseded = new Map<FoundResult, string>();
  const later = new Map<string, string>();
  for (const result of results.toReversed()) {
    const { use, block } = result;
    if (use === undefined) continue;
    const file = fileOf(use);
    const again = later.get(callKey(use)) ?? (file === undefined ? undefined : later.get(wholeKey(file)));
    if (again !== undefined) superseded.set(result, again);
    if (!SHOWS_ALL.has(use.name) || !showsContent(block)) continue;
    later.set(callKey(use), use.id);
    if (file !== undefined && showsWholeFile(use, block)) later.set(wholeKey(file), use.id);
  }
  return superseded;
}

function callKey({ name, input }: ToolUseBlock): string {
  return `${name} ${JSON.stringify(input)}`;
}

function wholeKey(path: string): string {
  return `whole ${path}`;
}

function showsContent({ shows, isError }: ToolResultBlock): boolean {
  return !isError && shows !== "nothing";
}

function showsWholeFile({ name, input }: ToolUseBlock, { shows }: ToolResultBlock): boolean {
  const isWhole = ["offset", "limit", "pages"].every((part) => input[part] === undefined);
  return name === "Read" && isWhole && shows === undefined;
}
