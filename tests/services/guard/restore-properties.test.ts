import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { openCheckpoints } from "../../../src/services/checkpoint/checkpointing.ts";
import { knownBackups } from "../../../src/services/checkpoint/io/known-backups.ts";
import { deepCases, deepTest, FRESH_SEED } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { GIT_ENV, guardedPlace, treeOf } from "./guard-fixture.ts";

setDefaultTimeout(60_000);

const NEVER = new AbortController().signal;
const FILES = { "a.txt": "a", "src/b.ts": "b", "src/deep/c.ts": "c", "x.local": "x", ".gitignore": "*.local\n" };
const NAMES = [...Object.keys(FILES), "new.txt", "src/new 'n'\n.ts", "src/y.local"];
const KINDS = ["deletes", "overwrites", "discards"] as const;

type Place = Awaited<ReturnType<typeof guardedPlace>>;
type Random = ReturnType<typeof seededRandom>;

/** A change of the person, or of a command. */
function change(place: Place, { pick, below }: Random): void {
  const path = place.path(pick(NAMES));
  rmSync(path, { recursive: true, force: true });
  if (below(4) === 0) return;
  mkdirSync(dirname(path), { recursive: true });
  if (below(5) === 0) symlinkSync(`target-${below(9)}`, path);
  else {
    writeFileSync(path, `text ${below(1_000)}`);
    if (below(3) === 0) chmodSync(path, 0o755);
  }
}

function files(place: Place): Readonly<Record<string, string>> {
  return treeOf(place.dir);
}

async function restored(seed: number): Promise<void> {
  const random = seededRandom(seed);
  await using place = await guardedPlace(FILES);
  if (random.below(4) > 0) place.commitAll();
  for (let times = random.below(5); times > 0; times -= 1) change(place, random);
  const before = files(place);
  const names = random.below(2) === 0 ? ["src", "x.local"] : [random.pick(NAMES)];
  const backup = await place.assess(random.pick(KINDS), ...names);
  if (backup?.kind !== "possible") return;
  await backup.make(NEVER);
  for (let times = 1 + random.below(6); times > 0; times -= 1) change(place, random);
  if (random.below(2) === 0) rmSync(place.path("src"), { recursive: true, force: true });
  const [record] = await knownBackups(place.index, place.reader, NEVER);
  if (!record) throw new Error("There is no backup.");
  let count = 0;
  const nextId = () => {
    count += 1;
    return `${seed}-${count}-restore`;
  };
  const { rewinds } = openCheckpoints({
    ...{ folder: place.checkpoints, sessionId: "restores", home: "/nonexistent", environment: GIT_ENV, git: undefined },
    ...{ clock: place.clock, ids: { next: nextId } },
  });
  const request = { record, reader: place.reader };
  const later = files(place);
  const plain = await rewinds.restoreBackup(request, NEVER);
  // What is there stays as it is, byte for byte.
  for (const [name, content] of Object.entries(later)) expect([name, files(place)[name]]).toEqual([name, content]);
  for (const path of plain.restored) {
    const name = path.slice(place.dir.length + 1);
    expect([name, files(place)[name]]).toEqual([name, before[name]]);
  }
  const { conflicts } = await rewinds.previewBackup(request, NEVER);
  const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "checkpoint" as const]));
  const middle = files(place);
  const whole = await rewinds.restoreBackup({ ...request, choices }, NEVER);
  for (const path of whole.restored) {
    const name = path.slice(place.dir.length + 1);
    expect([name, files(place)[name]]).toEqual([name, before[name]]);
  }
  const left = new Set(whole.kept.map(({ path }) => path));
  for (const { path } of conflicts)
    expect([path, left.has(path) || whole.restored.includes(path) || whole.deleted.includes(path)]).toEqual([
      path,
      true,
    ]);
  if (whole.restored.length + whole.deleted.length === 0) return;
  await rewinds.redo({}, NEVER);
  expect(files(place)).toEqual(middle);
}

const TITLE = "restores and redos keep every byte that was there, in place or one redo away";

test.each(Array.from({ length: 3 }, (_, at) => at + 1))(`${TITLE} (seed %i)`, restored);

deepTest(
  `${TITLE} (TEST_SEED=${FRESH_SEED})`,
  async () => {
    for (let at = 0; at < deepCases(500); at += 1) await restored(FRESH_SEED + at);
  },
  300_000,
);
