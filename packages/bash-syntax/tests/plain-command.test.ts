import { expect, test } from "bun:test";
import { Language, Parser } from "web-tree-sitter";
import { checkTree } from "../src/check-tree.ts";
import { NotUnderstood } from "../src/not-understood.ts";
import { readLine } from "../src/parse.ts";
import { isPlainCommand } from "../src/plain-command.ts";
import { Random, SEED } from "./random.ts";
import { WASM } from "./wasm.ts";

await Parser.init({ locateFile: () => WASM.runtime });
const grammar = new Parser().setLanguage(await Language.load(WASM.grammar));

const level = (source: string) => readLine(source).level;

test("words between blanks are a plain command", () => {
  for (const source of [
    "ls",
    "git log --oneline -5",
    "npm run test:deep",
    "cp a/b.txt ./c",
    "env A=1 ls",
    "grep -r=x a,b",
  ])
    expect([source, isPlainCommand(level(source))]).toEqual([source, true]);
});

test.each([
  ["a quote", "echo 'a'"],
  ["an expansion", "echo $a"],
  ["an operator", "a && b"],
  ["a redirect", "echo a>b"],
  ["a pattern", "ls *.ts"],
  ["a tilde", "ls ~/x"],
  ["braces", "echo {a,b}"],
  ["a comment", "ls #a"],
  ["an assignment", "A=1 ls"],
  ["an escape", "ls a\\b"],
  ["a line end", "ls\na"],
  ["a background", "ls &"],
  ["two blanks", "ls  a"],
  ["a history sign", "ls !a"],
])("a line with %s is not", (_, source) => {
  expect(isPlainCommand(level(source))).toBe(false);
});

test("a reading whose words are not what stands between the blanks is no plain command", () => {
  const read = level("cp a b");
  const [draft] = read.drafts;
  const [first, second, third] = draft?.words ?? [];
  if (!draft || !first || !second || !third) throw new Error("Three words were to be read.");
  const moved = { ...second, start: second.start + 1 };
  const longer = { ...second, end: second.end + 1 };
  const other = { ...second, word: { ...second.word, source: "c" } };
  for (const words of [
    [first, moved, third],
    [first, longer, third],
    [first, other, third],
    [first, second],
  ])
    expect(isPlainCommand({ ...read, drafts: [{ ...draft, words }] })).toBe(false);
  expect(isPlainCommand({ ...read, drafts: [{ ...draft, words: [first, second, third] }] })).toBe(true);
  expect(isPlainCommand({ ...read, drafts: [draft, draft] })).toBe(false);
});

test("the tree of a plain command agrees with our reading, for 5,000 random ones", () => {
  const random = new Random(SEED);
  const names = ["ls", "git", "time", "export", "declare", "unset", "test", "let", "x.y", "if", "do", "function", "in"];
  const words = [
    ...names,
    "-x",
    "--a=b",
    "a/b",
    "../c",
    "5",
    "1.2.3",
    "a:b",
    "a@b",
    "a,b",
    "+x",
    "%1",
    "A=1",
    "=",
    "-",
    "_",
  ];
  let plain = 0;
  for (let run = 0; run < 5_000; run += 1) {
    const source = [random.pick(names), random.many(0, 4, () => random.pick(words), " ")].join(" ").trim();
    let read: ReturnType<typeof level>;
    try {
      read = level(source);
    } catch (error) {
      if (error instanceof NotUnderstood) continue;
      throw error;
    }
    if (!isPlainCommand(read)) continue;
    plain += 1;
    const tree = grammar.parse(source);
    try {
      if (tree) checkTree(tree, read);
    } catch (error) {
      throw new Error(source, { cause: error });
    } finally {
      tree?.delete();
    }
  }
  expect(plain).toBeGreaterThan(2_000);
});
