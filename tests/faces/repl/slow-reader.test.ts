import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { builtDemo } from "../../support/built.ts";
import { deepTest } from "../../support/deep.ts";
import { eventually } from "../../support/eventually.ts";
import { slowTerminal } from "../../support/slow-terminal.ts";

const DEMO = [await builtDemo()];
const FAST = 1_000_000_000;
const SLOW = 2_000;
const LOOK_MS = 4_000;
const WAIT_MS = 120_000;
/** Each larger frame begins with it. */
const BEGIN = "\u001b[?2026h";
const MB = 1_024;

const framesIn = (output: string) => output.split(BEGIN).length - 1;
const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / MB;

// The helper opens a pseudo terminal as Linux has it.
if (process.platform === "linux") {
  deepTest(
    "a terminal that is read at 2 kB a second gets fewer frames, shows a key within a few of them, and loses nothing",
    async () => {
      await using terminal = slowTerminal(DEMO, { columns: 80, rows: 24, bytesPerSecond: FAST });
      const shows = (part: string | RegExp) =>
        eventually(`shown: ${part}`, () => terminal.all.search(part) >= 0, WAIT_MS);
      await shows("for keys");
      const before = residentMb(terminal.child.pid);
      terminal.type("lines\r");
      await shows("line 50 of it");
      /** How many frames come in a while. */
      const frames = async () => {
        const from = terminal.output.length;
        // Only time can be waited for: what comes in it is counted.
        await Bun.sleep(LOOK_MS);
        return framesIn(terminal.output.slice(from));
      };
      const fast = await frames();
      terminal.readAt(SLOW);
      // What the kernel had taken before.
      await frames();
      const slow = await frames();
      expect(slow).toBeLessThanOrEqual(fast / 3);
      const typedAt = terminal.output.length;
      terminal.type("xyz");
      await shows(/› xyz\n/);
      expect(framesIn(terminal.output.slice(typedAt))).toBeLessThanOrEqual(12);
      expect(residentMb(terminal.child.pid)).toBeLessThan(before + 130);
      terminal.readAt(FAST);
      await shows("line 9999 of it");
      const numbers = Array.from(terminal.all.matchAll(/line (\d+) of it$/gm), ([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, at) => at));
    },
    400_000,
  );
}
