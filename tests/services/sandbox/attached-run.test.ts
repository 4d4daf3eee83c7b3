import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runAttached, SetUpFailedError } from "../../../src/platform/processes/run-attached.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

const { signal } = new AbortController();

test("a program on the terminal passes its exit code or its signal on through the sandbox", async () => {
  await using at = await sandboxPlace();
  for (const [script, code] of [
    ["exit 1", 1],
    ["exit 7", 7],
    ["kill -9 $$", 137],
  ] as const) {
    const { confined } = await at.confineBash(script);
    expect([script, await runAttached(confined, signal)]).toEqual([script, code]);
    await confined.dispose();
  }
});

test("a sandbox that could not be set up is no exit code of the program", async () => {
  await using at = await sandboxPlace();
  const folder = mkdtempSync("/var/tmp/quoll-test-");
  await using _ = Bun.listen({ unix: join(folder, "s"), socket: { data: () => undefined } });
  const { confined } = await at.confineBash("exit 7");
  // The program of the socket ends at the worst moment.
  rmSync(folder, { recursive: true });
  expect(await runAttached(confined, signal).catch((error: unknown) => error)).toBeInstanceOf(SetUpFailedError);
  await confined.dispose();
  const again = await at.confineBash("exit 7");
  expect(await runAttached(again.confined, signal)).toBe(7);
  await again.confined.dispose();
});
