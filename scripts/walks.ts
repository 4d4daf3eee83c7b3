/** `bun scripts/walks.ts`: measures the five walks through the code and writes their lists (`tests/walks/*.txt`). About two minutes. */
import { WALK_NAMES, writeList } from "../tests/walks/lists.ts";
import { measureWalks } from "../tests/walks/walks.ts";

const MEASUREMENTS = 3;

const measured = [];
for (let at = 0; at < MEASUREMENTS; at++) measured.push(await measureWalks());
for (const name of WALK_NAMES) {
  const walks = measured.map((one) => one[name]);
  writeList(name, walks);
  console.log(`${name}: ${walks.map(({ files, executed }) => `${files.length} of ${executed}`).join(", ")}`);
}
