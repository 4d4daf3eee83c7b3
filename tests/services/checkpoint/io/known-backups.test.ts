import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { openCheckpoints } from "../../../../src/services/checkpoint/checkpointing.ts";
import { BACKUP_INDEX, BackupIndex } from "../../../../src/services/checkpoint/io/backup-index.ts";
import { knownBackups } from "../../../../src/services/checkpoint/io/known-backups.ts";
import { deepCases, deepTest, eachOrDeep, FRESH_SEED, isDeep } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { canMount, smallDisk } from "../../../support/small-disk.ts";
import { commandIn, GIT_ENV, git, guardedPlace, runShell, treeOf } from "../../guard/guard-fixture.ts";

setDefaultTimeout(60_000);

const NEVER = new AbortController().signal;
const SCRIPT = join(import.meta.dir, "listed-backups.ts");

/** Backups as an earlier version made them: the index knows none. */
async function earlierPlace(count = 4) {
  const place = await guardedPlace(
    { "a.txt": "a", "src/b.ts": "b", ".gitignore": "*.local\n", "x.local": "x" },
    { hasIndex: false },
  );
  place.commitAll();
  place.git("branch", "feature");
  const lines: string[] = [];
  for (let at = 0; at < count; at += 1) {
    writeFileSync(place.path("a.txt"), `uncommitted ${at}`);
    lines.push(...(await place.keep("deletes", "a.txt", "src", "x.local")));
    await place.clock.advance(1_000);
    lines.push(...(await place.keep("refs")));
    await place.clock.advance(1_000);
  }
  return { ...place, lines };
}

type Place = Awaited<ReturnType<typeof earlierPlace>>;

function idsIn(place: Pick<Place, "refs" | "copies">): readonly string[] {
  const all = [...place.refs(), ...place.copies()].map((name) => /\d{8}T\d{6}Z-[0-9a-f]{6}/.exec(name)?.[0] ?? "");
  return [...new Set(all)].sort();
}

const list = (place: Pick<Place, "index" | "reader">) => knownBackups(place.index, place.reader, NEVER);

