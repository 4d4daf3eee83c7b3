import { expect, test } from "bun:test";
import { classify } from "../src/classify.ts";
import { loadShellParser } from "../src/load-parser.ts";
import { parser, WASM } from "./real-parser.ts";

const PIECE = "git log --oneline -5 -- 'src/a b.ts' | head -3 && echo \"done $x\"; ";

function medianMs(run: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[4] ?? 0;
}

test("reading grows with the length, not with its square (the times are printed, not judged)", () => {
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
  console.log(`bash-syntax: parse, check and classify, median of 9: ${lines.join(" · ")}`);
});

test("the grammar loads from bytes as well as from paths", async () => {
  const [runtime, grammar] = await Promise.all([Bun.file(WASM.runtime).bytes(), Bun.file(WASM.grammar).bytes()]);
  const fromBytes = await loadShellParser({ runtime, grammar });
  expect(fromBytes.parse("ls -la")).toEqual(parser.parse("ls -la"));
});
