import { expect } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { checkpointStage } from "./checkpoint-stage.ts";

const FILES = { "a.txt": "a", "b.txt": "b", "d/x": "x", "d/y": "y", "run.sh": "r" };
const NAMES = [...Object.keys(FILES), "new.txt", "n/m"];

/** A program that may itself put another file in the place of an old one. */
const REPLACES = { programs: ["/usr/bin/git"] };

type Stage = Awaited<ReturnType<typeof checkpointStage>>;
type Random = ReturnType<typeof seededRandom>;
type Picture = Readonly<Record<string, string>>;

/** The picture before a prompt, and the paths that the person changed since. */
type Point = { readonly messageId: string; readonly picture: Picture; readonly persons: Set<string> };

/** Changes a file in place. */
function change(stage: Stage, words: string, { pick, below }: Random): string {
  const name = pick(NAMES);
  const path = join(stage.root, name);
  const isThere = stage.picture()[name] !== undefined;
  mkdirSync(dirname(path), { recursive: true });
  const kind = below(8);
  if (kind === 0 && isThere) rmSync(path);
  else if (kind === 1 && isThere && !stage.picture()[name]?.startsWith("link"))
    chmodSync(path, pick([0o600, 0o644, 0o755]));
  else if (kind === 2) {
    rmSync(path, { force: true });
    symlinkSync(words, path);
  } else {
    if (stage.picture()[name]?.startsWith("link")) rmSync(path);
    writeFileSync(path, words);
  }
  return name;
}