function listInProcess(place: Pick<Place, "checkpoints" | "backups" | "dir">) {
  return spawn(process.execPath, [SCRIPT, place.checkpoints, place.backups, place.dir], {
    env: { ...GIT_ENV },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("backups of an earlier version", () => {
  test("are listed with time, cause and paths, and enter the index once", async () => {
    await using place = await earlierPlace(2);
    const found = await list(place);
    expect(found.map(({ id }) => id)).toEqual([...idsIn(place)]);
    expect(found[0]).toMatchObject({ cause: "deletes a.txt src x.local", time: place.clock.now() - 4_000 });
    const parts = found[0]?.parts.map((part) =>
      part.kind === "commit" ? part.names : part.kind === "folder" && part.paths,
    );
    expect(parts).toEqual([[place.path("x.local")], ["a.txt", "src"]]);
    const index = join(place.checkpoints, BACKUP_INDEX);
    const text = readFileSync(index, "utf8");
    expect(await list(place)).toEqual(found);
    expect(readFileSync(index, "utf8")).toBe(text);
    expect([statSync(index).mode & 0o777, statSync(place.checkpoints).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  deepTest("keep their places, so that the lines that were printed go on working", async () => {
    await using place = await earlierPlace(1);
    const before = treeOf(place.dir);
    await list(place);
    for (const name of ["a.txt", "src", "x.local"]) rmSync(place.path(name), { recursive: true });
    for (const line of place.lines.slice(0, 2)) runShell(commandIn(line));
    expect(treeOf(place.dir)).toEqual(before);
  });

  deepTest("beside lines that can't be read, and torn ones, are still listed", async () => {
    await using place = await earlierPlace(1);
    await list(place);
    const index = join(place.checkpoints, BACKUP_INDEX);
    const lines = readFileSync(index, "utf8").split("\n");
    writeFileSync(index, `\u0000garbage\n{"id":"x","kind":"newer"}\n${lines[0]?.slice(0, 30)}`);
    expect((await list(place)).map(({ id }) => id)).toEqual([...idsIn(place)]);
    appendFileSync(index, "torn");
    expect((await list(place)).map(({ id }) => id)).toEqual([...idsIn(place)]);
  });

  deepTest("that two processes list at once are all there for both", async () => {
    await using place = await earlierPlace();
    const listed = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = listInProcess(place);
        const pieces: string[] = [];
        child.stdout.setEncoding("utf8").on("data", (piece: string) => pieces.push(piece));
        await once(child, "close");
        return pieces.join("").trim().split("\n");
      }),
    );
    for (const ids of [...listed, new BackupIndex(place.checkpoints).all().map(({ id }) => id)])
      expect(ids).toEqual([...idsIn(place)]);
  });

  eachOrDeep(
    "survive a kill %s",
    (at) => at === 2,
    [
      ["at once", () => true],
      ["when the folder is there", (place: Place) => existsSync(place.checkpoints)],
      ["when the lock is taken", (place: Place) => existsSync(join(place.checkpoints, "backups-list.lock"))],
      ["when the index begins", (place: Place) => existsSync(join(place.checkpoints, BACKUP_INDEX))],
    ] as const,
    async (_when, isTime) => {
      await using place = await earlierPlace(3);
      for (let round = 0; round < (isDeep ? 3 : 1); round += 1) {
        rmSync(place.checkpoints, { recursive: true, force: true });
        const child = listInProcess(place);
        const ended = once(child, "close");
        while (child.exitCode === null && !isTime(place)) await new Promise((resolve) => setImmediate(resolve));
        child.kill("SIGKILL");
        await ended;
        expect((await list(place)).map(({ id }) => id)).toEqual([...idsIn(place)]);
        expect(new BackupIndex(place.checkpoints).all().map(({ id }) => id)).toEqual([...idsIn(place)]);
      }
    },
  );

  describe.skipIf(!canMount())("with a full or read-only disk under the index", () => {
    test.each(["fill", "lock"] as const)("(%s) are listed all the same", async (how) => {
      await using place = await earlierPlace(1);
      using disk = smallDisk(place.checkpoints, 64);
      disk?.[how]();
      expect((await list(place)).map(({ id }) => id)).toEqual([...idsIn(place)]);
      const logging = await place.guardWith(place.index).assess([place.hazard("deletes", ["a.txt"])], NEVER);
      const lines = logging?.kind === "possible" ? await logging.make(NEVER) : [];
      unlinkSync(place.path("a.txt"));
      runShell(commandIn(lines[0]));
      expect(await place.read("a.txt")).toBe("uncommitted 0");
    });
  });
});

describe("backups that the index alone can find", () => {
  test("are those of repositories outside the project", async () => {
    await using other = await guardedPlace({ "o.txt": "o" });
    other.commitAll();
    await using place = await guardedPlace();
    writeFileSync(other.path("o.txt"), "uncommitted");
    await place.keep("deletes", other.path("o.txt"));
    expect(await place.reader.find([], NEVER)).toEqual([]);
    expect((await list(place)).map(({ parts }) => parts[0])).toMatchObject([{ kind: "commit", top: other.dir }]);
    rmSync(other.path(".git"), { recursive: true });
    expect(await list(place)).toEqual([]);
  });

  test("are those of a bare repository", async () => {
    await using place = await guardedPlace({ "a.txt": "a" });
    place.commitAll();
    git(place.dir, "clone", "--quiet", "--bare", ".", "bare.git");
    const bare = place.path("bare.git");
    const hazard = { ...place.hazard("refs", []), folder: bare };
    const backup = await place.guard.assess([hazard], NEVER);
    if (backup?.kind === "possible") await backup.make(NEVER);
    expect((await list(place)).map(({ parts }) => parts[0])).toMatchObject([{ kind: "references", repository: bare }]);
  });
});

/** What a person can read of backups: each tree and reference, and each copy. */
function readable(place: Place): unknown {
  const trees = place.refs().map((ref) => [ref, place.git("rev-parse", ref), place.git("ls-tree", "-r", ref)]);
  return { trees, copies: existsSync(place.backups) ? treeOf(place.backups) : {} };
}

const KINDS = ["deletes", "overwrites", "discards", "refs", "ownership"] as const;
const NAMES = ["a.txt", "src", "x.local", "new\n'x'.txt"];

/** Random backups of an earlier version, then migrations, some of them at once. */
async function migrated(seed: number): Promise<void> {
  const random = seededRandom(seed);
  await using place = await earlierPlace(0);
  for (let steps = 1 + random.below(5); steps > 0; steps -= 1) {
    await place.write("new\n'x'.txt", `${random.below(100)}`);
    writeFileSync(place.path("a.txt"), `${random.below(100)}`);
    const backup = await place.assess(random.pick(KINDS), random.pick(NAMES));
    if (backup?.kind === "possible") await backup.make(NEVER);
    await place.clock.advance(1_000);
  }
  const before = readable(place);
  for (let times = random.below(4); times >= 0; times -= 1) await Promise.all([list(place), list(place)]);
  expect(readable(place)).toEqual(before);
  const found = await list(place);
  expect(found.map(({ id }) => id)).toEqual([...idsIn(place)]);
  const { rewinds } = openCheckpoints({
    ...{ folder: place.checkpoints, sessionId: "restores", home: "/nonexistent", environment: GIT_ENV },
    ...{ git: findGit(process.env, []), clock: place.clock, ids: { next: () => "id" } },
  });
  for (const record of found)
    expect((await rewinds.previewBackup({ record, reader: place.reader }, NEVER)).messageId).toBe("");
}

const NOTHING_LOST = "nothing that was readable before a migration is unreadable after it";

test.each([1])(`${NOTHING_LOST} (seed %i)`, migrated);

deepTest(
  `${NOTHING_LOST} (TEST_SEED=${FRESH_SEED})`,
  async () => {
    for (let at = 0; at < deepCases(100); at += 1) await migrated(FRESH_SEED + at);
  },
  300_000,
);
