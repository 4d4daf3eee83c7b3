/** Output with fewer characters is never folded. */
const MIN_CHARS = 4_000;
/** The minimum number of repeated lines that are folded. */
const MIN_BLOCK = 4;
/** Number of earlier places that a block is compared with. */
const MAX_CANDIDATES = 8;
const MAX_LINES = 50_000;
/** Minimum saving for a change of the text. */
const MIN_SAVED_SHARE = 0.1;
/** A longer run of one character in a line is shortened. */
const MAX_SAME_SIGNS = 100;
const SIGNS_KEPT = 20;
/** A line that may describe an error, except a stack frame, is equal only to an identical line. */
const TROUBLE =
  /^(?!\s*at ).*(?:fail|error|exception|panic|assert|expected|received|not ok|warn|fatal|denied|✗|✖|×|❌)/i;

/**
 * A line with the counts of a run of tests: of jest and vitest, mocha, pytest, cargo, Go, TAP, Bun, JUnit, .NET, RSpec,
 * PHPUnit and the like. No such line is folded, whatever it repeats.
 */
const TEST_SUMMARY = new RegExp(
  [
    /(?<!\b(?:test|case|step|spec|item|line)\s{1,3})\b\d+\s+(?:tests?|specs?|examples?|assertions?|suites?|pass(?:ed|es|ing)?|fail(?:ed|s|ing|ures?)?|errors?|skip(?:ped)?|pending|ignored|total)\b/,
    /\b(?:tests|tests run|passed|failed|failures|errors|skipped|total)\s*[:=]\s*\d/,
    /^\s*(?:#|ℹ)\s*(?:tests|suites|pass|fail|skipped|todo|cancelled)\s+\d/,
    /^(?:ok|FAIL|---|\?)\s+\S+\s+(?:[\d.]+s\b|\(cached\)|\[)/,
    /^(?:PASS|OK|FAIL|FAILED)\b.{0,3}$/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "i",
);

/** Two numbers in neighbouring columns: a row of data, whose numbers matter. */
const DATA_ROW = /\d[^\w\s]{0,2}(?:\s{2,}|\t|\s?[|;,]\s*)[^\w\s]{0,2}\d/;

export type Folded = { readonly text: string; readonly foldedLines: number };

type Block = { readonly from: number; readonly length: number };

/**
 * Replaces lines of a long output that repeat earlier ones (ignoring digits and runs of characters, but not in rows of
 * data) by a mark: rows of dots, progress, the same stack in several failures, the same lines after each test. The first occurrence stays, and
 * also the last occurrence of a run. Time is linear in the lines.
 */
export function foldOutput(text: string): Folded {
  const whole = { text, foldedLines: 0 };
  if (text.length < MIN_CHARS) return whole;
  const lines = text.split("\n").map(shortenSigns);
  if (lines.length > MAX_LINES) return whole;
  const { kept, foldedLines } = foldLines(lines);
  const folded = kept.join("\n");
  return folded.length > text.length * (1 - MIN_SAVED_SHARE) ? whole : { text: folded, foldedLines };
}

function foldLines(lines: readonly string[]): { readonly kept: readonly string[]; readonly foldedLines: number } {
  // A line with a shape of its own is part of no repetition.
  const shapes = lines.map((line, at) => (TEST_SUMMARY.test(line) ? `${at}\0` : shapeOf(line)));
  const places = new Map<string, number[]>();
  const kept: string[] = [];
  let foldedLines = 0;
  let noted = 0;
  const noteUpTo = (end: number) => {
    for (; noted < end; noted += 1) notePlace(places, blockKey(shapes, noted), noted);
  };
  for (let at = 0; at < lines.length; ) {
    noteUpTo(at);
    const { from, length } = longestRepeat(shapes, at, places.get(blockKey(shapes, at)) ?? []);
    // For a run, whose repetition overlaps it, the last period stays.
    const folded = from + length > at ? length - (at - from) : length;
    if (folded < MIN_BLOCK) {
      kept.push(lines[at] ?? "");
      at += 1;
      continue;
    }
    const isSame = isIdentical(lines, { from, length }, at);
    kept.push(`[… ${folded} lines like those above${isSame ? "" : ", with other numbers"}]`);
    foldedLines += folded;
    const last = at + length;
    for (let line = at + folded; line < last; line += 1) kept.push(lines[line] ?? "");
    at = last;
  }
  return { kept, foldedLines };
}

function notePlace(places: Map<string, number[]>, key: string, at: number): void {
  const known = places.get(key);
  if (!known) places.set(key, [at]);
  else if (known.length < MAX_CANDIDATES) known.push(at);
}

function longestRepeat(shapes: readonly string[], at: number, candidates: readonly number[]): Block {
  let best: Block = { from: at, length: 0 };
  for (const from of candidates) {
    let length = 0;
    while (at + length < shapes.length && shapes[from + length] === shapes[at + length]) length += 1;
    if (length > best.length) best = { from, length };
  }
  return best;
}

function isIdentical(lines: readonly string[], { from, length }: Block, at: number): boolean {
  return lines.slice(at, at + length).every((line, offset) => line === lines[from + offset]);
}

function blockKey(shapes: readonly string[], at: number): string {
  return shapes.slice(at, at + MIN_BLOCK).join("\n");
}

/** The common form of lines with the same meaning. */
function shapeOf(line: string): string {
  if (TROUBLE.test(line) || DATA_ROW.test(line)) return line;
  return line
    .replace(/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{8,}\b|\d+(?:[.,:]\d+)*/gi, "0")
    .replace(/([^\w\s])\1{3,}/g, "$1$1$1")
    .replace(/\s+/g, " ")
    .trim();
}

function shortenSigns(line: string): string {
  if (line.length <= MAX_SAME_SIGNS) return line;
  return line.replace(
    /([^\w\s])\1{100,}/g,
    (run, sign: string) => `${sign.repeat(SIGNS_KEPT)}[… ${run.length - SIGNS_KEPT} more]`,
  );
}