/** The person saves a file as an editor does. */
function saveByRename(stage: Stage, words: string, name: string): string {
  const path = join(stage.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}~`, words);
  renameSync(`${path}~`, path);
  return name;
}

class Story {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #points: Point[] = [];
  /** Paths that a rewind has changed: what they hold is a state of the past, which another rewind may replace. */
  readonly #rewound = new Set<string>();
  #step = 0;

  constructor(stage: Stage, random: Random) {
    this.#stage = stage;
    this.#random = random;
  }

  async tell(steps: number): Promise<void> {
    await this.#prompt();
    for (this.#step = 0; this.#step < steps; this.#step += 1) await this.#next();
    for (const point of new Set([...this.#points.slice(0, 1), ...this.#points.slice(-1)])) await this.#rewind(point);
  }

  async #next(): Promise<void> {
    const stage = this.#stage;
    const random = this.#random;
    const at = this.#step;
    switch (random.below(9)) {
      case 0:
        return this.#prompt();
      case 1:
      case 2:
        await stage.checkpoints.settled();
        return this.#person(
          random.chance(0.5)
            ? change(stage, `person ${at}`, random)
            : saveByRename(stage, `person ${at}`, random.pick(NAMES)),
        );
      case 3:
        return this.#rewind(random.pick(this.#points));
      case 4:
      case 5:
        return this.#edit(random.pick(["a.txt", "b.txt", "d/x", "n/m"]));
      case 6:
        return this.#overlapping();
      case 7:
        return this.#savedMeanwhile();
      default:
        return this.#inBackground();
    }
  }

  #edit(name: string): Promise<void> {
    const stage = this.#stage;
    return stage.edit(name, () => {
      if (stage.picture()[name]?.startsWith("link")) rmSync(join(stage.root, name));
      mkdirSync(dirname(join(stage.root, name)), { recursive: true });
      writeFileSync(join(stage.root, name), `agent ${this.#step}`);
    });
  }

  /** Two agents write at the same time, in one case with a prompt in between. */
  async #overlapping(): Promise<void> {
    const stage = this.#stage;
    const random = this.#random;
    const first = await stage.begin({ agentId: "one", ...REPLACES });
    change(stage, `one ${this.#step}`, random);
    if (random.chance(0.3)) await this.#prompt();
    const second = await stage.begin({ agentId: "two", ...REPLACES });
    change(stage, `two ${this.#step}`, random);
    first.end();
    change(stage, `three ${this.#step}`, random);
    second.end();
  }

  /** The person saves an old file by a rename while a command runs. */
  async #savedMeanwhile(): Promise<void> {
    const stage = this.#stage;
    const random = this.#random;
    const old = Object.entries(stage.picture()).flatMap(([name, content]) => (/^\d/.test(content) ? [name] : []));
    const isSaved = old.length > 0 && random.chance(0.5);
    const save = () => this.#person(saveByRename(stage, `person ${this.#step}`, random.pick(old)));
    if (isSaved) await stage.bash(save);
    else await stage.bash(() => change(stage, `agent ${this.#step}`, random), REPLACES);
  }

  /** What changes while only a command in the background runs is in doubt: it counts as the person's here. */
  async #inBackground(): Promise<void> {
    const stage = this.#stage;
    const random = this.#random;
    await stage.bash(() => stage.background.push("npm run dev"));
    await stage.checkpoints.settled();
    if (random.chance(0.5)) this.#person(change(stage, `person ${this.#step}`, random));
    if (random.chance(0.5)) await this.#edit("a.txt");
    if (random.chance(0.3)) await this.#prompt();
    if (random.chance(0.3)) await stage.bash(() => change(stage, `command ${this.#step}`, random), REPLACES);
    stage.background.length = 0;
  }

  async #prompt(): Promise<void> {
    const messageId = `m${this.#points.length}`;
    await this.#stage.prompt(messageId);
    this.#points.push({ messageId, picture: this.#stage.picture(), persons: new Set() });
  }

  #person(name: string): void {
    for (const { persons } of this.#points) persons.add(name);
  }

  /** No byte of the person goes, everything of the agent alone does, and a redo brings all back. */
  async #rewind({ messageId, picture, persons }: Point): Promise<void> {
    const stage = this.#stage;
    const before = stage.picture();
    const { restored, deleted, folders } = await stage.rewind(messageId);
    const after = stage.picture();
    const note = `step ${this.#step}, to ${messageId}`;
    for (const [path, content] of Object.entries(before))
      if (content.includes("person") && !this.#rewound.has(path))
        expect({ note, path, content: bytes(after[path]) }).toEqual({ note, path, content: bytes(content) });
    for (const path of new Set([...Object.keys(picture), ...Object.keys(after)]))
      if (!isOf(path, persons)) expect({ note, path, is: after[path] }).toEqual({ note, path, is: picture[path] });
    for (const path of [...restored, ...deleted]) this.#rewound.add(path.slice(stage.root.length + 1));
    // A redo leaves a rewind that changed nothing alone, and takes the one before it back.
    const isEmpty = restored.length + deleted.length === 0 && !folders;
    if (isEmpty || !stage.rewinds.redoable() || this.#random.chance(0.3)) return;
    await stage.redo();
    expect({ note, files: stage.picture() }).toEqual({ note, files: before });
  }
}

/** The agent may have changed the permissions of the person's file, which a rewind undoes. */
function bytes(content: string | undefined): string | undefined {
  return content?.replace(/^\d+ /, "");
}

function isOf(path: string, persons: ReadonlySet<string>): boolean {
  return [...persons].some((one) => `${one}/`.startsWith(`${path}/`) || path.startsWith(`${one}/`));
}

async function story(seed: number, steps: number): Promise<void> {
  await using stage = await checkpointStage(FILES);
  try {
    await new Story(stage, seededRandom(seed)).tell(steps);
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error });
  }
}

/** So many stories at once keep both processors busy: a story mostly waits for git. */
const AT_ONCE = 5;

seededTest(
  "rewinds of a session keep every byte of the person, and undo every change of the agent alone",
  { seed: 1, cases: { quick: 5, deep: 1_000 } },
  async (seed, cases) => {
    const steps = cases > 50 ? 20 : 4;
    for (let at = 0; at < cases; at += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => story(seed + at + more, steps)));
  },
  60_000,
);
