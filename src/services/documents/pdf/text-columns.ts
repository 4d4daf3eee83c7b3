import type { Line } from "./text-lines.ts";

/** Columns with fewer lines are no columns of prose. */
const MIN_LINES = 5;
/** The gutter between columns is looked for in this part of the width. */
const GUTTER_FROM = 0.25;
const GUTTER_TO = 0.75;
const STEPS = 60;
/** Most lines of prose reach nearly across their column; the cells of a table do not. */
const FULL_LINE = 0.8;
const MIN_FULL_SHARE = 0.5;
/** Shorter lines are cells: codes, names, numbers. */
const MIN_PROSE_CHARS = 20;
const MAX_DEPTH = 2;

type Side = "left" | "right" | "both" | "across";

/** Lines in the order of reading: columns of prose one after the other, everything else from top to bottom. */
export function splitColumns(lines: readonly Line[], depth = 0): readonly (readonly Line[])[] {
  const gutter = depth < MAX_DEPTH ? gutterOf(lines) : undefined;
  if (gutter === undefined) return [lines];
  const blocks: Line[][] = [];
  let band: Line[] = [];
  const endBand = () => {
    const [left, right] = sidesOf(band, gutter);
    if (areColumns(left, right))
      blocks.push(...[left, right].flatMap((side) => splitColumns(side, depth + 1)).map((side) => [...side]));
    else if (band.length > 0) blocks.push(band);
    band = [];
  };
  for (const line of lines) {
    if (sideOf(line, gutter) !== "across") band.push(line);
    else {
      endBand();
      blocks.push([line]);
    }
  }
  endBand();
  return mergedBlocks(blocks, lines);
}

/** The place that most lines on both sides leave free. */
function gutterOf(lines: readonly Line[]): number | undefined {
  const [from, to] = widthOf(lines);
  let best = { count: MIN_LINES - 1, at: [] as number[] };
  for (let step = 0; step <= STEPS; step += 1) {
    const x = from + (to - from) * (GUTTER_FROM + ((GUTTER_TO - GUTTER_FROM) * step) / STEPS);
    const sides = lines.map((line) => sideOf(line, x));
    const left = sides.filter((side) => side === "left" || side === "both").length;
    const right = sides.filter((side) => side === "right" || side === "both").length;
    const count = Math.min(left, right);
    if (count > best.count) best = { count, at: [x] };
    else if (count === best.count && best.at.length > 0) best.at.push(x);
  }
  return best.at[Math.floor(best.at.length / 2)];
}

function sideOf({ segments }: Line, x: number): Side {
  if (segments.some((one) => one.x < x && one.end > x)) return "across";
  const hasLeft = segments.some(({ end }) => end <= x);
  const hasRight = segments.some((one) => one.x >= x);
  if (hasLeft && hasRight) return "both";
  return hasLeft ? "left" : "right";
}

function sidesOf(lines: readonly Line[], x: number): readonly [Line[], Line[]] {
  const half = (isHere: (end: number) => boolean) =>
    lines.flatMap(({ segments, ...line }) => {
      const own = segments.filter(({ end }) => isHere(end));
      return own.length > 0 ? [{ ...line, segments: own }] : [];
    });
  return [half((end) => end <= x), half((end) => end > x)];
}

function areColumns(left: readonly Line[], right: readonly Line[]): boolean {
  if (left.length < MIN_LINES || right.length < MIN_LINES) return false;
  const top = Math.max(left[0]?.y ?? 0, right[0]?.y ?? 0);
  const bottom = Math.min(left.at(-1)?.y ?? 0, right.at(-1)?.y ?? 0);
  return bottom > top && isProse(left) && isProse(right);
}

function isProse(lines: readonly Line[]): boolean {
  const [from, to] = widthOf(lines);
  const full = lines.filter(({ segments: [one, more] }) => {
    const isLong = one !== undefined && !more && one.text.length >= MIN_PROSE_CHARS;
    return isLong && one.end - one.x >= (to - from) * FULL_LINE;
  });
  return full.length >= lines.length * MIN_FULL_SHARE;
}

function widthOf(lines: readonly Line[]): readonly [number, number] {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { segments } of lines)
    for (const { x, end } of segments) {
      from = Math.min(from, x);
      to = Math.max(to, end);
    }
  return [from, to];
}

/** Without columns the lines stay together, so that their cells stay below each other. */
function mergedBlocks(blocks: readonly Line[][], lines: readonly Line[]): readonly (readonly Line[])[] {
  const merged: Line[][] = [];
  const known = new Set(lines);
  for (const block of blocks) {
    const last = merged.at(-1);
    const isWhole = (one: Line[]) => one.every((line) => known.has(line));
    if (last && isWhole(last) && isWhole(block)) last.push(...block);
    else merged.push([...block]);
  }
  return merged;
}
