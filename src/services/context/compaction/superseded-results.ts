import type { ToolUseBlock } from "../../../contracts/message.ts";
import { type FoundResult, fileOf } from "./found-results.ts";

/**
 * Results that a later one makes worthless: of the same call made again, and of reads and changes of a file that was read whole
 * after them.
 * @param results Oldest first.
 * @returns each such result with the id of the later call.
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
    if (block.isError) continue;
    later.set(callKey(use), use.id);
    if (use.name === "Read" && file !== undefined && isWhole(use)) later.set(wholeKey(file), use.id);
  }
  return superseded;
}

function callKey({ name, input }: ToolUseBlock): string {
  return `${name} ${JSON.stringify(input)}`;
}

function wholeKey(path: string): string {
  return `whole ${path}`;
}

function isWhole({ input }: ToolUseBlock): boolean {
  return input["offset"] === undefined && input["limit"] === undefined;
}
