import { describe, expect, test } from "bun:test";
import {
  MAX_INDEX_BYTES,
  MAX_INDEX_LINES,
  sentIndex,
  updateIndex,
} from "../../../../src/services/context/memory/memory-index.ts";
import { parseNote } from "../../../../src/services/context/memory/note-text.ts";
import { seededTest } from "../../../support/deep.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const note = (name: string, description = `About ${name}`) => ({
  file: `${name}.md`,
  name,
  description,
  type: "project" as const,
});
const linesOf = (text: string) => text.trimEnd().split("\n");

describe("the index", () => {
  test("has a line for each note, keeps the person's lines and their order, and drops notes that are gone", () => {
    const first = updateIndex("", [note("a"), note("b")]).text;
    expect(linesOf(first)).toEqual(["- [a](a.md): About a (project)", "- [b](b.md): About b (project)"]);
    const edited = `# Mine\n${linesOf(first).reverse().join("\n")}\nSee the wiki.\n`;
    const { text } = updateIndex(edited, [note("b", "About b, better"), note("c")]);
    expect(linesOf(text)).toEqual([
      "# Mine",
      "- [b](b.md): About b, better (project)",
      "See the wiki.",
      "- [c](c.md): About c (project)",
    ]);
    expect(updateIndex(text, [note("b", "About b, better"), note("c")]).text).toBe(text);
  });

  test("is empty where there are no notes", () => {
    expect(updateIndex("- [a](a.md): gone (user)\n", [])).toEqual({ text: "", left: [] });
  });

  test("keeps every line that is not of Quoll's form, also one that links a note", () => {
    const mine = [
      "- [Guide](guide.md)",
      "- [Guide](guide.md): how we write",
      "- [a](a.md) is the best note (project)",
      "- see [a](a.md): About a (project)",
      "- [a](sub/a.md): About a (project)",
    ];
    const { text } = updateIndex(`${mine.join("\n")}\n- [gone](gone.md): About gone (user)\n`, [note("a")]);
    expect(linesOf(text)).toEqual([...mine, "- [a](a.md): About a (project)"]);
    expect(updateIndex(text, []).text).toBe(`${mine.join("\n")}\n`);
  });

  test.each(["", "[x] (y)", "ends (user)"])("knows its own line of a note whose description is %j", (description) => {
    const { text } = updateIndex("", [{ ...note("a", description), name: "[a]" }]);
    expect(updateIndex(text, []).text).toBe("");
  });

  test("has no room for notes beyond its lines, and names them", () => {
    const notes = Array.from({ length: MAX_INDEX_LINES + 3 }, (_, at) => note(`n${at}`));
    const { text, left } = updateIndex("", notes);
    expect(linesOf(text)).toHaveLength(MAX_INDEX_LINES);
    expect(left).toEqual(["n200.md", "n201.md", "n202.md"]);
  });

  test("has no room for notes beyond its bytes, and names them", () => {
    const notes = Array.from({ length: 190 }, (_, at) => note(`n${at}`, "x".repeat(150)));
    const { text, left } = updateIndex("", notes);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_INDEX_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_INDEX_BYTES - 200);
    expect(left.length).toBe(190 - linesOf(text).length);
  });

  test("that a person made too long is sent cut, with a line that says so, and stays whole in its file", () => {
    const mine = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
    const { text, left } = updateIndex(mine, [note("a")]);
    expect(linesOf(text)).toHaveLength(300);
    expect(left).toEqual(["a.md"]);
    const sent = sentIndex(text);
    expect(sent.isCut).toBe(true);
    expect(linesOf(sent.text)).toHaveLength(MAX_INDEX_LINES);
    expect(linesOf(sent.text).at(-1)).toContain("left out");
  });
});

seededTest(
  "no notes and no person's lines make the written or the sent index longer than its limits",
  { seed: 11, cases: { quick: 20, deep: 300 } },
  (seed, cases) => {
    const random = seededRandom(seed);
    const letters = ["a", "é", "漢", "🙂", "[", "]", "(", ")", "\n", "\r", "-", " ", "\u0000", "|"];
    for (let done = 0; done < cases; done += 1) {
      const words = (most: number) => random.some(most, () => random.pick(letters)).join("");
      const notes = random.some(random.pick([3, 40, 400]), () => {
        const file = `${random.pick(["", "a (b) ", "%28", "é"])}${random.below(1_000)}.md`;
        return { ...parseNote(`---\nname: ${words(90)}\ndescription: ${words(300)}\n---\nx`, file), file };
      });
      const own = random.some(random.pick([0, 5, 150]), () => `x${words(40).replace(/[\r\n]/g, "")}`).join("\n");
      const { text, left } = updateIndex(own, notes);
      const ownBytes = Buffer.byteLength(own) + 1;
      expect(linesOf(text).length).toBeLessThanOrEqual(Math.max(MAX_INDEX_LINES, linesOf(own).length));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(MAX_INDEX_BYTES, ownBytes));
      const files = new Set(notes.map(({ file }) => file));
      const linked = [...text.matchAll(/^- \[[^\]]*\]\(([^()]+\.md)\)/gm)];
      expect(linked.length + left.length).toBe(files.size);
      const sent = sentIndex(random.chance(0.5) ? text : `${text}${words(40_000)}`).text;
      expect(linesOf(sent).length).toBeLessThanOrEqual(MAX_INDEX_LINES);
      expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(MAX_INDEX_BYTES);
      expect(updateIndex(text, notes).text).toBe(text);
    }
  },
);
