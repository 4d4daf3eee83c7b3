// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell sources, not templates
import { describe, expect, test } from "bun:test";
import { Language, Parser } from "web-tree-sitter";
import { checkTree } from "../src/check-tree.ts";
import { readLine } from "../src/parse.ts";
import { parser } from "./real-parser.ts";
import { WASM } from "./wasm.ts";

await Parser.init({ locateFile: () => WASM.runtime });
const grammar = new Parser().setLanguage(await Language.load(WASM.grammar));

/** Compares the tree of one source with our own reading of another. */
function compare(treeSource: string, ownSource: string): void {
  const tree = grammar.parse(treeSource);
  if (!tree) throw new Error("no tree");
  try {
    checkTree(tree, readLine(ownSource).level);
  } finally {
    tree.delete();
  }
}

describe("a tree that differs from our own reading is refused", () => {
  test.each([
    ["ls a b", "ls a;b"],
    ["ls;a", "ls a"],
    ["ls a", "ls\na"],
    ["ls 'a b'", "ls \\a b "],
    ["ls a > b", "ls a ; b"],
    ["ls a", "ls a b"],
    ["ls a b", "ls a  "],
    ["ls $a", "ls xa"],
    ["ls xa", "ls $a"],
    ["ls ${a}", "ls $a  "],
    ["ls $(b)", "ls xxxx"],
    ["ls `b`", "ls xxx"],
    ["ls <(b)", "ls xxxx"],
    ["a=1 ls", "aa1 ls"],
    ["ls # b", "ls xxb"],
    ["cat <<E\nx\nE\nls", "cat <xE\nx\nE\nls"],
    ["cat <<'E'\nx\nE\nE", "cat <<'E'\nx\nx\nE"],
    ["f() { ls; }", "f xx; ls; x"],
    ["((1))", "xxxxx"],
  ])("%j against %j", (treeSource, ownSource) => {
    expect(() => compare(treeSource, ownSource)).toThrow();
  });

  test("a tree that agrees with our own reading passes", () => {
    const source = "A=1 ls 'a b' \"$c\" <<E | wc > f # d\nx\nE\nif [ -f a ]; then b; fi";
    expect(() => compare(source, source)).not.toThrow();
  });
});

test("where the tree shows no error and no inner command, the command is listed all the same, or refused", () => {
  const sources = [
    "echo ${x:-`id`}",
    "cat <<-E\n\t$(id)\n\tE\n",
    "cat <<E\n${x:-`id`}\nE\n",
    "echo \"${a:-'$(id)'}\"",
    "echo `echo \\`id\\``",
  ];
  const judged = sources.map((source) => {
    const tree = grammar.parse(source);
    const hasError = tree?.rootNode.hasError;
    tree?.delete();
    const parsed = parser.parse(source);
    const listed = parsed.understood && parsed.commands.some(({ words }) => words[0]?.value === "id");
    return { source, hasError, isListed: listed, isRefused: !parsed.understood };
  });
  const refused = "echo \"${a:-'$(id)'}\"";
  expect(judged).toEqual(
    sources.map((source) => ({ source, hasError: false, isListed: source !== refused, isRefused: source === refused })),
  );
});
