import { diffArrays } from "diff";
import { plainSigns } from "./text-view.ts";

const DEFAULT_WIDTH = 4;
const OTHER_WIDTHS = [2, 8, 3];

/** The difference between the file's indentation and the model's: columns = tabs · `width` + spaces, shifted by `shift`. */
type Shift = { readonly width: number; readonly shift: number; readonly useTabs: boolean; readonly freeFirst: boolean };

type IndentMatch = {
  /** Index of the first line. */
  readonly first: number;
  readonly shift: Shift;
};

function indentOf(line: string): string {
  return /^[^\S\r\n]*/.exec(line)?.[0] ?? "";
}

/** The line for comparison: trimmed, with plain punctuation. It has the length of the trimmed line. */
export function bareLine(line: string): string {
  return plainSigns(line.trim());
}

/** True if `bare` is the bare form of a line, which has the same length as the trimmed line. */
function isBare(line: string, bare: string): boolean {
  if (line.length < bare.length) return false;
  const trimmed = line.trim();
  return trimmed.length === bare.length && plainSigns(trimmed) === bare;
}

/**
 * Finds lines that differ only in indentation: tabs instead of spaces, or all shifted by the same number of columns.
 * `hint`: the new text, which shows the model's indentation. The first line may lack its indentation, as in a copy that begins at its first letter.
 */
export function findIndented(
  fileLines: readonly string[],
  oldLines: readonly string[],
  hint: string,
): readonly IndentMatch[] {
  const bareOld = oldLines.map(bareLine);
  const anchor = bareOld.findIndex((line) => line !== "");
  if (anchor === -1) return [];
  const found: IndentMatch[] = [];
  let fileUsesTabs: boolean | undefined;
  for (let first = 0; first + oldLines.length <= fileLines.length; first += 1) {
    const isSame = (line: string, index: number) => isBare(fileLines[first + index] ?? "", line);
    if (!isSame(bareOld[anchor] ?? "", anchor) || !bareOld.every(isSame)) continue;
    fileUsesTabs ??= usesTabs(fileLines);
    const shift = shiftBetween(fileLines.slice(first, first + oldLines.length), oldLines, { hint, fileUsesTabs });
    if (!shift) continue;
    found.push({ first, shift });
    first += oldLines.length - 1;
  }
  return found;
}

/** True if more lines of the file begin with a tab than with two spaces. */
function usesTabs(lines: readonly string[]): boolean {
  const tabs = lines.filter((line) => line.startsWith("\t")).length;
  return tabs > lines.filter((line) => line.startsWith("  ")).length;
}

type Style = { readonly hint: string; readonly fileUsesTabs: boolean };

function shiftBetween(
  file: readonly string[],
  old: readonly string[],
  { hint, fileUsesTabs }: Style,
): Shift | undefined {
  const pairs = old
    .map((line, index) => ({
      theirs: indentOf(line),
      ours: indentOf(file[index] ?? ""),
      isBlank: bareLine(line) === "",
      index,
    }))
    .filter(({ isBlank }) => !isBlank);
  const isIndented = pairs.some(({ ours }) => ours !== "");
  const useTabs = isIndented ? pairs.some(({ ours }) => ours.includes("\t")) : fileUsesTabs;
  for (const freeFirst of [false, true]) {
    const judged = freeFirst ? pairs.filter(({ index }) => index > 0) : pairs;
    if (freeFirst && (judged.length === 0 || judged.length === pairs.length || pairs[0]?.theirs !== "")) continue;
    const fitting = widths([...old, hint]).flatMap((width) => {
      const shifts = new Set(judged.map(({ theirs, ours }) => columns(ours, width) - columns(theirs, width)));
      return shifts.size === 1 ? [{ width, shift: [...shifts][0] ?? 0 }] : [];
    });
    // The smallest shift is the most probable; among equal shifts, the most probable width.
    const best = fitting.sort((a, b) => Math.abs(a.shift) - Math.abs(b.shift))[0];
    if (best) return { ...best, useTabs, freeFirst };
  }
  return undefined;
}

/** Tab widths to try, most probable first: the step between space-indented lines. */
function widths(texts: readonly string[]): readonly number[] {
  const steps = texts
    .flatMap((text) => text.split("\n"))
    .map((line) => /^( +)\S/.exec(line)?.[1]?.length ?? 0)
    .filter((length) => length > 0);
  const step = steps.reduce(greatestCommonDivisor, 0);
  return [...new Set([...(step > 1 && step <= 8 ? [step] : []), DEFAULT_WIDTH, ...OTHER_WIDTHS])];
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function columns(indent: string, width: number): number {
  let total = 0;
  for (const sign of indent) total += sign === "\t" ? width : 1;
  return total;
}

/**
 * New lines with the file's indentation: lines that the model did not change stay as they are in the file, the others are
 * shifted like the old lines.
 */
export function reindent(
  newLines: readonly string[],
  oldLines: readonly string[],
  fileLines: readonly string[],
  { width, shift, useTabs, freeFirst }: Shift,
): readonly string[] {
  const changes = diffArrays([...oldLines], [...newLines], { maxEditLength: 2_000 }) ?? [
    { value: [...oldLines], removed: true, added: false },
    { value: [...newLines], removed: false, added: true },
  ];
  const result: string[] = [];
  let at = 0;
  for (const { value, added, removed } of changes) {
    if (added) {
      for (const line of value) {
        const isFree = freeFirst && result.length === 0 && indentOf(line) === "";
        result.push(isFree ? indentOf(fileLines[0] ?? "") + line : moved(line, { width, shift, useTabs }));
      }
      continue;
    }
    if (!removed) result.push(...fileLines.slice(at, at + value.length));
    at += value.length;
  }
  return result;
}

function moved(line: string, { width, shift, useTabs }: Omit<Shift, "freeFirst">): string {
  if (line.trim() === "") return line;
  const indent = indentOf(line);
  const wanted = Math.max(0, columns(indent, width) + shift);
  const tabs = useTabs ? Math.floor(wanted / width) : 0;
  return "\t".repeat(tabs) + " ".repeat(wanted - tabs * width) + line.slice(indent.length);
}
