/**
 * `npm run fuzz [-- --cases 20000] [--seed N]`: generates bash sources, runs each with stub programs in a real bash, and prints the
 * sources that ran a program which packages/bash-syntax did not list. The last line is `N cases, N understood, N missed`; the exit
 * code is 1 if any was missed. The seed is printed first and reproduces the same sources.
 */
import { parseArgs } from "node:util";
import { allInner } from "../packages/bash-syntax/src/inner-commands.ts";
import { knownCommands, missedCalls } from "../packages/bash-syntax/tests/explains.ts";
import { generate } from "../packages/bash-syntax/tests/generate.ts";
import { Random } from "../packages/bash-syntax/tests/random.ts";
import { hasBash, runManyInBash } from "../packages/bash-syntax/tests/real-bash.ts";
import { parser } from "../packages/bash-syntax/tests/real-parser.ts";

const DEFAULT_CASES = 20_000;
const BATCH = 500;

type Totals = { cases: number; understood: number; inner: number; missed: number };

function countOf(text: string | undefined, fallback: number, name: string): number {
  const count = text === undefined ? fallback : Number(text);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  console.error(`fuzz: --${name} requires a whole number, not ${text}`);
  process.exit(2);
}

async function runBatch(sources: readonly string[], totals: Totals): Promise<void> {
  const readings = sources.map((source) => ({ source, parsed: parser.parse(source) }));
  for (const { parsed } of readings) {
    totals.cases += 1;
    if (!parsed.understood) continue;
    totals.understood += 1;
    totals.inner += parsed.commands.filter((one) => allInner(one, parser).commands.length > 1).length;
  }
  // Of the others, no call can be missed: bash needs not run them.
  const known = readings.filter(({ parsed }) => knownCommands(parsed, parser));
  const calls = await runManyInBash(known.map(({ source }) => source));
  for (const [index, { source, parsed }] of known.entries()) {
    const missed = missedCalls(parsed, calls[index] ?? [], parser);
    if (missed.length === 0) continue;
    totals.missed += 1;
    console.log(`missed: ${JSON.stringify(source)}\n  ran: ${JSON.stringify(missed)}`);
  }
}

const { values } = parseArgs({ options: { cases: { type: "string" }, seed: { type: "string" } } });
if (!hasBash) {
  console.error("fuzz: bash is not on PATH; install bash");
  process.exit(2);
}
const cases = countOf(values.cases, DEFAULT_CASES, "cases");
const seed = countOf(values.seed, Math.floor(Math.random() * 2 ** 31), "seed");
console.log(`seed ${seed}`);
const random = new Random(seed);
const totals: Totals = { cases: 0, understood: 0, inner: 0, missed: 0 };
while (totals.cases < cases) {
  const sources = Array.from({ length: Math.min(BATCH, cases - totals.cases) }, () => generate(random));
  await runBatch(sources, totals);
  if (totals.cases % (BATCH * 4) === 0) console.log(`${totals.cases} of ${cases}, ${totals.missed} missed`);
}
console.log(
  `${totals.cases} cases, ${totals.understood} understood (${totals.inner} commands that start others), ${totals.missed} missed`,
);
process.exit(totals.missed === 0 ? 0 : 1);
