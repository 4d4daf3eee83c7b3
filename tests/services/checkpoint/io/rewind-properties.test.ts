import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConflictChoice, FileRewinds } from "../../../../src/contracts/checkpoint.ts";
import { deepCases, deepTest, FRESH_SEED } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { agentEdit, agentStep, type CheckpointPlace, checkpointPlace } from "../checkpoint-place.ts";
import { pictureOf } from "../picture.ts";

const NEVER = new AbortController().signal;
const NAMES = ["a.txt", "b.txt", "d", "d/x", "d/y", "e/f/z", "l", "n/m"];

type Random = ReturnType<typeof seededRandom>;
type Picture = ReadonlyMap<string, string>;

/** Makes a random change. @returns the paths that it concerns. */
function change(root: string, words: string, { pick, below }: Random): readonly string[] {
  const name = pick(NAMES);
  const path = join(root, name);
  const picture = pictureOf(root);
  const all = [...picture.keys()].filter((one) => one === name || one.startsWith(`${name}/`));
  const parts = name.split("/");
  const above = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join("/"));
  const clear = () => {
    for (const folder of above)
      if (picture.get(folder) !== "folder") rmSync(join(root, folder), { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
  };
  switch (below(6)) {
    case 0:
      if (picture.has(name)) rmSync(path, { recursive: true });
      break;
    case 1:
      if (/^\d/.test(picture.get(name) ?? "")) chmodSync(path, pick([0o600, 0o644, 0o755]));
      break;
    case 2:
      clear();
      symlinkSync(words, path);
      break;
    case 3: {
      clear();
      writeFileSync(`${path}.tmp`, words);
      renameSync(`${path}.tmp`, path);
      break;
    }
    default:
      clear();
      writeFileSync(path, words);
  }
  return [name, ...all, ...above.filter((folder) => picture.get(folder) !== "folder")];
}

/** `lost` names a file whose bytes of the person are neither in place nor one redo away. */
async function story(seed: number, steps: number, hasGit = true): Promise<void> {
  const random = seededRandom(seed);
  await using place = await checkpointPlace({ "a.txt": "a", "d/x": "x", "d/y": "y", "e/f/z": "z" });
  const { root } = place;
  const { store, rewinds } = place.open(hasGit ? {} : { git: undefined });
  const prompts: { readonly messageId: string; readonly picture: Picture; readonly persons: Set<string> }[] = [];
  const rewound = new Set<string>();
  const prompt = async () => {
    const messageId = `m${prompts.length}`;
    await store.takeState({ cause: { kind: "prompt", messageId }, roots: [root] }, NEVER);
    prompts.push({ messageId, picture: pictureOf(root), persons: new Set() });
  };
  await prompt();
  for (let step = 0; step < steps; step += 1) {
    const messageId = prompts.at(-1)?.messageId ?? "";
    switch (random.below(6)) {
      case 0:
        await prompt();
        break;
      case 1:
      case 2:
        for (const path of change(root, `person ${step}`, random)) for (const one of prompts) one.persons.add(path);
        break;
      case 3:
        await checkRewind(place, rewinds, {
          ...random.pick(prompts),
          rewound,
          random,
          note: `seed ${seed}, step ${step}`,
        });
        break;
      default: {
        const work = () => {
          for (let at = 0; at <= random.below(2); at += 1) change(root, `agent ${step} ${at}`, random);
        };
        if (hasGit && random.chance(0.5)) await agentStep(store, root, { messageId, work });
        else await agentEdit(store, { messageId, paths: NAMES.map(place.path), work });
      }
    }
  }
  for (const one of prompts) await checkRewind(place, rewinds, { ...one, rewound, random, note: `seed ${seed}, end` });
}

/** The agent may have changed the permissions of the person's file, which a rewind undoes. */
function withoutMode(content: string | undefined): string | undefined {
  return content?.replace(/^\d+ /, "");
}

type Check = {
  readonly messageId: string;
  readonly picture: Picture;
  readonly persons: ReadonlySet<string>;
  /** Paths that a rewind has changed: what they hold is a state of the past, which another rewind may replace. */
  readonly rewound: Set<string>;
  readonly random: Random;
  readonly note: string;
};

async function checkRewind(
  { root }: CheckpointPlace,
  rewinds: FileRewinds,
  { messageId, picture, persons, rewound, random, note }: Check,
): Promise<void> {
  const before = pictureOf(root);
  const { conflicts } = await rewinds.preview(messageId, NEVER);
  const taken = conflicts.filter(() => random.chance(0.3)).map(({ path }) => path);
  const choices = Object.fromEntries(taken.map((path): [string, ConflictChoice] => [path, "checkpoint"]));
  const done = await rewinds.rewind({ messageId, scope: "files", choices }, NEVER);
  const after = pictureOf(root);
  for (const [path, content] of before)
    if (content.includes("person") && !taken.includes(join(root, path)) && !rewound.has(join(root, path)))
      expect({ note, path, content: withoutMode(after.get(path)) }).toEqual({
        note,
        path,
        content: withoutMode(content),
      });
  const isPersons = (path: string) =>
    [...persons].some((one) => `${one}/`.startsWith(`${path}/`) || path.startsWith(`${one}/`));
  for (const path of new Set([...picture.keys(), ...after.keys()]))
    if (!isPersons(path)) expect({ note, path, is: after.get(path) }).toEqual({ note, path, is: picture.get(path) });
  for (const path of [...done.restored, ...done.deleted]) rewound.add(path);
  // A redo leaves a rewind that changed nothing alone, and takes the one before it back.
  const isEmpty = done.restored.length + done.deleted.length === 0 && !done.folders;
  if (isEmpty || !rewinds.redoable() || random.chance(0.3)) return;
  await rewinds.redo({}, NEVER);
  expect({ note, files: Object.fromEntries(pictureOf(root)) }).toEqual({ note, files: Object.fromEntries(before) });
}

test("rewinds keep every byte of the person, and undo every change of the agent alone (8 seeds)", async () => {
  // Without git only the files that tools name are kept, which takes a tenth of the time.
  for (let seed = 1; seed <= 8; seed += 1) await story(seed, seed <= 3 ? 6 : 20, seed <= 3);
}, 120_000);

// In parts, since each test has its own time limit.
const PARTS = 10;
for (let part = 0; part < PARTS; part += 1)
  deepTest(
    `rewinds keep every byte of the person in long stories (part ${part}, TEST_SEED=${FRESH_SEED})`,
    async () => {
      for (let at = part; at < deepCases(1_000); at += PARTS) await story(FRESH_SEED + at, 20);
    },
  );
