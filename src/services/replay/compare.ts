import { structuredPatch } from "diff";
import type { ToolResultContent } from "../../contracts/message.ts";
import { sha256 } from "../../platform/digest.ts";
import { normaliseOutput } from "./normalise-output.ts";

const CONTEXT_LINES = 2;
const MAX_DIFF_LINES = 40;
const MAX_LINE_CHARS = 300;
/** The maximum length of texts that are diffed; longer texts are only compared. */
const MAX_DIFFED_CHARS = 400_000;

export type Comparable = { readonly content: ToolResultContent; readonly isError: boolean };

export type Comparison =
  /** `without`: the differences that were ignored. */
  | { readonly isSame: true; readonly without: readonly string[] }
  /** Lines of a unified diff, from the recorded result to the new one. */
  | { readonly isSame: false; readonly diff: readonly string[]; readonly without: readonly string[] };

/** Compares a recorded result with the new one, ignoring volatile parts (durations, pids, times, temporary names). */
export function compareResults(
  recorded: Comparable,
  now: Comparable,
  { anyOrder = false }: { readonly anyOrder?: boolean } = {},
): Comparison {
  const [before, after] = [textFor(recorded), textFor(now)];
  if (before === after) return { isSame: true, without: [] };
  const [normalBefore, normalAfter] = [normaliseOutput(before), normaliseOutput(after)];
  const without = [...new Set([...normalBefore.without, ...normalAfter.without])];
  if (normalBefore.text === normalAfter.text) return { isSame: true, without };
  if (anyOrder && sorted(normalBefore.text) === sorted(normalAfter.text))
    return { isSame: true, without: [...without, "order of files"] };
  return { isSame: false, diff: unified(normalBefore.text, normalAfter.text), without };
}

/** A result as text: images by size and digest, and whether it was an error. */
function textFor({ content, isError }: Comparable): string {
  const blocks = typeof content === "string" ? [content] : content.map(textOfBlock);
  return `${isError ? "(an error)\n" : ""}${blocks.join("\n")}`;
}

function textOfBlock(block: Exclude<ToolResultContent, string>[number]): string {
  if (block.type === "text") return block.text;
  const digest = sha256(block.data).slice(0, 12);
  return `(${block.mediaType}, ${block.data.length} characters of base64, ${digest})`;
}

function sorted(text: string): string {
  return text.split("\n").sort().join("\n");
}

function unified(before: string, after: string): readonly string[] {
  if (before.length + after.length > MAX_DIFFED_CHARS) return ["(the results are too long for a diff)"];
  const { hunks } = structuredPatch("", "", `${before}\n`, `${after}\n`, "", "", { context: CONTEXT_LINES });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: rows }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...rows.map((row) => (row.length > MAX_LINE_CHARS ? `${row.slice(0, MAX_LINE_CHARS)}…` : row)),
  ]);
  const left = lines.length - MAX_DIFF_LINES;
  return left > 0 ? [...lines.slice(0, MAX_DIFF_LINES), `… ${left} more lines`] : lines;
}
