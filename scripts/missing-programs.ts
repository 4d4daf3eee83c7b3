import { readFileSync } from "node:fs";
import { join } from "node:path";
import needed from "./needed-programs.json" with { type: "json" };

const ROOT = join(import.meta.dir, "..");
const PROGRAMS: Readonly<Record<keyof typeof needed, string>> = { git: "git", tmux: "tmux", bubblewrap: "bwrap" };
const TEST = /^\s*(?:test|deepTest|testOrDeep|eachOrDeep|seededTest)\b/gm;

/** A program that is not installed, with the test files that fail without it. */
export type Missing = { readonly name: string; readonly files: readonly string[] };

/**
 * The programs that tests need and this machine lacks. needed-programs.json names the test files: they are those that fail in a
 * whole run on a machine without the program.
 * @param has True if a program is installed.
 */
export function missingPrograms(has = (program: string) => Bun.which(program) !== null): readonly Missing[] {
  const names = Object.keys(PROGRAMS) as (keyof typeof needed)[];
  return names.filter((name) => !has(PROGRAMS[name])).map((name) => ({ name, files: needed[name] }));
}

/** @returns one line for each missing program, and one with the number of tests that are skipped. */
export function missingLines(missing: readonly Missing[]): readonly string[] {
  if (missing.length === 0) return [];
  const skipped = skippedFiles(missing);
  const tests = skipped.reduce(
    (sum, file) => sum + (readFileSync(join(ROOT, file), "utf8").match(TEST)?.length ?? 0),
    0,
  );
  return [
    ...missing.map(
      ({ name, files }) => `${name} is not installed: ${files.length} test files that need it are skipped`,
    ),
    `${tests} skipped for want of a program`,
  ];
}

/** Each file once. */
export function skippedFiles(missing: readonly Missing[]): readonly string[] {
  return [...new Set(missing.flatMap(({ files }) => files))].sort();
}
