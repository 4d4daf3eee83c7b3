import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../../../src/platform/git/find-git.ts";
import { deepTest } from "../../support/deep.ts";
import { never, worktreePlace } from "./worktree-fixture.ts";

setDefaultTimeout(60_000);

/** Runs a process that works in the worktree `fix`, and kills it in the middle of a step. */
async function killedAt(place: Awaited<ReturnType<typeof worktreePlace>>, step: "creating" | "working" | "removing") {
  const about = {
    ...{ dir: place.project.dir, program: findGit(place.environment, []), environment: place.environment },
    ...{ records: place.home.path("records"), folder: place.home.path("trees") },
  };
  const script = join(import.meta.dir, "session-to-kill.ts");
  const child = Bun.spawn([process.execPath, script, JSON.stringify(about), step], { stdout: "pipe" });
  await child.stdout.getReader().read();
  child.kill("SIGKILL");
  await child.exited;
}

test("kill -9 while a worktree is made leaves nothing behind after the next look", async () => {
  await using place = await worktreePlace();
  await killedAt(place, "creating");
  expect(existsSync(place.path("fix"))).toBe(true);
  expect(await place.worktrees().abandoned([], never)).toEqual([]);
  expect(existsSync(place.path("fix"))).toBe(false);
  expect(place.branches()).toEqual(["main"]);
  expect((await place.worktrees().open({ name: "fix" }, never)).isNew).toBe(true);
});

test("kill -9 while a session works keeps its work, which the next look names once", async () => {
  await using place = await worktreePlace();
  await killedAt(place, "working");
  writeFileSync(join(place.path("fix"), "new.txt"), "work");
  const [found, ...others] = await place.worktrees().abandoned([], never);
  expect({ name: found?.record.name, left: found?.left, others }).toMatchObject({
    ...{ name: "fix", left: { files: 1, commits: 0 }, others: [] },
  });
  expect(await place.worktrees().abandoned([], never)).toEqual([]);
  const again = await place.worktrees().open({ name: "fix" }, never);
  expect(again.isNew).toBe(false);
  expect(readFileSync(join(again.record.path, "new.txt"), "utf8")).toBe("work");
});

test("the worktree of a killed conversation is kept when that conversation is resumed", async () => {
  await using place = await worktreePlace();
  await killedAt(place, "working");
  expect(await place.worktrees().abandoned(["fix"], never)).toEqual([]);
  expect(existsSync(place.path("fix"))).toBe(true);
  await place.worktrees().abandoned([], never);
  expect(existsSync(place.path("fix"))).toBe(false);
});

deepTest("kill -9 while a worktree is removed is made up for, and its name is free", async () => {
  await using place = await worktreePlace();
  await killedAt(place, "removing");
  expect((await place.worktrees().open({ name: "fix" }, never)).isNew).toBe(true);
});

deepTest("a removal that stopped half-way continues, but not over work that was added since", async () => {
  await using place = await worktreePlace({ "a.txt": "A", "b.txt": "B" });
  const stopped = async (name: string) => {
    const held = await place.worktrees().open({ name }, never);
    held.release();
    const file = place.home.path(`records/${name}.json`);
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), state: "removing", isReported: false }),
    );
    rmSync(join(held.record.path, "a.txt"));
    return held.record.path;
  };
  const clean = await stopped("clean");
  const used = await stopped("used");
  writeFileSync(join(used, "b.txt"), "work");
  const kept = await place.worktrees().abandoned([], never);
  expect(kept.map(({ record }) => record.name)).toEqual(["used"]);
  expect([clean, used].map((path) => existsSync(path))).toEqual([false, true]);
});
