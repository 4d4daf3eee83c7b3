/** A text without its volatile parts, and the names of the removed parts. */
export type NormalisedOutput = { readonly text: string; readonly without: readonly string[] };

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

export function normaliseOutput(text: string): NormalisedOutput {
  const without = new Set<string>();
  let rest = text;
  for (const { name, pattern, instead } of VOLATILE) {
    const replaced = rest.replace(pattern, instead);
    if (replaced !== rest) without.add(name);
    rest = replaced;
  }
  return { text: rest, without: [...without] };
}
