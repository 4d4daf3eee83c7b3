import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inAll, WALKS, type Walk, type WalkName } from "./walks.ts";

export const WALK_NAMES = Object.keys(WALKS) as WalkName[];

/** Marks a file that is not on the walk in each measurement: what it does depends on the time. It does not count. */
const SOMETIMES = "~ ";

export type WalkList = { readonly always: readonly string[]; readonly sometimes: readonly string[] };

export function readList(name: WalkName): WalkList {
  const lines = readFileSync(pathOf(name), "utf8").split("\n");
  const files = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const [sometimes, always] = [true, false].map((is) => files.filter((line) => line.startsWith(SOMETIMES) === is));
  return { always: always ?? [], sometimes: (sometimes ?? []).map((line) => line.slice(SOMETIMES.length)) };
}

/** Writes the list of a walk from several measurements. */
export function writeList(name: WalkName, walks: readonly Walk[]): void {
  const [walk, control] = WALKS[name];
  const files = walks.map((one) => one.files);
  const always = inAll(files);
  const sometimes = [...new Set(files.flat())].filter((file) => !always.includes(file)).sort();
  const lines = [
    `# ${always.length} files: ${walk}.`,
    `# Counted by the runtime's coverage of the program on source: a file with a statement of a function that runs on the walk and not in its`,
    `# control: ${control}. Files with any statement that runs on the walk: ${Math.min(...walks.map(({ executed }) => executed))}.`,
    "# Written by `bun scripts/walks.ts`.",
    ...always,
    ...sometimes.map((file) => `${SOMETIMES}${file}`),
  ];
  writeFileSync(pathOf(name), `${lines.join("\n")}\n`);
}

function pathOf(name: WalkName): string {
  return join(import.meta.dir, `${name}.txt`);
}
