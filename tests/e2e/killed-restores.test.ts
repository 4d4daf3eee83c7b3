import { expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepCases, deepTest, FRESH_SEED } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";
import { seededRandom } from "../support/seeded-random.ts";

const DEEP_STORIES = 200;
/** So that a part stays within the time limit of a test. */
const STORIES_IN_PART = 20;
const LANES = 3;
/** So many that a restore can be killed between two of them. */
const FILES = 150;
const ATTEMPTS = 3;
/** When a restore is killed: from its start to its usual end. */
const EARLIEST_MS = 80;
const LIFE_MS = 400;

type Place = Awaited<ReturnType<typeof quollPlace>>;

const nameOf = (at: number) => `src/${at % 5}/f${at}.txt`;
const contentOf = (at: number) => `uncommitted ${at}\n`;

/** The model deletes a folder with uncommitted work. */
async function deletedFolder(): Promise<Place> {
  const names = Array.from({ length: FILES }, (_, at) => nameOf(at));
  const files = Object.fromEntries(names.map((name) => [name, "committed\n"]));
  const place = await quollPlace({
    files: { ...files, "mine.txt": "mine\n" },
    scenario: [reply([toolUse("Bash", { command: "rm -rf src" })]), reply("Done.")],
  });
  for (const [at, name] of names.entries()) writeFileSync(join(place.project.dir, name), contentOf(at));
  expect((await place.run(["-p", "delete", "--allowed-tools", "Bash"])).code).toBe(0);
  expect(existsSync(join(place.project.dir, "src"))).toBe(false);
  return place;
}

function picture(place: Place): Readonly<Record<string, string>> {
  const names = readdirSync(place.project.dir, { recursive: true, encoding: "utf8", withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const shown = files.filter((path) => !path.includes("/.git/")).sort();
  return Object.fromEntries(
    shown.map((path) => [path.slice(place.project.dir.length + 1), readFileSync(path, "utf8")]),
  );
}

/** Kills a restore with -9 after a time, unless it ends before. */
async function killed(place: Place, id: string, afterMs: number): Promise<void> {
  const { child, ended } = place.start(["backups", "restore", id]);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await ended;
  clearTimeout(timer);
}

/**
 * A restore is killed at random, several times; other sessions start in between, and the person writes files. The last
 * restore ends. Then every file of the backup is back, no byte of the person is lost, and a redo takes all of it back.
 */
async function story(seed: number): Promise<void> {
  const random = seededRandom(seed);
  await using place = await deletedFolder();
  const listed = JSON.parse((await place.run(["backups", "list", "--json"])).out) as { id: string; kind: string }[];
  const id = listed.find(({ kind }) => kind === "backup")?.id ?? "";
  const persons: Record<string, string> = { "mine.txt": "mine\n" };
  if (random.chance(0.5)) {
    persons[nameOf(random.below(FILES))] = "person\n";
    for (const [name, text] of Object.entries(persons)) {
      mkdirSync(join(place.project.dir, name, ".."), { recursive: true });
      writeFileSync(join(place.project.dir, name), text);
    }
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await killed(place, id, EARLIEST_MS + random.below(LIFE_MS));
    appendFileSync(join(place.project.dir, "mine.txt"), `after ${attempt}\n`);
    persons["mine.txt"] += `after ${attempt}\n`;
    if (random.chance(0.4)) expect((await place.run(["-p", "what can you do", "--model", "offline"])).code).toBe(0);
  }
  const note = `seed ${seed}`;
  const last = await place.run(["backups", "restore", id]);
  expect({ note, code: last.code, isFailed: last.err.includes("could not") }).toEqual({
    note,
    code: 0,
    isFailed: false,
  });
  const whole = Object.fromEntries(Array.from({ length: FILES }, (_, at) => [nameOf(at), contentOf(at)]));
  expect({ note, files: picture(place) }).toEqual({ note, files: { ...whole, ...persons } });
  const data = join(place.home.dir, "own/data/checkpoints");
  const marks = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("/rewinding/"));
  expect({ note, marks }).toEqual({ note, marks: [] });
  expect({ note, code: (await place.run(["backups", "redo"])).code }).toEqual({ note, code: 0 });
  expect({ note, files: picture(place) }).toEqual({ note, files: persons });
}

/** Tells stories, some at a time: they mostly wait. */
async function tell(seeds: readonly number[]): Promise<void> {
  const waiting = [...seeds];
  const lane = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) await story(seed);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

test("a restore that was killed with -9 is finished, and loses no byte of the person", () => tell([1]), 60_000);

const parts = Math.ceil(deepCases(DEEP_STORIES) / STORIES_IN_PART);
for (let part = 0; part < parts; part += 1)
  deepTest(`killed restores lose nothing, part ${part + 1} of ${parts} (TEST_SEED=${FRESH_SEED})`, () =>
    tell(Array.from({ length: STORIES_IN_PART }, (_, at) => FRESH_SEED + part * STORIES_IN_PART + at)),
  );
