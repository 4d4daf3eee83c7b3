import { expect, test } from "bun:test";
import { basename } from "node:path";
import { sourceFiles } from "./house-rules.ts";

/** Files that share their name with another one, by kind. Every other name stands once, so that a search by name finds the file. */
const SHARED_NAMES: readonly { readonly kind: string; readonly files: RegExp }[] = [
  { kind: "the declaration of a tool", files: /^src\/services\/tools\/[^/]+\/spec\.ts$/ },
  { kind: "a contract, named like the file that fulfils it", files: /^src\/contracts\// },
  { kind: "the entry of a program", files: /^(src|packages\/[^/]+\/src)\/main\.ts$/ },
  { kind: "a slash command, named like itself", files: /^src\/commands\// },
  { kind: "the same part of each vendor's wire in the twin", files: /^packages\/model-twin\/src\/wires\// },
];

/** The names that several files have, except for the declared kinds. */
function repeatedNames(files: readonly string[]): readonly string[] {
  const own = files.filter((file) => !SHARED_NAMES.some((shared) => shared.files.test(file)));
  const names = own.map((file) => basename(file));
  return own.filter((_, at) => names.indexOf(names[at] ?? "") !== names.lastIndexOf(names[at] ?? ""));
}

test("no two source files have one name but by a declared kind", () => {
  expect(repeatedNames(sourceFiles())).toEqual([]);
  const twice = ["src/engine/query.ts", "src/services/recall/query.ts", "src/contracts/query.ts"];
  expect(repeatedNames(twice)).toEqual(twice.slice(0, 2));
});

test("each declared kind of shared name still has files", () => {
  const unused = SHARED_NAMES.filter(({ files }) => !sourceFiles().some((file) => files.test(file)));
  expect(unused).toEqual([]);
});
