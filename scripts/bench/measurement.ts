/** One measured quantity over several runs, in order. */
export type Measurement = {
  readonly part: string;
  readonly name: string;
  /** `ms`, `MB`, `%`, `×`, `B/B`, `tokens`. */
  readonly unit: string;
  readonly values: readonly number[];
  /** Upper limit of the median; undefined without a target. */
  readonly target?: number;
};

/** One part of the bench. @throws {Error} the measured program failed. */
export type Part = (place: BenchPlace, runs: number) => Promise<readonly Measurement[]>;

/** The place of a bench: everything in it is temporary and deleted at the end. */
export type BenchPlace = {
  /** The built executable. */
  readonly quoll: string;
  /** An executable that shows one Ink text, built with the same flags. */
  readonly inkHello: string;
  /** A small project. */
  readonly project: string;
  /** A fresh environment for one run: its own QUOLL_HOME, no settings of this machine. */
  environment(): Readonly<Record<string, string>>;
};

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

type Summary = {
  readonly part: string;
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly runs: number;
  readonly target?: number;
  readonly met?: boolean;
};

export function summarize({ part, name, unit, values, target }: Measurement): Summary {
  const middle = median(values);
  return {
    part,
    name,
    unit,
    median: round(middle),
    min: round(Math.min(...values)),
    max: round(Math.max(...values)),
    runs: values.length,
    ...(target !== undefined && { target, met: round(middle) <= target }),
  };
}

const HEADER = ["part", "what", "median", "min", "max", "runs", "target", ""];

/** The table for people. */
export function benchTable(summaries: readonly Summary[]): string {
  const rows = summaries.map(({ part, name, unit, median: middle, min, max, runs, target, met }) => [
    part,
    `${name}, ${unit}`,
    String(middle),
    String(min),
    String(max),
    String(runs),
    target === undefined ? "" : `≤ ${target}`,
    met === undefined ? "" : met ? "✓" : "✗",
  ]);
  const widths = HEADER.map((_, at) => Math.max(...[HEADER, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(HEADER), ...rows.map(line)].join("\n");
}

function round(value: number): number {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 1 : 2;
  return Number(value.toFixed(digits));
}
