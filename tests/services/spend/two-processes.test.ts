import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { linesOf } from "../../support/lines-of.ts";
import { tempProject } from "../../support/temp-project.ts";
import { makeGuard, never, TEN_CENTS, TODAY } from "./support.ts";

const CHILD = fileURLToPath(import.meta.resolve("./spend-child.ts"));
const LIMIT_MS = 25_000;

type Line = { id: string; state: string; usd: number | null };

async function spend(folder: string, cap: number, names: readonly string[], ...more: readonly string[]) {
  const children = names.map((name) =>
    Bun.spawn([process.execPath, CHILD, folder, String(cap), name, ...more], {
      stdout: "pipe",
      stderr: "pipe",
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
    }),
  );
  return Promise.all(
    children.map(async (child) => {
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      await child.exited;
      return { said: out.trim() + err.trim(), signal: child.signalCode };
    }),
  );
}

async function dayIn(folder: string) {
  const text = await readFile(`${folder}/${TODAY}.jsonl`, "utf8");
  const lines = linesOf(text).map((line) => JSON.parse(line) as Line);
  const opened = lines.filter(({ state }) => state === "open").map(({ id }) => id);
  const settled = lines.filter(({ state }) => state === "settled");
  return { opened, settled: settled.map(({ id }) => id), usd: settled.reduce((sum, { usd }) => sum + (usd ?? 0), 0) };
}

test("two processes that spend at once never pass the cap of a day together, and each line is whole", async () => {
  await using place = await tempProject();
  const cap = 1;
  expect(await spend(place.dir, cap, ["a", "bb"])).toEqual([
    { said: "refused, 0 held", signal: null },
    { said: "refused, 0 held", signal: null },
  ]);
  const { opened, settled, usd } = await dayIn(place.dir);
  expect(usd).toBeLessThanOrEqual(cap);
  // The requests were refused for lack of money, not because of a lock: the rest is less than the worst case of a
  // request.
  expect(usd).toBeGreaterThan(cap - 3 * 0.0125);
  expect(new Set(opened).size).toBe(opened.length);
  expect([...settled].sort()).toEqual([...opened].sort());
  const both = ["a-", "bb-"].map((name) => opened.some((id) => id.startsWith(name)));
  expect(both).toEqual([true, true]);
});

test("the open requests of a killed process are free for others, and its lock blocks nobody", async () => {
  await using place = await tempProject();
  const [killed] = await spend(place.dir, 1, ["a"], "crash");
  expect(killed?.signal).toBe("SIGKILL");
  const before = await dayIn(place.dir);
  expect(before.opened.length).toBeGreaterThan(before.settled.length);
  const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: before.usd + 0.1 } });
  await guard.reserve(TEN_CENTS, never);
});

test("where a file can't grow any more nothing is sent, and nothing of a line is left behind", async () => {
  await using place = await tempProject();
  const limited = `ulimit -f 8; exec "$@"`;
  const command = ["bash", "-c", limited, "bash", process.execPath, CHILD, place.dir, "1000", "a"];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", timeout: LIMIT_MS, killSignal: "SIGKILL" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([out, await child.exited]).toEqual(["failed, 0 held\n", 1]);
  expect(err).toContain("Quoll sends no requests:");
  expect(err).toContain("the file size limit is reached");
  const { opened, settled, usd } = await dayIn(place.dir);
  expect(opened.length).toBeGreaterThan(2);
  // A last answer may be known to the process that is gone alone; all else is there.
  expect(opened.length - settled.length).toBeLessThanOrEqual(2);
  const { guard, notices } = makeGuard({ folder: place.dir, spend: { dayUsd: 1_000 } });
  await guard.reserve(TEN_CENTS, never);
  expect(guard.status()[0]?.spent).toBeCloseTo(usd, 9);
  expect(notices).toEqual([]);
});
