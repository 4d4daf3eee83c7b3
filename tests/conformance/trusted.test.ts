import { expect, test } from "bun:test";
import { join } from "node:path";
import { runCommand } from "../support/run-command.ts";
import { SELF_SIGNED } from "../support/tls-front.ts";
import { ADAPTERS } from "./adapters.ts";

const LIMIT_MS = 30_000;

test(
  "with NODE_EXTRA_CA_CERTS each adapter trusts an authority of one's own, directly and through a proxy's tunnel",
  async () => {
    const cwd = import.meta.dir;
    const command = [process.execPath, join(cwd, "trusted-child.ts")];
    const { code, out, err } = await runCommand(command, { cwd, env: { NODE_EXTRA_CA_CERTS: SELF_SIGNED } });
    expect([code, err]).toEqual([0, ""]);
    const told: Record<string, readonly (readonly string[])[]> = JSON.parse(out);
    expect(Object.keys(told)).toEqual(ADAPTERS.map(({ name }) => name));
    const ends = Object.entries(told).map(([name, plays]) => [name, ...plays.map((lines) => lines.at(-1))]);
    expect(ends).toEqual(
      ADAPTERS.map(({ name }) => [name, 'finished 2 completed: "Done."', 'finished 2 completed: "Done."']),
    );
  },
  LIMIT_MS,
);
