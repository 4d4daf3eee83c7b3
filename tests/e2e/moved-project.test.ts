import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const answers = (_: unknown, at: number) => reply(`Answer ${at + 1}.`);

/** A place with a session of a project whose folder was renamed afterwards. */
async function movedPlace() {
  const place = await quollPlace({ scenario: answers });
  const [before, now] = [join(place.home.dir, "before"), join(place.home.dir, "now")];
  mkdirSync(join(before, ".git"), { recursive: true });
  Bun.spawnSync(["git", "init", "-q"], { cwd: before });
  const { out } = await place.run(["-p", "first question", "--output-format", "json"], { cwd: before });
  const id = (JSON.parse(out) as { session_id: string }).session_id;
  renameSync(before, now);
  const run = (...args: readonly string[]) => place.run(args, { cwd: now });
  return { place, before, now, id, run };
}

const lastSent = (place: Place) => JSON.stringify(place.sent().at(-1)?.messages);

describe("a project whose folder was renamed", () => {
  test("continues its newest session, says so once, and tells the model the folder", async () => {
    const { place, before, now, id, run } = await movedPlace();
    await using _ = place;
    const { code, err, out } = await run("-p", "-c", "second", "--output-format", "json");
    expect([code, (JSON.parse(out) as { session_id: string }).session_id]).toEqual([0, id]);
    expect(err.split("\n").filter((line) => line.includes(before))).toHaveLength(1);
    expect(lastSent(place)).toContain("first question");
    expect(lastSent(place)).toContain(JSON.stringify(JSON.stringify(now)).slice(1, -1));
    const again = await run("-p", "-c", "third");
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(lastSent(place).match(/no longer/g)).toHaveLength(1);
  });

  deepTest("resumes a session by its id", async () => {
    const { place, id, run } = await movedPlace();
    await using _ = place;
    expect((await run("-p", "--resume", id.slice(0, 8), "second")).code).toBe(0);
    expect(lastSent(place)).toContain("first question");
  });

  deepTest("copies a session by its id, and the original stays", async () => {
    const { place, id, run } = await movedPlace();
    await using _ = place;
    const { code, out } = await run("-p", "--resume", id, "--fork-session", "second", "--output-format", "json");
    expect([code, (JSON.parse(out) as { session_id: string }).session_id === id]).toEqual([0, false]);
    expect(lastSent(place)).toContain("first question");
    expect((await run("-p", "--resume", id, "third")).code).toBe(0);
    expect(lastSent(place)).not.toContain("second");
  });

  deepTest("lists its sessions", async () => {
    const { place, now } = await movedPlace();
    await using _ = place;
    await using terminal = terminalProcess([...QUOLL, "--trust", "--resume"], {
      columns: 80,
      rows: 24,
      cwd: now,
      env: place.environmentOf({}),
    });
    await terminal.shows("first question");
  });
});

test("the sessions of a project that still exists stay with it", async () => {
  await using place = await quollPlace({ scenario: answers });
  const other = join(place.home.dir, "other");
  mkdirSync(other);
  Bun.spawnSync(["git", "init", "-q"], { cwd: other });
  const { out } = await place.run(["-p", "one", "--output-format", "json"], { cwd: other });
  const id = (JSON.parse(out) as { session_id: string }).session_id;
  expect((await place.run(["-p", "-c", "two"])).err).toContain("no session to continue");
  const { code, err } = await place.run(["-p", "--resume", id, "two"]);
  expect([code, err.includes(other)]).toEqual([2, true]);
});

deepTest("another project's session whose folder is gone is resumed by its id alone", async () => {
  await using place = await quollPlace({ scenario: answers });
  const gone = join(place.home.dir, "gone");
  mkdirSync(gone);
  const { out } = await place.run(["-p", "one", "--output-format", "json"], { cwd: gone });
  const id = (JSON.parse(out) as { session_id: string }).session_id;
  rmSync(gone, { recursive: true });
  expect((await place.run(["-p", "-c", "two"])).err).toContain("no session to continue");
  expect((await place.run(["-p", "--resume", id, "two"])).code).toBe(0);
});

describe("--resume --fork-session without an id", () => {
  eachOrDeep(
    "%p opens the list, and copies the chosen session",
    1,
    [[["--resume", "--fork-session"]], [["--fork-session", "-r"]]],
    async (options) => {
      await using place = await quollPlace({ scenario: answers });
      const { out } = await place.run(["-p", "original question", "--output-format", "json"]);
      const id = (JSON.parse(out) as { session_id: string }).session_id;
      await using terminal = terminalProcess([...QUOLL, "--trust", ...options], {
        columns: 80,
        rows: 24,
        cwd: place.project.dir,
        env: place.environmentOf({}),
      });
      await terminal.shows("original question");
      terminal.type("\r");
      await terminal.shows("› original question");
      terminal.type("second\r");
      await terminal.shows("● Answer 2.");
      expect(lastSent(place)).toContain("original question");
      terminal.type("/exit\r");
      await terminal.child.exited;
      await place.run(["-p", "--resume", id, "third"]);
      expect(lastSent(place)).not.toContain("second");
    },
  );

  test("copies a session that another Quoll has open", async () => {
    await using place = await quollPlace({ scenario: answers });
    const screen = (...options: readonly string[]) =>
      terminalProcess([...QUOLL, "--trust", ...options], {
        columns: 80,
        rows: 24,
        cwd: place.project.dir,
        env: place.environmentOf({}),
      });
    await using open = screen();
    await open.shows("? for keys");
    open.type("original question\r");
    await open.shows("● Answer 1.");
    await using copy = screen("--resume", "--fork-session");
    await copy.shows("original question");
    copy.type("\r");
    await copy.shows("› original question");
    copy.type("second\r");
    await copy.shows("● Answer 2.");
    expect(lastSent(place)).toContain("original question");
  });
});
