import { withoutCutEnd } from "@quoll/terminal-text/cut-word";
import { numbered } from "../target-file.ts";
import { bareLine } from "./indentation.ts";
import { comparedPart, LetterPairs } from "./letter-pairs.ts";
import { linesOf } from "./line-ends.ts";
import { plainSigns } from "./text-view.ts";

/** Limits of the search, so that a failure costs little in any file. */
const MAX_FILE_LINES = 50_000;
const MAX_OLD_LINES = 200;
const MAX_VOTING_CHARS = 2_000;
const MAX_CANDIDATES = 20;
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_DIFFERENCES = 3;
const MAX_SHOWN_CHARS = 200;
const MAX_NAMED_PLACES = 3;
/** A place with a smaller share of similar lines is not shown. */
const MIN_SIMILARITY = 0.4;

type Place = { readonly first: number; readonly similarity: number };

type Manner = { readonly quotesLines: boolean };

/**
 * Describes the most similar place for a text that was not found; undefined if no place is similar.
 * @param manner `quotesLines`: its differences are quoted too, line by line.
 */
export function nearestMatch(text: string, oldText: string, manner: Manner): string | undefined {
  const fileLines = linesOf(text, MAX_FILE_LINES);
  const allLines = linesOf(oldText);
  const isText = (line: string) => line.trim() !== "";
  const first = allLines.findIndex(isText);
  if (first === -1) return undefined;
  const end = allLines.findLastIndex(isText) + 1;
  const oldLines = allLines.slice(first, Math.min(end, first + MAX_OLD_LINES));
  const [best, ...equal] = bestPlaces(fileLines, oldLines);
  if (!best || best.similarity < MIN_SIMILARITY) return undefined;
  const others = equal.filter((place) => place.first >= best.first + oldLines.length);
  const beginsLine = first > 0;
  const endsLine = end < allLines.length || oldLines.length < end - first;
  const isSame = (line: string, index: number) => {
    const real = fileLines[best.first + index] ?? "";
    const isBegun = index === 0 && !beginsLine;
    if (index === oldLines.length - 1 && !endsLine) return isBegun ? real.includes(line) : real.startsWith(line);
    return isBegun ? real.endsWith(line) : real === line;
  };
  const differing = oldLines.flatMap((line, index) => (isSame(line, index) ? [] : [index]));
  return describe({ fileLines, oldLines, differing, others }, best.first, manner);
}

/** The most similar places, in order; more than one if they are equally similar. */
function bestPlaces(fileLines: readonly string[], oldLines: readonly string[]): readonly Place[] {
  const wanted = oldLines.map(likenessTo);
  const places = candidates(fileLines, oldLines).map((first) => {
    const alike = wanted.map((likeness, index) => likeness(fileLines[first + index] ?? ""));
    return { first, similarity: alike.reduce((sum, value) => sum + value, 0) / oldLines.length };
  });
  const greatest = Math.max(...places.map(({ similarity }) => similarity));
  return places.filter(({ similarity }) => similarity === greatest).sort((a, b) => a.first - b.first);
}

/** Places with an identical line, by the votes of all such lines; else places where the most significant line is most similar. */
function candidates(fileLines: readonly string[], oldLines: readonly string[]): readonly number[] {
  const wanted = new Map<string, number>();
  for (const [index, line] of oldLines.entries()) {
    const bare = bareLine(line);
    if (bare.length > 1 && !wanted.has(bare)) wanted.set(bare, index);
  }
  const votes = new Map<number, number>();
  const lengths = new Set([...wanted.keys()].map(({ length }) => length));
  for (const [index, line] of fileLines.entries()) {
    // A line has the length of its bare form; most lines have another length.
    const trimmed = line.length > MAX_VOTING_CHARS ? "" : line.trim();
    const at = lengths.has(trimmed.length) ? wanted.get(plainSigns(trimmed)) : undefined;
    if (at === undefined) continue;
    const first = Math.max(0, index - at);
    votes.set(first, (votes.get(first) ?? 0) + 1);
  }
  if (votes.size > 0) {
    return [...votes]
      .sort((a, b) => b[1] - a[1])
      .slice(0, MAX_CANDIDATES)
      .map(([first]) => first);
  }
  return byTellingLine(fileLines, oldLines);
}

