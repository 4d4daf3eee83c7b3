/** A piece of text on a page. Lengths are in points; y grows downwards. */
export type Run = {
  readonly text: string;
  readonly x: number;
  /** The baseline. */
  readonly y: number;
  readonly width: number;
  /** The height of the font. */
  readonly size: number;
  readonly isRightToLeft?: boolean;
};

/** Runs of a line without a wide gap between them. */
export type Segment = { readonly x: number; readonly end: number; readonly text: string };

export type Line = { readonly y: number; readonly size: number; readonly segments: readonly Segment[] };

/** Runs whose baselines differ by less belong to one line, as a footnote's number does. Shares of the font's height. */
const SAME_LINE = 0.5;
const WORD_GAP = 0.14;
const SEGMENT_GAP = 1.2;

/** The lines of a page from top to bottom. */
export function linesOf(runs: readonly Run[]): readonly Line[] {
  const lines: { y: number; size: number; runs: Run[] }[] = [];
  for (const run of runs.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const line = lines.at(-1);
    if (line && run.y - line.y <= SAME_LINE * Math.max(line.size, run.size)) {
      line.runs.push(run);
      if (run.size > line.size) Object.assign(line, { size: run.size, y: Math.max(line.y, run.y) });
    } else lines.push({ y: run.y, size: run.size, runs: [run] });
  }
  return lines.map(({ y, size, runs: own }) => ({ y, size, segments: segmentsOf(own, size) }));
}

function segmentsOf(runs: readonly Run[], size: number): readonly Segment[] {
  const segments: Segment[][] = [];
  const isRightToLeft = runs.filter((run) => run.isRightToLeft).length * 2 > runs.length;
  let end = Number.NEGATIVE_INFINITY;
  for (const run of runs.toSorted((a, b) => a.x - b.x)) {
    const gap = run.x - end;
    const last = segments.at(-1);
    if (last && gap <= SEGMENT_GAP * size) {
      const blank = gap > WORD_GAP * Math.min(size, run.size) ? " " : "";
      last.push({ x: run.x, end: run.x + run.width, text: isRightToLeft ? run.text + blank : blank + run.text });
    } else segments.push([{ x: run.x, end: run.x + run.width, text: run.text }]);
    end = Math.max(end, run.x + run.width);
  }
  return segments.map((parts) => joined(isRightToLeft ? parts.toReversed() : parts));
}

function joined(parts: readonly Segment[]): Segment {
  return {
    x: Math.min(...parts.map(({ x }) => x)),
    end: Math.max(...parts.map(({ end }) => end)),
    text: parts
      .map(({ text }) => text)
      .join("")
      .replace(/\s+/g, " ")
      .trim(),
  };
}
