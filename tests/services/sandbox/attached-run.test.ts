import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { runAttached } from "../../../src/platform/processes/run-attached.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

const { signal } = new AbortController();

const MODULE = new URL("../../../src/platform/processes/run-attached.ts", import.meta.url).pathname;
/** Runs what START says on its own output, and prints the exit code or the kind of error. */
const RUNNER = `
  import { runAttached } from ${JSON.stringify(MODULE)};
  const start = JSON.parse(process.env.START);
  console.log(await runAttached(start, new AbortController().signal).catch((error) => error.constructor.name));`;

/** The same in a process of its own, whose output can be read. */
async function seen(start: object): Promise<{ readonly out: string; readonly err: string }> {
  const child = Bun.spawn([process.execPath, "-e", RUNNER], {
    env: { ...process.env, START: JSON.stringify(start) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { out, err };
}

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

test("a sandbox that could not be set up is no exit code of the program, and its reason is on the terminal", async () => {
  await using at = await sandboxPlace();
  // No other test's sandbox shows this home, so it looks for no mount point there.
  const path = at.home.path("s");
  await using _ = Bun.listen({ unix: path, socket: { data: () => undefined } });
  const { confined } = await at.confineBash("exit 7");
  // The program of the socket ends at the worst moment.
  rmSync(path);
  const { out, err } = await seen(confined);
  expect([out, err]).toEqual(["SetUpFailedError\n", expect.stringMatching(/^bwrap: [^\n]*\n$/)]);
  expect(err).toContain(path);
  await confined.dispose();
  const again = await at.confineBash("exit 7");
  expect(await runAttached(again.confined, signal)).toBe(7);
  await again.confined.dispose();
});
