import { describe, expect } from "bun:test";
import { join } from "node:path";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { ADAPTERS } from "./adapters.ts";

const MEGABYTES = isDeep ? 10 : 4;
/** The limit includes the server in the same process, which makes the answer, and other work of the machine. */
const LIMIT_MS = 60_000;
const MAX_CPU_MS = 5_000;
/** Both sides are in one process, and hold the text, its events and its bytes until they are collected. */
const MAX_HELD_TIMES = 60;

/** The adapter of `npm test`. */
const QUICK = ADAPTERS[0];

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))(
  `${MEGABYTES} MB of words over %s`,
  (name, adapter) => {
    testOrDeep(adapter === QUICK && !isDeep)(
      "in deltas of 1 KB take bounded time and memory, and leave little",
      async () => {
        const script = join(import.meta.dir, "large-turn.ts");
        const { code, out, err } = await runCommand([process.execPath, script, name, String(MEGABYTES)], {
          cwd: import.meta.dir,
        });
        expect({ code, err }).toEqual({ code: 0, err: "" });
        const { isWhole, cpuMs, heldTimes } = JSON.parse(out) as Record<string, number | boolean>;
        expect(isWhole).toBe(true);
        expect(cpuMs).toBeLessThan(MAX_CPU_MS);
        expect(heldTimes).toBeLessThan(MAX_HELD_TIMES);
      },
      LIMIT_MS,
    );
  },
);
