import { expect } from "bun:test";
import { spawnSync } from "node:child_process";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";
import { checkpointStage } from "./checkpoint-stage.ts";

const FILES = { a: "a", "src/f": "f", "src/sub/g": "g", "lib/x": "x" };
const PATHS = ["a", "src", "src/f", "src/sub", "src/sub/g", "lib", "lib/x", "new", "new/m"];
const FOLDERS = ["src", "src/sub", "lib"];

/** A command that may fail, as those of models do. */
function command({ pick, below }: ReturnType<typeof seededRandom>): string {
  const [one, other, folder] = [pick(PATHS), pick(PATHS), pick(FOLDERS)];
  return pick([
    `rm -rf ${one}`,
    `mv ${one} ${other}`,
    `cp -r ${one} ${other}`,
    `mkdir -p ${one}`,
    `echo ${below(9)} > ${one}`,
    `ln -sfn ${one} ${other}`,
    `mv ${folder} moved && ln -s ${pick(["moved", "lib", "../lib", "src", "nowhere"])} ${folder}`,
  ]);
}

async function story(seed: number): Promise<void> {
  const random = seededRandom(seed);
  await using stage = await checkpointStage(FILES);
  const before = stage.picture();
  await stage.prompt("m1");
  const commands = Array.from({ length: 1 + random.below(4) }, () => command(random));
  const told = { seed, commands };
  for (const one of commands)
    await stage.bash(() => void spawnSync("sh", ["-c", one], { cwd: stage.root }), { programs: ["/usr/bin/git"] });
  await stage.checkpoints.settled();
  const after = stage.picture();
  await stage.rewind("m1");
  expect({ ...told, ...stage.picture() }).toEqual({ ...told, ...before });
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await stage.redo();
  expect({ ...told, ...stage.picture() }).toEqual({ ...told, ...after });
}

seededTest(
  "a rewind brings back folders, files and links after whatever commands did with them, and a redo takes it back",
  { seed: 7, cases: { quick: 4, deep: 300 } },
  async (seed, cases) => {
    for (let at = 0; at < cases; at += 1) await story(seed + at);
  },
  60_000,
);
