import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const TESTS = ["tests/**/*.test.{ts,tsx}", "packages/*/tests/**/*.test.{ts,tsx}"];
const USES_DEEP = /from "[./]*(?:tests\/)?support\/deep\.ts"/;
/** A call that registers a deep test, with its name. */
const CASE =
  /\b(?:deepTest|longerInDeep|overWire|seededTest|eachOrDeep|testOrDeep\((?:[^()]|\([^()]*\))*\))\(\s*(["'`])((?:(?!\1).)*)\1/g;

/** The test files that have deep tests. */
export function deepTestFiles(): readonly string[] {
  return TESTS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
    .filter((file) => USES_DEEP.test(textOf(file)))
    .sort();
}

/** The names of a file's deep tests as its source has them: what differs from row to row stands in `${…}`. */
export function deepCasesOf(text: string): readonly string[] {
  return [...text.matchAll(CASE)].map(([, , name = ""]) => name);
}

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
