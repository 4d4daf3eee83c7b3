import { expect, test } from "bun:test";
import { findMoves } from "../src/find-moves.ts";
import { anyCommand } from "./judge.ts";

const movesOf = (source: string) =>
  findMoves(anyCommand(source)).map(({ from, to, isMixed }) => [from, to, ...(isMixed ? ["mixed"] : [])]);

test.each([
  ["mv a b", [["a", ["b", "b/a"]]]],
  [
    "mv x/a y b/",
    [
      ["x/a", ["b/", "b/a"]],
      ["y", ["b/", "b/y"]],
    ],
  ],
  ["mv -vt dir a", [["a", ["dir", "dir/a"]]]],
  ["mv --target-directory=dir a", [["a", ["dir", "dir/a"]]]],
  ["mv -tdir a", [["a", ["dir", "dir/a"]]]],
  ["mv -S .old a b", [["a", ["b", "b/a"]]]],
  [
    "mv --exchange a b",
    [
      ["a", ["b", "b/a"]],
      ["b", ["a", "a/b"]],
    ],
  ],
  ["mv a/* b", [["a", ["b"]]]],
  ["mv a/*/c b", [["a", ["b"], "mixed"]]],
  ['mv "$x" b', [[undefined, ["b"], "mixed"]]],
  ['mv a "$x"', [["a", undefined, "mixed"]]],
  ["git -C d mv a b", [["d/a", ["d/b", "d/b/a"]]]],
  ["git --work-tree=d mv a b", [[undefined, undefined, "mixed"]]],
  [
    "ln -s src lk",
    [
      ["src", ["lk", "lk/src"]],
      ["./src", ["lk", "lk/src"]],
    ],
  ],
  [
    "ln -s ../src d/lk",
    [
      ["../src", ["d/lk", "d/lk/src"]],
      ["d/../src", ["d/lk", "d/lk/src"]],
    ],
  ],
  ["ln -s /x", [["/x", [".", "./x"]]]],
  ["gzip -9 a", [["a", ["a.gz"], "mixed"]]],
  ["gunzip a.gz", [["a.gz", ["a"], "mixed"]]],
  ["zip -rm out a", [["a", ["out", "out.zip"], "mixed"]]],
  [
    "rename s/a/b/ x",
    [
      ["s/a/b/", undefined, "mixed"],
      ["x", undefined, "mixed"],
    ],
  ],
  ["rsync -at --remove-source-files a b", [["a", ["b", "b/a"]]]],
  ["gzip -k a", []],
  ["cp a b", []],
  ["git status", []],
  ["rsync -a a b", []],
])("%s", (source, moves) => {
  expect(movesOf(source)).toEqual(moves as ReturnType<typeof movesOf>);
});
