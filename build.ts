/**
 * `npm run build`: dist/cli.js with its chunks (Bun, Node ≥ 22) and dist/quoll, a standalone executable for this platform
 * with rg and both wasm files inside. Both ignore `.env`, `bunfig.toml`, tsconfig and package.json in the folder
 * in which they start. `bun build.ts <folder>` builds into another folder; `bun build.ts <folder> <file>` also writes
 * which modules are in which chunk.
 */
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle, compile, withRipgrep } from "./scripts/compile.ts";

const outdir = resolve(process.argv[2] ?? join(import.meta.dir, "dist"));
const entry = join(import.meta.dir, "src", "main.ts");

const startedAt = performance.now();
// Replaces existing files, but only those of an earlier build.
if (existsSync(outdir) && !isEarlierBuild(outdir)) {
  console.error(`${outdir} contains other files than a build of Quoll: use an empty or a new folder.`);
  process.exit(2);
}
rmSync(outdir, { recursive: true, force: true });

const { metafile } = await bundle(entry, outdir);
const metafilePath = process.argv[3];
if (metafilePath !== undefined) await Bun.write(metafilePath, JSON.stringify(metafile));
chmodSync(join(outdir, "cli.js"), 0o755);

const executable = join(outdir, "quoll");
await compile(entry, executable, [withRipgrep]);
const suffixed = `${executable}.exe`;
if (existsSync(suffixed)) renameSync(suffixed, executable);

/** Only files with the names of a build count: a folder `quoll`, or somebody's own `cli.js`, does not. */
function isEarlierBuild(folder: string): boolean {
  if (!statSync(folder).isDirectory()) return false;
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = entries.map(({ name }) => name);
  const hasParts = names.includes("cli.js") && names.some((name) => name.startsWith("chunk-"));
  const isOurs = /^(?:cli\.js|chunk-\w+\.js|quoll(?:\.exe)?|(?:web-)?tree-sitter[\w-]*\.wasm)$/;
  return names.length === 0 || (hasParts && entries.every((entry) => entry.isFile() && isOurs.test(entry.name)));
}

console.log(`cli.js and quoll in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${outdir}`);
