import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const ALLOWED = ["--allowed-tools", "Bash", "Write"];

/** A small file system for Quoll's data; undefined where this user may not mount. */
function smallData(folder: string) {
  const run = (...words: readonly string[]) => Bun.spawnSync([...words], { stderr: "ignore" }).exitCode === 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== "linux" || !run("mount", "-t", "tmpfs", "-o", "size=512k,mode=0700", "none", folder))
    return undefined;
  const filling = join(folder, "filling");
  return {
    /** Leaves no byte free. */
    fill: () => run("bash", "-c", `cat /dev/zero > ${filling}`),
    free: () => rmSync(filling, { force: true }),
    lock: () => run("mount", "-o", "remount,ro", folder),
    unlock: () => run("mount", "-o", "remount,rw", folder),
    [Symbol.dispose]: () => void run("umount", "-l", folder),
  };
}

function canMount(): boolean {
  const probe = `/tmp/quoll-mount-${process.pid}`;
  const disk = smallData(probe);
  disk?.[Symbol.dispose]();
  rmSync(probe, { recursive: true, force: true });
  return disk !== undefined;
}

async function placeOn(scenario: Scenario) {
  const place = await quollPlace({ files: { "a.txt": "A\n" }, scenario });
  const disk = smallData(place.home.path("own/data"));
  if (!disk) throw new Error("no disk");
  return { place, disk };
}

const textsOf = (body: { messages: readonly { content: readonly { text?: string }[] }[] } | undefined) =>
  body?.messages.map(({ content }) => content.at(-1)?.text) ?? [];

describe.skipIf(!canMount())("the log of a session", () => {
  test("on a full disk refuses a prompt with one line, and the session goes on when there is space", async () => {
    const { place, disk } = await placeOn([reply("First."), reply("Second.")]);
    await using _ = place;
    using __ = disk;
    expect((await place.run(["-p", "one"])).code).toBe(0);
    disk.fill();
    const full = await place.run(["-p", "two", "--continue"]);
    expect([full.code, full.out]).toEqual([1, ""]);
    expect(full.err).toMatch(
      /^quoll: The session could not be saved to [^\n]*: the disk is full; free some space\.\n$/,
    );
    expect(place.sent()).toHaveLength(1);
    disk.free();
    expect(await place.run(["-p", "three", "--continue"])).toMatchObject({ code: 0, out: "Second.\n", err: "" });
    expect(textsOf(place.sent().at(-1))).toEqual(["one", "First.", "three"]);
  });

  test("that is full in the middle of a turn loses no result, and runs no call that it can't announce", async () => {
    let fill = () => {};
    const { place, disk } = await placeOn((_, index) => {
      if (index === 0) return reply([toolUse("Bash", { command: "echo begun", description: "Begin" }, "t1")]);
      if (index > 1) return reply("Done.");
      fill();
      return reply([toolUse("Write", { file_path: "b.txt", content: "x".repeat(9_000) }, "t2")]);
    });
    await using _ = place;
    using __ = disk;
    fill = () => disk.fill();
    const { code, err } = await place.run(["-p", "begin", ...ALLOWED]);
    expect([
      code,
      err.match(/^quoll: The session could not be saved .*the disk is full/gm)?.length,
      existsSync(place.project.path("b.txt")),
    ]).toEqual([1, 1, false]);
    disk.free();
    const on = await place.run(["-p", "and now?", "--continue", ...ALLOWED]);
    expect([on.code, on.out, place.refused()]).toEqual([0, "Done.\n", []]);
    expect(resultsIn(place.sent().at(-1))).toEqual([expect.stringContaining("begun")]);
  });

  test("in a read-only folder is refused with one line, and read as it is", async () => {
    const { place, disk } = await placeOn([reply("First."), reply("Alone."), reply("Second.")]);
    await using _ = place;
    using __ = disk;
    await place.run(["-p", "one"]);
    disk.lock();
    for (const args of [
      ["-p", "new"],
      ["-p", "two", "--continue"],
    ]) {
      const { code, out, err } = await place.run(args);
      expect([args, code, out, err]).toEqual([
        args,
        1,
        "",
        expect.stringMatching(/^quoll: [^\n]*the file system is read-only[^\n]*\n$/),
      ]);
    }
    const unsaved = await place.run(["-p", "alone", "--continue", "--no-session-persistence"]);
    expect(unsaved).toMatchObject({ code: 0, out: "Alone.\n" });
    expect(textsOf(place.sent().at(-1))).toEqual(["one", "First.", "alone"]);
    disk.unlock();
    expect(await place.run(["-p", "three", "--continue"])).toMatchObject({ code: 0, out: "Second.\n", err: "" });
  });

  test("that is damaged is continued without the damaged lines, and says which", async () => {
    await using place = await quollPlace({ scenario: [reply("First."), reply("Second.")] });
    await place.run(["-p", "one"]);
    const [log = ""] = place.ownFiles().flatMap(([path = ""]) => (/sessions\/.*\.jsonl$/.test(path) ? [path] : []));
    const file = place.home.path(`own/${log}`);
    const text = await place.home.read(`own/${log}`);
    const lines = text.trimEnd().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "");
    const bookmark = { v: 2, id: "b1", parentId: last.id, time: "x", kind: "bookmark", optional: true };
    writeFileSync(file, [...lines, "\0\0\0\0", JSON.stringify(bookmark), '{"v":2,"id":"half'].join("\n"));
    const { code, out, err } = await place.run(["-p", "two", "--continue"]);
    expect([code, out]).toEqual([0, "Second.\n"]);
    expect(err).toBe(
      `quoll: ${file}: line ${lines.length + 1} can't be read and was skipped; the file is kept as it is.\n`,
    );
    expect(textsOf(place.sent().at(-1))).toEqual(["one", "First.", "two"]);
  });
});
