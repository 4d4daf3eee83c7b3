// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell sources, not templates
import { expect, test } from "bun:test";
import { deepTest, eachOrDeep } from "../../../tests/support/deep.ts";
import { classify } from "../src/classify.ts";
import { loadShellParser } from "../src/load-parser.ts";
import { readLine } from "../src/parse.ts";
import { parser } from "./real-parser.ts";
import { WASM } from "./wasm.ts";

const PIECE = "git log --oneline -5 -- 'src/a b.ts' | head -3 && echo \"done $x\"; ";

const PIECES = [
  PIECE,
  'x=$(git rev-parse HEAD); echo "at $x: $(date +%F)" > log.txt; for f in $(ls *.ts); do wc -l "$f"; done; ',
  'cat <<EOF > a.txt\nhello $x $(date) `id`\nEOF\nf() { ls "$1"; }; f a\n',
  "[[ -f a && $x == b* ]] && echo ${x:-$(a)} $((1+2)) {a,b} <(c)\n",
];

/** `pieces` cut at a whole number of them. */
function repeated(piece: string, chars: number): string {
  return piece.repeat(Math.floor(chars / piece.length)).replace(/; $/, "");
}

/** Characters that are read: by us, by the grammar once a level, by the scan once a text. */
function work(source: string): number {
  const { line } = readLine(source);
  const parsed = line.levels.reduce((sum, { start, end }) => sum + end - start, 0);
  return parsed + line.texts.reduce((sum, text) => sum + text.source.length, 0);
}

function medianMs(run: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[1] ?? 0;
}

deepTest("reading grows with the length, not with its square (the times are printed, not judged)", () => {
  const lines = [1_000, 10_000, 60_000].map((chars) => {
    const source = PIECE.repeat(Math.ceil(chars / PIECE.length))
      .slice(0, chars)
      .replace(/;[^;]*$/, "");
    const parsed = parser.parse(source);
    expect(parsed.understood).toBe(true);
    const ms = medianMs(() => {
      const again = parser.parse(source);
      if (again.understood) for (const command of again.commands) classify(command);
    });
    return `${source.length} chars: ${ms.toFixed(2)} ms`;
  });
  console.log(`bash-syntax: parse, check and classify, median of 3: ${lines.join(" · ")}`);
});

test("the grammar loads from bytes as well as from paths", async () => {
  const [runtime, grammar] = await Promise.all([Bun.file(WASM.runtime).bytes(), Bun.file(WASM.grammar).bytes()]);
  const fromBytes = await loadShellParser({ runtime, grammar });
  expect(fromBytes.parse("ls -la")).toEqual(parser.parse("ls -la"));
});

eachOrDeep("the work for %j grows with the length alone", 1, PIECES, (piece) => {
  const perChar = [1_000, 10_000, 60_000].map((chars) => {
    const source = repeated(piece, chars);
    expect(parser.parse(source).understood).toBe(true);
    return work(source) / source.length;
  });
  expect(Math.max(...perChar)).toBeLessThan(Math.min(...perChar) * 1.1);
  expect(Math.max(...perChar)).toBeLessThan(4);
});

test("1,000 characters with substitutions, functions and here-documents (the times are printed, not judged)", () => {
  const times = PIECES.map((piece) => {
    const source = repeated(piece, 1_000);
    for (let round = 0; round < 5; round += 1) parser.parse(source);
    return `${medianMs(() => parser.parse(source)).toFixed(2)} ms`;
  });
  expect(times.length).toBe(PIECES.length);
  console.log(`bash-syntax: parse and check of 1,000 characters, median of 3: ${times.join(" · ")}`);
});

test("the depth limit bounds the work that nesting multiplies", () => {
  const nested = `echo ${"$(ls ".repeat(31)}${"x ".repeat(500)}${")".repeat(31)}`;
  expect(work(nested)).toBeLessThan(nested.length * 34);
});
