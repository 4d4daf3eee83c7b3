/**
 * `npm run docs`: writes the generated parts of docs/. `--check` writes nothing, names each outdated file,
 * and exits 1 if there is one. `--pictures` draws the pictures of the screens anew too, which takes half a minute.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles, ROOT, storedText } from "./docs/generated-files.ts";
import { missingPictures, PICTURES } from "./docs/pictures/names.ts";

const stale = generatedFiles().filter(({ path, text }) => storedText(path) !== text);

if (process.argv.includes("--check")) {
  for (const { path } of stale) console.error(`${path} is outdated: run npm run docs`);
  const missing = missingPictures(ROOT);
  for (const path of missing) console.error(`${path} is missing: run npm run docs -- --pictures`);
  process.exit(stale.length + missing.length === 0 ? 0 : 1);
}
for (const { path, text } of stale) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  console.log(`wrote ${path}`);
}
if (process.argv.includes("--pictures")) {
  const { drawPictures } = await import("./docs/pictures/draw.ts");
  await drawPictures(join(ROOT, PICTURES));
  console.log(`drew ${PICTURES}`);
  process.exit(0);
}
