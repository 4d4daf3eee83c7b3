import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { PROMPT_SIGN } from "./screen.ts";
import { TerminalRun } from "./terminal-run.ts";

const DELTAS = 2_000;
/** About one and a half tokens. */
const DELTA_CHARS = 6;
const PACE_MS = 5;
const BURST_TARGET_MS = 1_000;
const PACED_TARGET_MS = 2_000;
const BYTES_TARGET = 10;
export const LAST_WORDS = "The-end.";
const QUIET_MS = 300;

/** An answer of 2,000 deltas on the screen: at once, and one every 5 ms. */
export async function benchStream(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const part = "stream";
  const results: Measurement[] = [];
  for (const { how, paceMs, target, times } of [
    { how: "burst", paceMs: 0, target: BURST_TARGET_MS, times: Math.min(runs, 5) },
    { how: `one each ${PACE_MS} ms`, paceMs: PACE_MS, target: PACED_TARGET_MS, times: Math.min(runs, 3) },
  ]) {
    const measured = [];
    for (let run = 0; run < times; run += 1) measured.push(await streamOnce(place, paceMs));
    const name = `2,000 deltas, ${how}`;
    results.push(
      { part, name: `${name}: CPU`, unit: "ms", values: measured.map(({ cpuMs }) => cpuMs), target },
      {
        part,
        name: `${name}: bytes a byte`,
        unit: "B/B",
        values: measured.map(({ ratio }) => ratio),
        target: BYTES_TARGET,
      },
      { part, name: `${name}: request to last word`, unit: "ms", values: measured.map(({ wallMs }) => wallMs) },
    );
  }
  return results;
}

async function streamOnce(
  place: BenchPlace,
  paceMs: number,
): Promise<{ cpuMs: number; ratio: number; wallMs: number }> {
  const answer = markdownAnswer(DELTAS * DELTA_CHARS);
  await using twin = await startTwin({ scenario: [reply(answer, { deltaChars: DELTA_CHARS, paceMs })] });
  const env = { ...place.environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  await using run = new TerminalRun([place.quoll, "--trust"], { cwd: place.project, env });
  await run.wrote(PROMPT_SIGN);
  await run.quiet(QUIET_MS);
  run.forget();
  const before = { cpuMs: run.cpuMs(), bytes: run.bytes };
  run.type("Tell me all.");
  await run.wrote("all.");
  run.type("\r");
  const { receivedAtMs } = await twin.request(0);
  const endedAtMs = await run.shows(LAST_WORDS);
  // The last frame, and the redraw of the complete answer.
  await run.quiet(QUIET_MS);
  const bytes = run.bytes - before.bytes;
  return {
    cpuMs: run.cpuMs() - before.cpuMs,
    ratio: bytes / Buffer.byteLength(answer),
    wallMs: endedAtMs - receivedAtMs,
  };
}

/** Typical paragraphs, lists and code, exactly `length` ASCII characters long. */
export function markdownAnswer(length: number): string {
  let answer = "";
  for (let section = 1; answer.length < length; section += 1) answer += sectionOf(section);
  const end = `\n\n${LAST_WORDS}`;
  return answer.slice(0, length - end.length) + end;
}

function sectionOf(number: number): string {
  return `## Step ${number}: wait for the cart

The test waits a fixed **200 ms** while the cart debounces its writes, so on a slow machine \`settle()\` runs before
the last of them. I would wait for the cart itself, which knows when it is done, and drop the timer.

- \`src/cart-${number}.ts\` keeps a promise of the *pending* write
- the test awaits it instead of sleeping; nothing else changes
- fifty repeats in a row pass on both machines

\`\`\`ts
export async function settled${number}(cart: Cart): Promise<void> {
  while (cart.pending.size > 0) {
    await Promise.all(cart.pending); // new writes may have come
  }
}
\`\`\`

1. Run the check once more with the seed that failed.
2. Look at the two other places that sleep, they have the same fault.

`;
}
