import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { edgesOf, ROOT } from "../tests/house/house-rules.ts";
import { BUILT_FROM } from "../tests/support/built.ts";

const CODE = /\.(?:ts|tsx|mjs)$/;
const TEST = /\.test\.tsx?$/;
/** Tests of the whole repository, which run after any change. */
const ALWAYS = /^tests\/house\//;
/** Files that affect every test. */
const SHARED = /^(?:package\.json|package-lock\.json|bunfig\.toml|tsconfig\.json|tests\/support\/preload\.ts)$/;
/** A file or a folder of this repository as a test or a script names it: relative to itself, or to the top. */
const PATH_LITERAL =
  /(?:["'`]|\$\{[^}]*\}\/)((?:\.{1,2}\/)?[\w.@-]+(?:\/[\w.@-]+)+|\.{1,2}\/[\w.@-]+|[\w-]+\.\w{2,4})["'`]/g;

export type Repository = { readonly files: readonly string[]; readonly textOf: (file: string) => string };

/** The files of the work tree: those that git knows, and new ones. */
export function ownRepository(): Repository {
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").filter((file) =>
    existsSync(join(ROOT, file)),
  );
  return { files, textOf: (file) => readFileSync(join(ROOT, file), "utf8") };
}

/**
 * The files that differ from a commit, including uncommitted and new files; by default, from the commit where this
 * branch left main.
 */
export function changedFiles(since?: string): readonly string[] {
  const base = since ?? branchPoint();
  return [...new Set([...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")])];
}

function branchPoint(): string {
  for (const main of ["main", "origin/main"]) {
    const found = Bun.spawnSync(["git", "merge-base", main, "HEAD"], { cwd: ROOT });
    if (found.exitCode === 0) return found.stdout.toString().trim();
  }
  return "HEAD";
}

/**
 * The test files that a change can reach: by imports, by the paths that a file names, and, if they start the built
 * program, by its sources.
 */
export function testsReachedBy(changed: readonly string[], { files, textOf }: Repository): readonly string[] {
  const tests = files.filter((file) => TEST.test(file));
  if (changed.some((file) => SHARED.test(file))) return tests;
  const usedBy = new Map<string, string[]>();
  const known = new Set(files);
  for (const file of files) {
    if (!CODE.test(file)) continue;
    for (const used of usesOf(file, textOf(file), known)) usedBy.set(used, [...(usedBy.get(used) ?? []), file]);
  }
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const user of usedBy.get(file) ?? []) visit(user);
  };
  for (const file of changed) {
    visit(file);
    for (const owner of ownersOf(file, usedBy, tests)) visit(owner);
  }
  return tests.filter((file) => reached.has(file) || ALWAYS.test(file));
}

function usesOf(file: string, text: string, known: ReadonlySet<string>): ReadonlySet<string> {
  const uses = new Set<string>();
  for (const { target } of edgesOf(file, text)) if (target !== undefined && known.has(target)) uses.add(target);
  if (file === "tests/support/built.ts") for (const source of builtFrom(known)) uses.add(source);
  if (file.startsWith("src/")) return uses;
  for (const [, literal = ""] of text.matchAll(PATH_LITERAL))
    for (const from of literal.includes("/") ? [dirname(file), "."] : [dirname(file)]) {
      const path = resolve(ROOT, from, literal).slice(ROOT.length + 1);
      if (known.has(path)) uses.add(path);
      else if (literal.startsWith(".")) for (const inside of known) if (inside.startsWith(`${path}/`)) uses.add(inside);
    }
  return uses;
}

function builtFrom(known: ReadonlySet<string>): readonly string[] {
  const globs = BUILT_FROM.map((pattern) => new Bun.Glob(pattern));
  return [...known].filter((file) => globs.some((glob) => glob.match(file)));
}

/** The tests of a file that no code names: for a snapshot its test, otherwise all tests in its folder. */
function ownersOf(file: string, usedBy: ReadonlyMap<string, unknown>, tests: readonly string[]): readonly string[] {
  const snapshot = /^(.*)\/__snapshots__\/(.*)\.snap$/.exec(file);
  if (snapshot) return [`${snapshot[1]}/${snapshot[2]}`];
  if (usedBy.has(file) || CODE.test(file) || !/(?:^|\/)tests\//.test(file)) return [];
  return tests.filter((test) => test.startsWith(`${dirname(file)}/`));
}

function git(...args: readonly string[]): readonly string[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: ROOT });
  if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout.toString().split("\n").filter(Boolean);
}
