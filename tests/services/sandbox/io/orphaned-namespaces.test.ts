import { expect, test } from "bun:test";
import { processMoment, untilOrphansEnded } from "../../../../src/services/sandbox/io/orphaned-namespaces.ts";

/** Without root's rights, a namespace of processes needs one of users. */
const UNSHARE = ["unshare", ...(process.getuid?.() === 0 ? [] : ["--user"]), "--pid", "--fork"] as const;
const canUnshare = Bun.which("unshare") !== null && Bun.spawnSync([...UNSHARE, "true"]).exitCode === 0;
const testOrphans = test.skipIf(!canUnshare);

/** First process of a namespace, with a parent of another name: an orphan to us, for as long as it runs. */
async function orphan() {
  const before = processMoment();
  const child = Bun.spawn([...UNSHARE, "--kill-child", "sleep", "60"], { stderr: "inherit" });
  while ((await untilOrphansEnded("sleep", before, 0)) && child.exitCode === null) await Bun.sleep(1);
  return {
    before: before ?? { newestPid: 0, upSeconds: 0 },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

testOrphans("the wait for orphans includes an orphan that was started in the meantime", async () => {
  const one = await orphan();
  expect(await untilOrphansEnded("sleep", one.before, 20)).toBe(false);
  const ended = untilOrphansEnded("sleep", one.before, 10_000);
  await one[Symbol.asyncDispose]();
  expect(await ended).toBe(true);
});

testOrphans("an orphan is found among many newer processes", async () => {
  await using one = await orphan();
  for (let count = 0; count < 80; count += 1) Bun.spawnSync(["true"]);
  expect(await untilOrphansEnded("sleep", one.before, 20)).toBe(false);
});

testOrphans("the wait for orphans skips an older orphan, even if its number is greater", async () => {
  await using one = await orphan();
  const { newestPid, upSeconds } = one.before;
  for (const since of [newestPid, 2 ** 30])
    expect(await untilOrphansEnded("sleep", { newestPid: since, upSeconds: upSeconds + 60 }, 20)).toBe(true);
});
