import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dir, "../..");
/** Inside node_modules, so that dist/cli.js finds its one external package as it would where it is installed. */
const CACHE = join(ROOT, "node_modules", ".cache", "quoll-built");
/** Builds that no test run has asked for in this time are removed. */
const UNUSED_MS = 10 * 60_000;
/** What a build is made of. */
const SOURCES = [
  "src/**/*",
  "packages/*/src/**/*",
  "packages/*/package.json",
  "scripts/compile.ts",
  "build.ts",
  "package.json",
  "package-lock.json",
];

export type Built = {
  /** The standalone executable. */
  readonly executable: string;
  /** dist/cli.js, for Bun and Node. */
  readonly cli: string;
  /** The Node that dist/cli.js is tested on. */
  readonly node: string;
  /** The Bun that everything is tested on. */
  readonly bun: string;
};

let built: Promise<Built> | undefined;

/**
 * The artefacts of the sources as they are now, built at most once per state of the sources and shared by all test
 * processes: they are made in a folder of their own, which is then renamed to the digest of what it was made from. Whoever
 * comes second throws its copy away, so there is no lock that a killed run could leave behind.
 * @throws {Error} the build failed; with its output.
 */
export function builtArtefacts(): Promise<Built> {
  built ??= build();
  return built;
}

async function build(): Promise<Built> {
  const folder = join(CACHE, digestOfSources());
  if (!existsSync(folder)) await buildInto(folder);
  const now = new Date();
  utimesSync(folder, now, now);
  removeUnused(folder);
  return {
    executable: join(folder, "quoll"),
    cli: join(folder, "cli.js"),
    node: join(ROOT, "node_modules", ".bin", "node"),
    bun: process.execPath,
  };
}

async function buildInto(folder: string): Promise<void> {
  const own = `${folder}.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  const child = Bun.spawn([process.execPath, "build.ts", own], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) {
    rmSync(own, { recursive: true, force: true });
    throw new Error(`The build failed:\n${out}${err}`);
  }
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function digestOfSources(): string {
  const hash = new Bun.CryptoHasher("sha256");
  const files = SOURCES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

function removeUnused(kept: string): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (path !== kept && age > UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}
