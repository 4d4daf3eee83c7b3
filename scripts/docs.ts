/**
 * `npm run docs`: writes the generated parts of docs/. `--check` writes nothing, names each outdated file,
 * and exits 1 if there is one.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles, ROOT, storedText } from "./docs/generated-files.ts";

const stale = generatedFiles().filter(({ path, text }) => storedText(path) !== text);

if (process.argv.includes("--check")) {
  for (const { path } of stale) console.error(`${path} is outdated: run npm run docs`);
  process.exit(stale.length === 0 ? 0 : 1);
}
for (const { path, text } of stale) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  console.log(`wrote ${path}`);
}
