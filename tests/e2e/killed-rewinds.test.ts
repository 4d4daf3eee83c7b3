import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import { deepCases, deepTest, FRESH_SEED } from "../support/deep.ts";
import { quollPlace, type SentBlock, type SentBody } from "../support/quoll-process.ts";
import { seededRandom } from "../support/seeded-random.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const ALLOWED = ["--allowed-tools", "Bash", "Edit", "Write"];
const STEPS = 6;
const DEEP_STORIES = 1_000;
/** So that a part stays within the time limit of a test. */
const STORIES_IN_PART = 50;
const LANES = 3;
/** The longest that a session lives before it is killed. */
const LIFE_MS = 1_500;
const FILES = { "a.txt": "a\n", "b.txt": "b\n", "both.txt": "both\n", "mine.txt": "mine\n", "d/x": "x\n" };

const REWIND_TEMPORARY = /\.quoll-[^-]+-\d+\.tmp$/;
/** The temporary file that a kill in the middle of a Write leaves. */
const WRITE_TEMPORARY = /\.quoll-[0-9a-f]{16}\.tmp$/;

type Place = Awaited<ReturnType<typeof quollPlace>>;
type Picture = Readonly<Record<string, string>>;
type Outcome = {
  readonly restored: readonly string[];
  readonly kept: readonly { readonly path: string }[];
};

/** One step of the model: two calls that write. */
function step(at: number) {
  return reply([
    toolUse("Bash", { command: `echo ${at} >> a.txt; echo ${at} >> both.txt; mkdir -p n && echo ${at} > n/${at}` }),
    toolUse("Write", { file_path: `w${at}.txt`, content: `${at}\n` }),
    ...(at === 2 ? [toolUse("Bash", { command: "rm -r d; mv b.txt c.txt" })] : []),
  ]);
}

/** The twin's answer depends on how many results the request holds, so that a resumed session goes on. */
function answer({ body }: ScenarioRequest) {
  const done = resultIds(body as SentBody).length;
  return done >= STEPS * 2 ? reply("Done.") : step(Math.floor(done / 2));
}

function resultIds({ messages }: SentBody, isCounted: (block: SentBlock) => boolean = () => true): readonly string[] {
  const blocks = messages.flatMap(({ content }) => content).filter(({ type }) => type === "tool_result");
  return blocks.filter(isCounted).map(({ tool_use_id: id = "" }) => id);
}

function picture(place: Place): Picture {
  const names = readdirSync(place.project.dir, { recursive: true, encoding: "utf8", withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const shown = files.filter((path) => !path.includes("/.git/"));
  return Object.fromEntries(
    shown.sort().map((path) => [path.slice(place.project.dir.length + 1), readFileSync(path, "utf8")]),
  );
}

/** Kills the program with -9 after a time, unless it ends before. */
async function killed(place: Place, args: readonly string[], afterMs: number): Promise<boolean> {
  const { child, ended } = place.start(args);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const { code } = await ended;
  clearTimeout(timer);
  return code !== 0 && child.signalCode !== null;
}

/**
 * A session is killed at random, resumed and killed again; the person writes in between. A rewind is killed at random
 * until one ends. Then no byte of the person is lost, nothing that was told to the model is missing in the log, and what
 * the agent changed is undone or named.
 */
async function story(seed: number): Promise<void> {
  const random = seededRandom(seed);
  await using place = await quollPlace({ files: FILES, scenario: answer });
  const first = picture(place);
  const path = (name: string) => join(place.project.dir, name);
  let isPersons = false;
  for (let life = 0; life < 2; life += 1) {
    const prompt = life === 0 ? ["change it", "--session-id", ID] : ["go on", "--resume", ID];
    const dying = killed(place, ["-p", ...prompt, ...ALLOWED], random.below(LIFE_MS));
    appendFileSync(path("mine.txt"), `person ${life}\n`);
    await dying;
    if (!random.chance(0.5)) continue;
    writeFileSync(path("both.txt"), `person ${life}\n`);
    isPersons = true;
  }
  if (!hasPrompt(place)) return;
  checkLog(place);
  const before = picture(place);
  const messageId = (await points(place)).at(-1)?.messageId ?? "";
  const scope = random.chance(0.5) ? ["--files"] : [];
  const rewind = ["sessions", "rewind", ID, "--to", messageId, "--json", ...scope];
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await killed(place, rewind, 100 + random.below(400));
    if (random.chance(0.5)) await otherStart(place, `seed ${seed}`);
  }
  // If the conversation went back, a killed rewind was finished by the next start.
  const isFinished = (await points(place)).every((point) => point.messageId !== messageId);
  const outcome = isFinished ? undefined : await rewound(place, rewind);
  checkFiles({ place, first, before, isPersons, outcome, note: `seed ${seed}` });
}

/** The next start of another session finishes a rewind that was killed. */
async function otherStart(place: Place, note: string): Promise<void> {
  const { code, err } = await place.run(["-p", "what can you do", "--model", "offline"]);
  const data = join(place.home.dir, "own/data/checkpoints");
  const marks = existsSync(data) ? readdirSync(data, { recursive: true, encoding: "utf8" }) : [];
  const left = marks.filter((name) => name.includes("/rewinding/"));
  const isFailed = err.includes("could not be finished");
  expect({ note, code, isFailed, left }).toEqual({ note, code: 0, isFailed: false, left: [] });
}

/** @returns nothing to keep if the session was killed before anything could change. */
async function rewound(place: Place, rewind: readonly string[]): Promise<Outcome> {
  const { code, out, err } = await place.run(rewind);
  if (code === 1 && err.includes("no checkpoint")) return { restored: [], kept: [] };
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out) as Outcome;
}

