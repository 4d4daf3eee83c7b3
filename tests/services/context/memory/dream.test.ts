import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { dreamLines, dreamQuestion, readDream } from "../../../../src/services/context/memory/dream-plan.ts";
import { applyDream, undoDream } from "../../../../src/services/context/memory/dream-record.ts";
import { readMemory } from "../../../../src/services/context/memory/memory-files.ts";
import { tempProject } from "../../../support/temp-project.ts";

const FILES = {
  "notes/a.md": "---\nname: a\ndescription: Tests run with bun\n---\n\nTests run with bun.\nUse port 3000.\n",
  "notes/b.md": "Never use npm.\n",
  "notes/c.md": "hello\n",
  "notes/d.md": "Deploy on Tuesdays.\n",
};
const MERGED = {
  name: "Tests",
  description: "How tests run",
  type: "feedback",
  body: "Tests run with bun.\nNever use npm.",
};
const ANSWER = JSON.stringify([
  { files: ["a.md", "b.md"], why: "both are about tests", note: MERGED },
  { files: ["c.md"], why: "says nothing" },
]);
const STAMP = { session: "s-2", date: "2026-02-01", by: "model" } as const;

async function place(files: Readonly<Record<string, string>> = FILES) {
  const project = await tempProject(files);
  const folders = { folder: project.path("notes"), kept: project.path("kept") };
  return Object.assign(project, { folders, notes: () => readMemory(folders.folder).notes });
}

describe("the model's answer", () => {
  test("is read with words and a fence around it", async () => {
    await using project = await place();
    const changes = readDream(`Here:\n\`\`\`json\n${ANSWER}\n\`\`\``, project.notes());
    expect(changes.map(({ removed, added }) => [removed.map(({ file }) => file), added?.name])).toEqual([
      [["a.md", "b.md"], "tests"],
      [["c.md"], undefined],
    ]);
  });

  test("changes no note twice, and no missing note", async () => {
    await using project = await place();
    const answer = JSON.stringify([
      { files: ["a.md"], note: { ...MERGED, type: "unknown" } },
      { files: ["a.md", "b.md"], note: MERGED },
      { files: ["../x.md"], note: MERGED },
      { files: ["MEMORY.md"] },
    ]);
    const changes = readDream(answer, project.notes());
    expect(changes.map(({ removed, added }) => [removed.map(({ file }) => file), added?.type])).toEqual([
      [["a.md"], "project"],
    ]);
  });

  test.each(["", "I can't.", "[1, 2]", '[{"files": []}]', "[{"])("that is %p is refused", async (answer) => {
    await using project = await place();
    expect(() => readDream(answer, project.notes())).toThrow("the model's answer");
  });
});

test("the changes are shown as a diff, without control characters", async () => {
  await using project = await place();
  const lines = dreamLines(readDream(ANSWER.replace("How tests run", "How \\u001b[31mtests run"), project.notes()));
  expect(lines).toContain("a.md, b.md → tests (feedback): both are about tests");
  expect(lines).toContain("   Tests run with bun.");
  expect(lines).toContain(" - Use port 3000.");
  expect(lines).toContain(" + How tests run");
  expect(lines).toContain("remove c.md: says nothing");
  expect(lines.join("")).not.toContain("\u001b");
});

test("the question holds every note as data, and says how many had no room", async () => {
  await using project = await place({ ...FILES, "notes/e.md": "x".repeat(60_000), "notes/f.md": "y".repeat(60_000) });
  expect(dreamQuestion(project.notes()).left).toBe(0);
  const many = Array.from({ length: 8 }, () => project.notes()).flat();
  expect(dreamQuestion(many).left).toBeGreaterThan(0);
  expect(dreamQuestion(many).text.length).toBeLessThan(210_000);
});

describe("changes that were applied", () => {
  test("are undone to the same bytes", async () => {
    await using project = await place();
    const changes = readDream(ANSWER, project.notes());
    expect(applyDream(changes, project.folders, STAMP)).toEqual({ removed: 3, written: 1 });
    expect(readdirSync(project.folders.folder).sort()).toEqual(["d.md", "tests.md"]);
    expect(await project.read("notes/tests.md")).toContain("session: s-2\ndate: 2026-02-01\nby: model\n");
    expect(undoDream(project.folders)).toBe(3);
    expect(readdirSync(project.folders.folder).sort()).toEqual(["a.md", "b.md", "c.md", "d.md"]);
    for (const [name, text] of Object.entries(FILES)) expect(await project.read(name)).toBe(text);
    expect(() => undoDream(project.folders)).toThrow("no /dream to undo");
  });

  test("are undone around notes that were edited since", async () => {
    await using project = await place();
    applyDream(readDream(ANSWER, project.notes()), project.folders, STAMP);
    await project.write("notes/tests.md", "mine\n");
    await project.write("notes/a.md", "mine too\n");
    expect(undoDream(project.folders)).toBe(3);
    expect(await project.read("notes/tests.md")).toBe("mine\n");
    expect(await project.read("notes/a.md")).toBe("mine too\n");
    expect(await project.read("notes/a-2.md")).toBe(FILES["notes/a.md"]);
  });

  test("are undone with the old note where the merged one has its name and was edited", async () => {
    await using project = await place();
    applyDream(readDream(ANSWER.replace('"Tests"', '"a"'), project.notes()), project.folders, STAMP);
    await project.write("notes/a.md", "edited\n");
    expect(undoDream(project.folders)).toBe(3);
    expect(await project.read("notes/a.md")).toBe("edited\n");
    expect(await project.read("notes/a-2.md")).toBe(FILES["notes/a.md"]);
  });

  test("stay in the record as far as they could not be undone", async () => {
    const long = `${"x".repeat(252)}.md`;
    await using project = await place({ "notes/a.md": "a\n", [`notes/${long}`]: "long\n" });
    const answer = JSON.stringify([{ files: ["a.md", long] }]);
    applyDream(readDream(answer, project.notes()), project.folders, STAMP);
    await project.write(`notes/${long}`, "another\n");
    // The name is taken, and a longer one is not possible.
    expect(() => undoDream(project.folders)).toThrow();
    expect(await project.read("notes/a.md")).toBe("a\n");
    await project.write("notes/a.md", "edited\n");
    rmSync(project.path(`notes/${long}`));
    expect(undoDream(project.folders)).toBe(1);
    expect(await project.read(`notes/${long}`)).toBe("long\n");
    expect(readdirSync(project.folders.folder).sort()).toEqual(["a.md", long]);
  });

  test("take no name of a note that stays, and are refused where a note has changed", async () => {
    await using project = await place({ ...FILES, "notes/tests.md": "stays\n" });
    const changes = readDream(ANSWER, project.notes());
    await project.write("notes/b.md", "changed\n");
    expect(() => applyDream(changes, project.folders, STAMP)).toThrow("b.md was changed");
    expect(readdirSync(project.folders.folder)).toHaveLength(5);
    applyDream(readDream(ANSWER, project.notes()), project.folders, STAMP);
    expect(await project.read("notes/tests.md")).toBe("stays\n");
    expect(await project.read("notes/tests-2.md")).toContain("How tests run");
  });

  test("of a broken record are not undone", async () => {
    await using project = await place({
      ...FILES,
      "kept/last-dream.json": '{"removed":[{"file":"../x.md","text":""}],"written":[]}',
    });
    expect(() => undoDream(project.folders)).toThrow("no /dream to undo");
  });
});
