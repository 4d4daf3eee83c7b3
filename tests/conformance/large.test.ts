import { describe, expect } from "bun:test";
import { join } from "node:path";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { ADAPTERS } from "./adapters.ts";

const MEGABYTES = isDeep ? 10 : 4;
const LIMIT_MS = 120_000;
/**
 * The processor time of a turn, the server's included, as a multiple of a client's that only reads the same answer in the same
 * process: seconds depend on the machine, this hardly. A turn that takes half as long again is above it.
 */
const MAX_CPU_TIMES: Readonly<Record<string, number>> = { anthropic: 1.4, vertex: 1.4, bedrock: 1.9 };
/** Of the wires that are read by a library of their own. */
const MAX_CPU_TIMES_OF_LIBRARIES = 2.1;
/** Other work of the machine can fall into one measurement, a slower product falls into each. */
const TRIES = 3;
/** Both sides are in one process, and hold the text, its events and its bytes until they are collected. */
const MAX_HELD_TIMES = 60;

/** The adapter of `npm test`. */
const QUICK = ADAPTERS[0];

type Measured = { readonly isWhole: boolean; readonly cpuTimes: number; readonly heldTimes: number };

async function measured(name: string): Promise<Measured> {
  const script = join(import.meta.dir, "large-turn.ts");
  const { code, out, err } = await runCommand([process.execPath, script, name, String(MEGABYTES)], {
    cwd: import.meta.dir,
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))(
  `${MEGABYTES} MB of words over %s`,
  (name, adapter) => {
    testOrDeep(adapter === QUICK && !isDeep)(
      "in deltas of 1 KB take bounded time and memory, and leave little",
      async () => {
        const maxCpuTimes = MAX_CPU_TIMES[name] ?? MAX_CPU_TIMES_OF_LIBRARIES;
        let least = Number.POSITIVE_INFINITY;
        for (let left = TRIES; left > 0 && least >= maxCpuTimes; left -= 1) {
          const { isWhole, cpuTimes, heldTimes } = await measured(name);
          expect(isWhole).toBe(true);
          expect(heldTimes).toBeLessThan(MAX_HELD_TIMES);
          least = Math.min(least, cpuTimes);
        }
        expect(least).toBeLessThan(maxCpuTimes);
      },
      LIMIT_MS,
    );
  },
);
