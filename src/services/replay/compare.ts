import { structuredPatch } from "diff";
import type { ToolResultContent } from "../../contracts/message.ts";
import { sha256 } from "../../platform/digest.ts";

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

/** A text without its volatile parts, and the names of the removed parts. */
type NormalisedOutput = { readonly text: string; readonly without: readonly string[] };

type Volatile = { readonly name: string; readonly pattern: RegExp; readonly instead: string };

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";

/** The order matters, because a time within a temporary name is part of that name. */
const VOLATILE: readonly Volatile[] = [
  // The scratch copy makes no backups.
  { name: "ways back", pattern: /\n\[(?:Kept|Backed up|Noted)\b.* Undo: .*\]/g, instead: "" },
  { name: "ways back", pattern: /\n\[(?:Kept \(|Copies kept before ).*:\]?(?:\ngit .*)+/g, instead: "" },
  {
    name: "temporary paths",
    pattern: /(?<![\w.~}])(?:\/private)?\/(?:tmp|var\/tmp|var\/folders\/\w+\/\w+\/T)\/[^\s'"`:,;()[\]{}<>]+/g,
    instead: "<temporary path>",
  },
  {
    name: "names of kept results",
    pattern: /(?:result-[\w-]+\.txt|bash-[0-9a-f]{8}\.log)/g,
    instead: "<kept result>",
  },
  {
    name: "ids",
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
    instead: "<id>",
  },
  {
    name: "times",
    pattern: /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?!\d)/g,
    instead: "<time>",
  },
  {
    name: "times",
    pattern: new RegExp(
      `\\b(?:${DAY},? )?(?:${MONTH} +\\d{1,2}|\\d{1,2} ${MONTH})(?:,? \\d{4})? +\\d\\d:\\d\\d(?::\\d\\d)?(?: (?:[AP]M|[A-Z]{3,4}|[+-]\\d{4}))?(?: \\d{4})?(?: [+-]\\d{4})?`,
      "g",
    ),
    instead: "<time>",
  },
  { name: "times", pattern: /\b\d\d:\d\d:\d\d(?:[.,]\d+)?(?!\d)/g, instead: "<time>" },
  { name: "durations", pattern: /\b\d+m ?\d+(?:\.\d+)?s\b/g, instead: "<duration>" },
  {
    name: "durations",
    pattern: /(?<![\w.])\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)(?![\w.]\w|\w)/g,
    instead: "<duration>",
  },
  { name: "process ids", pattern: /\b(pid|process|job)(s?[ :=#]+)\d+\b/gi, instead: "$1$2<pid>" },
  { name: "process ids", pattern: /^\[\d+\] \d+$/gm, instead: "<pid>" },
  {
    name: "ids of commits",
    pattern: /(\bcommit |\bHEAD is now at |^\[[\w./-]+(?: \(root-commit\))? )[0-9a-f]{7,40}\b/gm,
    instead: "$1<commit>",
  },
];

function normaliseOutput(text: string): NormalisedOutput {
  const without = new Set<string>();
  let rest = text;
  for (const { name, pattern, instead } of VOLATILE) {
    const replaced = rest.replace(pattern, instead);
    if (replaced !== rest) without.add(name);
    rest = replaced;
  }
  return { text: rest, without: [...without] };
}