function points(place: Place): Promise<readonly { readonly messageId: string }[]> {
  return json(place, ["sessions", "rewind", ID, "--json"]);
}

function hasPrompt(place: Place): boolean {
  return place.sessionEntries().some(({ kind }) => kind === "user");
}

/** Each result that the model got is in the log; the results of interrupted calls are errors that the log implies. */
function checkLog(place: Place): void {
  const log = place.sessionEntries();
  const finished = new Set(
    log.flatMap((entry) => {
      const { result } = entry as { result?: { toolUseId?: string } };
      return entry["kind"] === "tool_finished" ? [result?.toolUseId] : [];
    }),
  );
  const told = new Set(place.sent().flatMap((body) => resultIds(body, ({ is_error: isError }) => !isError)));
  expect([...told].filter((id) => !finished.has(id))).toEqual([]);
}

async function json<Value>(place: Place, args: readonly string[]): Promise<Value> {
  const { code, out, err } = await place.run(args);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Value;
}

type Check = {
  readonly place: Place;
  readonly first: Picture;
  readonly before: Picture;
  /** True if the person wrote `both.txt` after a session was killed. */
  readonly isPersons: boolean;
  /** Undefined if it is not known. */
  readonly outcome: Outcome | undefined;
  readonly note: string;
};

function checkFiles({ place, first, before, isPersons, outcome, note }: Check): void {
  const after = picture(place);
  expect({ note, mine: after["mine.txt"] }).toEqual({ note, mine: before["mine.txt"] });
  if (isPersons && before["both.txt"]?.startsWith("person"))
    expect({ note, both: after["both.txt"]?.split("\n")[0] }).toEqual({
      note,
      both: before["both.txt"].split("\n")[0],
    });
  expect({ note, left: Object.keys(after).filter((name) => REWIND_TEMPORARY.test(name)) }).toEqual({ note, left: [] });
  if (!outcome) return;
  const named = new Set(outcome.kept.map(({ path }) => path.slice(place.project.dir.length + 1)));
  const persons = ["mine.txt"];
  // The agent's lines after the person's go.
  if (isPersons) persons.push("both.txt");
  const wrong = [...new Set([...Object.keys(first), ...Object.keys(after)])].filter(
    (name) => !persons.includes(name) && !WRITE_TEMPORARY.test(name) && after[name] !== first[name] && !named.has(name),
  );
  expect({ note, wrong }).toEqual({ note, wrong: [] });
}

/** Tells stories, some at a time: they mostly wait. */
async function tell(seeds: readonly number[]): Promise<void> {
  const waiting = [...seeds];
  const lane = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) await story(seed);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

test(
  "sessions and rewinds killed with -9 lose nothing that was told and no byte of the person",
  () => tell([1]),
  60_000,
);

const parts = Math.ceil(deepCases(DEEP_STORIES) / STORIES_IN_PART);
for (let part = 0; part < parts; part += 1)
  deepTest(`killed sessions and rewinds lose nothing, part ${part + 1} of ${parts} (TEST_SEED=${FRESH_SEED})`, () =>
    tell(Array.from({ length: STORIES_IN_PART }, (_, at) => FRESH_SEED + part * STORIES_IN_PART + at)),
  );
