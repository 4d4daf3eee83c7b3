import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { textPdf } from "../../tests/support/text-pdf.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { runMeasured } from "./run-measured.ts";

const FEW_PAGES = 10;
const MANY_PAGES = 500;
const LINES = 50;
/** Five pages of many may take twice as long as five of few. */
const MAX_RATIO = 2;

/** Five pages of a PDF of 10 pages and of one of 500 pages, read by Read in the executable, its start included, in turns. */
export async function benchDocuments(
  { quoll, project, environment }: BenchPlace,
  runs: number,
): Promise<readonly Measurement[]> {
  const words = (page: number, line: number) =>
    `Page ${page}, line ${line}: the quick brown fox jumps over the lazy dog.`;
  const read = async (pages: number, range: string) => {
    const input = JSON.stringify({ file_path: `${pages}.pdf`, pages: range });
    return runMeasured([quoll, "exec", "Read", "--input", input], { cwd: project, env: environment() });
  };
  for (const pages of [FEW_PAGES, MANY_PAGES])
    writeFileSync(join(project, `${pages}.pdf`), textPdf(pages, words, LINES));
  const few: number[] = [];
  const many: number[] = [];
  const ratios: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const [short, long] = [await read(FEW_PAGES, "4-8"), await read(MANY_PAGES, "300-304")];
    few.push(short.wallMs);
    many.push(long.wallMs);
    ratios.push(long.wallMs / short.wallMs);
  }
  return [
    { part: "documents", name: `five pages of ${FEW_PAGES}`, unit: "ms", values: few },
    { part: "documents", name: `five pages of ${MANY_PAGES}`, unit: "ms", values: many },
    { part: "documents", name: "ratio", unit: "×", values: ratios, target: MAX_RATIO },
  ];
}
