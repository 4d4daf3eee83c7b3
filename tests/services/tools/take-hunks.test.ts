import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import type { Encoding } from "../../../src/contracts/files.ts";
import { diffTexts } from "../../../src/platform/diff-hunks.ts";
import { encode } from "../../../src/platform/files/encoding.ts";
import { uniqueReplacement } from "../../../src/services/tools/edit/edit.ts";
import { seededTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { tempProject } from "../../support/temp-project.ts";
import { failure, fileTools, runCall } from "./call-tool.ts";

type Random = ReturnType<typeof seededRandom>;

/** A text of blocks that are far enough apart to be hunks of their own, and what each becomes; undefined stays. */
type Blocks = {
  readonly parts: readonly { readonly old: string; readonly new: string | undefined }[];
  readonly end: string;
};

const FAR = 8;

function randomBlocks(random: Random, eol: () => string): Blocks {
  const filler = () => Array.from({ length: FAR }, () => `same${eol()}`).join("");
  const lines = (word: string, index: number, least: number) =>
    Array.from({ length: least + random.below(3) }, (_, line) => `${word} ${index}.${line} é${eol()}`).join("");
  const parts = Array.from({ length: 2 + random.below(5) }, (_, index) => {
    const before = filler();
    const isChanged = index < 2 || random.chance(0.6);
    return {
      old: before + lines("old", index, 1),
      new: isChanged ? before + lines("new", index, random.chance(0.2) ? 0 : 1) : undefined,
    };
  });
  return { parts, end: filler() + random.pick(["", "no newline at the end"]) };
}

/** The text with the changes at these places (counted among those that change) made: told without any diff. */
function textOf({ parts, end }: Blocks, isTaken: (change: number) => boolean): string {
  let change = -1;
  const made = parts.map((part) => {
    if (part.new === undefined) return part.old;
    change += 1;
    return isTaken(change) ? part.new : part.old;
  });
  return made.join("") + end;
}

const ENDS: Readonly<Record<string, (random: Random) => () => string>> = {
  LF: () => () => "\n",
  CRLF: () => () => "\r\n",
  mixed: (random) => () => random.pick(["\n", "\r\n"]),
};

const subsets = (random: Random, count: number) => [...Array(count).keys()].filter(() => random.chance(0.5));

describe("parts of a difference", () => {
  test.each(Object.keys(ENDS))("any choice of hunks is exactly those changes (%s)", (ends) => {
    for (let seed = 1; seed <= 120; seed += 1) {
      const random = seededRandom(seed);
      const blocks = randomBlocks(random, ENDS[ends]!(random));
      const before = textOf(blocks, () => false);
      const after = textOf(blocks, () => true);
      const { diff, take } = diffTexts(before, after);
      const count = blocks.parts.filter(({ new: changed }) => changed !== undefined).length;
      expect([seed, diff.hunks.length, take?.([]), take?.([...diff.hunks.keys()])]).toEqual([
        seed,
        count,
        before,
        after,
      ]);
      const taken = subsets(random, count);
      expect([seed, take?.(taken)]).toEqual([seed, textOf(blocks, (change) => taken.includes(change))]);
    }
  });

  test("add up for texts without any order", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seededRandom(seed);
      const text = () => random.some(40, () => random.pick(["a\n", "b\n", "\n", "c\r\n", "d"])).join("");
      const [before, after] = [text(), text()];
      const { diff, take } = diffTexts(before, after);
      if (!take) throw new Error("All hunks are shown.");
      expect([seed, take([]), take([...diff.hunks.keys()])]).toEqual([seed, before, after]);
      const taken = subsets(random, diff.hunks.length);
      const removed = diff.hunks.map(({ lines }) => lines.filter(({ kind }) => kind === "removed").length);
      const added = diff.hunks.map(({ lines }) => lines.filter(({ kind }) => kind === "added").length);
      const lineCount = (of: string) => (of === "" ? 0 : of.split(/(?<=\n)/).length);
      const sum = taken.reduce((total, index) => total + (added[index] ?? 0) - (removed[index] ?? 0), 0);
      // A last line without its end runs into what is put behind it.
      const isOpen = /[^\n]$/.test(before) || /[^\n]$/.test(after);
      if (!isOpen) expect([seed, lineCount(take(taken))]).toEqual([seed, lineCount(before) + sum]);
    }
  });

  test("are not offered where not every hunk is shown whole", () => {
    const text = (word: string) =>
      Array.from({ length: 1_990 }, (_, index) => (index % 10 === 0 ? `${word} ${index}` : "same")).join("\n");
    expect(diffTexts(text("old"), text("new")).take).toBeUndefined();
    const long = Array.from({ length: 1_200 }, (_, index) => `${index}\n`).join("");
    expect(diffTexts("", long).take).toBeUndefined();
  });

  test("one replacement, found once, says the same as any of them", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seededRandom(seed);
      const text = () => random.some(30, () => random.pick(["a\n", "a\n", "b\n", "\n", "c\r\n", "d"])).join("");
      const [before, after] = [text(), text()];
      if (before === after) continue;
      const { oldText, newText } = uniqueReplacement(before, after);
      const at = before.indexOf(oldText);
      expect([seed, before.slice(0, at) + newText + before.slice(at + oldText.length)]).toEqual([seed, after]);
      if (oldText !== "") expect([seed, before.indexOf(oldText, at + 1)]).toEqual([seed, -1]);
    }
  });
});

