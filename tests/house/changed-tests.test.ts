import { expect, setDefaultTimeout, test } from "bun:test";
import { type Repository, testsReachedBy } from "../../scripts/changed-tests.ts";

setDefaultTimeout(60_000);

const TEXTS: Readonly<Record<string, string>> = {
  "src/contracts/a.ts": "export type A = 1;",
  "src/services/b/b.ts": 'import type { A } from "../../contracts/a.ts"; export const b: A = 1;',
  "src/services/c/c.ts": 'export const c = () => import("../b/b.ts");',
  "src/main.ts": 'import { c } from "./services/c/c.ts"; c();',
  "tests/contracts/a.test.ts": 'import type { A } from "../../src/contracts/a.ts";',
  "tests/services/b.test.ts": 'import { b } from "../../src/services/b/b.ts";',
  "tests/services/d.test.ts": "test();",
  "tests/services/data/x.json": "{}",
  "tests/services/data/nested/y.test.ts": "test();",
  "tests/services/view/frames.test.ts": "test();",
  "tests/services/view/__snapshots__/frames.test.ts.snap": "",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
  "tests/services/named.test.ts": "run(`${import.meta.dir}/../support/child.ts`); read(`../../docs/guide/x.md`);",
  "tests/support/child.ts": 'import { c } from "../../src/services/c/c.ts";',
  "tests/support/built.ts": "build();",
  "tests/e2e/run.test.ts": 'import { built } from "../support/built.ts";',
  "tests/house/floors.test.ts": "test();",
  "docs/guide/x.md": "# x",
  "package.json": "{}",
};
const repository: Repository = { files: Object.keys(TEXTS), textOf: (file) => TEXTS[file] ?? "" };
const reached = (...changed: readonly string[]) =>
  testsReachedBy(changed, repository)
    .filter((file) => file !== "tests/house/floors.test.ts")
    .map((file) => file.replace(/^tests\//, "").replace(".test.ts", ""));

test.each([
  [
    "a type: its importers, theirs, and tests of the built program",
    "src/contracts/a.ts",
    ["contracts/a", "services/b", "services/named", "e2e/run"],
  ],
  ["a file that others load late", "src/services/b/b.ts", ["services/b", "services/named", "e2e/run"]],
  ["the entry", "src/main.ts", ["e2e/run"]],
  ["a test", "tests/services/d.test.ts", ["services/d"]],
  ["a program that a test starts by its path", "tests/support/child.ts", ["services/named"]],
  ["a page that a test reads", "docs/guide/x.md", ["services/named"]],
  ["a snapshot", "tests/services/view/__snapshots__/frames.test.ts.snap", ["services/view/frames"]],
  ["data that nobody names: the tests beside it", "tests/services/data/x.json", ["services/data/nested/y"]],
])("a change of %s", (_name, changed, expected) => {
  expect(reached(changed)).toEqual(expected);
});

test("tests of the whole repository run after any change, and all tests after a change of the packages", () => {
  expect(testsReachedBy(["LICENSE"], repository)).toEqual(["tests/house/floors.test.ts"]);
  const all = repository.files.filter((file) => file.endsWith(".test.ts"));
  expect(testsReachedBy(["package.json"], repository)).toEqual(all);
});
