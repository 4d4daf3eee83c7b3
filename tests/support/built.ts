import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { compile } from "../../scripts/compile.ts";

export const ROOT = resolve(import.meta.dir, "../..");
/** Inside node_modules, so that dist/cli.js finds its one external package as it would where it is installed. */
const CACHE = join(ROOT, "node_modules", ".cache", "quoll-built");
const METAFILE = "metafile.json";
/** Builds that no test run has asked for in this time are removed. */
const UNUSED_MS = 10 * 60_000;
/** The sources of a build, as path patterns from the top. */
export const BUILT_FROM = [
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
  /** The file that says which modules are in which chunk of dist/cli.js. */
  readonly metafile: string;
  /** The Node that dist/cli.js is tested on. */
  readonly node: string;
  /** The Bun that everything is tested on. */
  readonly bun: string;
};

/** The demonstration of the REPL, and its sources. */
const DEMO = "tests/support/demo-repl.tsx";
const DEMO_FROM = [...BUILT_FROM, "tests/support/*.{ts,tsx}"];

let built: Promise<Built> | undefined;
let demo: Promise<string> | undefined;

/**
 * The artefacts of the sources as they are now, built at most once per state of the sources and shared by all test
 * processes: they are made in a folder of their own, which is then renamed to the digest of what it was made from.
 * The slower of two processes discards its copy, so there is no lock that a killed run could leave behind.
 * @throws {Error} the build failed; with its output.
 */
export function builtArtefacts(): Promise<Built> {
  built ??= build();
  return built;
}

/** The standalone executable of tests/support/demo-repl.tsx, kept and shared in the same way. */
export function builtDemo(): Promise<string> {
  demo ??= builtFolder(DEMO_FROM, (folder) => compile(join(ROOT, DEMO), join(folder, "demo"))).then((folder) =>
    join(folder, "demo"),
  );
  return demo;
}

/** The variable with the folder of the build, which the runner of tests looks up once for all test files. */
const BUILT_VARIABLE = "TEST_BUILT";

/** For the environment of test processes: the build of the sources as they are now, if there is one. */
export function builtVariable(): Readonly<Record<string, string>> {
  const folder = folderOf(BUILT_FROM);
  return existsSync(folder) ? { [BUILT_VARIABLE]: folder } : {};
}

async function build(): Promise<Built> {
  const known = process.env[BUILT_VARIABLE];
  const isThere = known !== undefined && existsSync(known);
  if (isThere) touch(known);
  const folder = isThere ? known : await builtFolder(BUILT_FROM, runBuild);
  return {
    executable: join(folder, "quoll"),
    cli: join(folder, "cli.js"),
    metafile: join(folder, METAFILE),
    node: join(ROOT, "node_modules", ".bin", "node"),
    bun: process.execPath,
  };
}

async function builtFolder(sources: readonly string[], make: (folder: string) => Promise<void>): Promise<string> {
  const folder = folderOf(sources);
  if (!existsSync(folder)) await buildInto(folder, make);
  touch(folder);
  removeUnused(folder);
  return folder;
}

/** A build that is in use is not removed. */
function touch(folder: string): void {
  const now = new Date();
  utimesSync(folder, now, now);
}

function folderOf(sources: readonly string[]): string {
  return join(CACHE, digestOf(sources));
}

async function runBuild(folder: string): Promise<void> {
  const child = Bun.spawn([process.execPath, "build.ts", folder, join(folder, METAFILE)], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`The build failed:\n${out}${err}`);
}

async function buildInto(folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  try {
    await make(own);
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function digestOf(patterns: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(patterns.join());
  const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
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