const ENCODINGS: readonly Encoding[] = [
  { name: "utf-8", bom: false },
  { name: "utf-8", bom: true },
  { name: "utf-16le", bom: true },
  { name: "utf-16be", bom: true },
];

describe.each(["Edit", "Write"] as const)("%s", (name) => {
  seededTest(
    "a call made for a part of the hunks changes just that part, byte for byte",
    { seed: 1, cases: { quick: 20, deep: 300 } },
    async (first, cases) => {
      await using project = await tempProject({});
      const tools = fileTools(project.dir);
      const path = project.path("f.txt");
      for (let seed = first; seed < first + cases; seed += 1) {
        const random = seededRandom(seed);
        const blocks = randomBlocks(random, ENDS[random.pick(["LF", "CRLF"])]!(random));
        const before = textOf(blocks, () => false);
        // Write knows one encoding only.
        const encoding = name === "Edit" ? random.pick(ENCODINGS) : ENCODINGS[0]!;
        const bytesOf = (text: string) => encode(text, encoding);
        writeFileSync(path, bytesOf(before));
        await tools.read("f.txt");
        const edits = blocks.parts.flatMap(({ old, new: changed }) =>
          changed === undefined ? [] : [{ old_string: ownLines(old), new_string: ownLines(changed) }],
        );
        const raw =
          name === "Edit" ? { file_path: "f.txt", edits } : { file_path: "f.txt", content: textOf(blocks, () => true) };
        const prepare = name === "Edit" ? tools.prepare.edit : tools.prepare.write;
        const call = await prepare(raw);
        if (call.preview?.kind !== "diff" || !call.takeHunks) throw new Error(`seed ${seed}: nothing to take`);
        const taken = subsets(random, call.preview.hunks.length);
        if (taken.length === 0) taken.push(0);
        const input = call.takeHunks(taken);
        const part = await prepare(input);
        await runCall(part);
        const expected = textOf(blocks, (change) => taken.includes(change));
        expect([seed, readFileSync(path).equals(bytesOf(expected))]).toEqual([seed, true]);
        // The remaining hunks can be taken afterwards.
        const whole = textOf(blocks, () => true);
        const rest = name === "Edit" ? { file_path: "f.txt", ...restOf(expected, whole) } : raw;
        if (expected !== whole) await runCall(await prepare(rest));
        expect([seed, readFileSync(path).equals(bytesOf(whole))]).toEqual([seed, true]);
      }
    },
  );

  test("one hunk, a new file and stray bytes are offered whole only", async () => {
    await using project = await tempProject({
      one: "a\nb\n",
      stray: Buffer.from([...Buffer.from("é é é\n"), 0xff, ...Buffer.from("\nx\n1\n2\n3\n4\n5\n6\ny\n")]),
    });
    const tools = fileTools(project.dir);
    for (const file of ["one", "stray"]) await tools.read(file);
    const takers = [
      (await tools.prepare.edit({ file_path: "one", old_string: "a", new_string: "c" })).takeHunks,
      (await tools.prepare.edit({ file_path: "new", old_string: "", new_string: "c" })).takeHunks,
      (
        await tools.prepare.edit({
          file_path: "stray",
          edits: [
            { old_string: "x", new_string: "X" },
            { old_string: "y", new_string: "Y" },
          ],
        })
      ).takeHunks,
      (await tools.prepare.write({ file_path: "stray", content: "X\n1\n2\n3\n4\n5\n6\nY\n" })).takeHunks,
      (await tools.prepare.write({ file_path: "new", content: "X" })).takeHunks,
    ];
    expect(takers).toEqual(takers.map(() => undefined));
  });
});

/** The lines of a block without the filler before them. */
function ownLines(part: string): string {
  return part
    .split(/(?<=\n)/)
    .slice(FAR - 1)
    .join("");
}

function restOf(before: string, after: string) {
  const { oldText, newText } = uniqueReplacement(before, after);
  return { old_string: oldText, new_string: newText };
}

test("an accepted part does not overwrite later changes of the file", async () => {
  await using project = await tempProject({ f: "a\n1\n2\n3\n4\n5\n6\n7\nb\n" });
  const tools = fileTools(project.dir);
  await tools.read("f");
  const call = await tools.prepare.write({ file_path: "f", content: "A\n1\n2\n3\n4\n5\n6\n7\nB\n" });
  const input = call.takeHunks?.([1]) ?? {};
  expect(input).toEqual({ file_path: "f", content: "a\n1\n2\n3\n4\n5\n6\n7\nB\n" });
  writeFileSync(project.path("f"), "mine\n");
  expect(await failure(tools.prepare.write(input))).toContain("changed since Quoll last saw it");
});