function byTellingLine(fileLines: readonly string[], oldLines: readonly string[]): readonly number[] {
  const telling = oldLines.reduce(
    (best, line, index) => (line.length > (oldLines[best]?.length ?? 0) ? index : best),
    0,
  );
  const wanted = new LetterPairs(comparedPart(oldLines[telling] ?? ""));
  let greatest = 0;
  let places: number[] = [];
  for (const [index, line] of fileLines.entries()) {
    const value = wanted.shareWith(comparedPart(line), greatest);
    if (value === 0 || value < greatest) continue;
    if (value > greatest) places = [];
    greatest = value;
    places.push(Math.max(0, index - telling));
  }
  return places.slice(0, MAX_CANDIDATES);
}

/** How similar other lines are to a line, 0 to 1; 1 for those that differ in blanks around them alone. */
function likenessTo(line: string): (other: string) => number {
  const bare = comparedBare(line);
  const pairs = new LetterPairs(bare);
  return (other) => {
    const part = comparedBare(other);
    return part === bare ? 1 : pairs.shareWith(part);
  };
}

function comparedBare(line: string): string {
  return plainSigns(comparedPart(line));
}

type Compared = {
  readonly fileLines: readonly string[];
  readonly oldLines: readonly string[];
  /** The lines of the text that are not in the file; the first and the last one may be a part of their line. */
  readonly differing: readonly number[];
  /** The places that are as similar as the one to describe. */
  readonly others: readonly Place[];
};

function describe(
  { fileLines, oldLines, differing, others }: Compared,
  first: number,
  { quotesLines }: Manner,
): string {
  const last = Math.min(fileLines.length, first + oldLines.length) - 1;
  const shown = fileLines.slice(first, Math.min(last + 1, first + MAX_SHOWN_LINES));
  const more = last + 1 - first - shown.length;
  const quoted = quotesLines ? differing.slice(0, MAX_SHOWN_DIFFERENCES) : [];
  const details = quoted.map((index) => difference(fileLines[first + index], oldLines[index] ?? "", first + index + 1));
  if (differing.length > MAX_SHOWN_DIFFERENCES) details.push(`${differing.length} lines differ in all.`);
  const where = first === last ? `line ${first + 1}` : `lines ${first + 1}–${last + 1}`;
  return [
    `The nearest place is ${where}${asNear(others)}:`,
    ...shown.map((line, index) => numbered(first + index + 1, short(line))),
    ...(more > 0 ? [`… ${more} more`] : []),
    ...details,
  ].join("\n");
}

/** Names other places by their first lines. */
function asNear(others: readonly Place[]): string {
  if (others.length === 0) return "";
  const named = others.slice(0, MAX_NAMED_PLACES - 1).map(({ first }) => first + 1);
  const more = others.length > named.length ? " and more" : "";
  return ` (as near: ${named.length === 1 ? "line" : "lines"} ${named.join(", ")}${more})`;
}

/** Lines are shown as they are, so that they can be copied; those that look alike as JSON. */
function difference(real: string | undefined, sent: string, number: number): string {
  if (real === undefined) return `The file ends before this line that you sent:\n${numbered(number, short(sent))}`;
  const isBlank = real.replace(/\s/g, "") === sent.replace(/\s/g, "");
  if (!isBlank) return `Line ${number} differs. You sent:\n${numbered(number, short(sent))}`;
  const [has, had] = [real, sent].map((line) => JSON.stringify(short(line)));
  return `Line ${number} differs in blanks alone; as JSON: the file has ${has}, you sent ${had}.`;
}

function short(line: string): string {
  return line.length > MAX_SHOWN_CHARS ? `${withoutCutEnd(line.slice(0, MAX_SHOWN_CHARS))}…` : line;
}
