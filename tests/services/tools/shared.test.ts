import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { withClearedInput } from "../../../src/contracts/cleared-input.ts";
import { diffTexts } from "../../../src/platform/diff-hunks.ts";
import { editSpec } from "../../../src/services/tools/edit/spec.ts";
import { globSpec } from "../../../src/services/tools/glob/spec.ts";
import { grepSpec } from "../../../src/services/tools/grep/spec.ts";
import { readSpec } from "../../../src/services/tools/read/spec.ts";
import { ReadTracker } from "../../../src/services/tools/read-tracker.ts";
import { shownPath } from "../../../src/services/tools/target-file.ts";
import { todoWriteSpec } from "../../../src/services/tools/todo-write/spec.ts";
import { writeSpec } from "../../../src/services/tools/write/spec.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { failure, fileTools, seeded } from "./call-tool.ts";

const diffHunks = (before: string, after: string) => diffTexts(before, after).diff;

describe("diffTexts", () => {
  test("far changes are apart, near ones together, and line ends count", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index + 1}`);
    const before = `${lines.join("\n")}\n`;
    const after = before.replace("\n3\n", "\n3a\n").replace("\n6\n", "\n").replace("\n20\n", "\n20\n20b\n");
    const { hunks, added, removed } = diffHunks(before, after);
    expect({ added, removed, starts: hunks.map(({ oldStart, newStart }) => [oldStart, newStart]) }).toEqual({
      added: 2,
      removed: 2,
      starts: [
        [1, 1],
        [18, 17],
      ],
    });
    expect(diffHunks("a\n", "a\r\n")).toMatchObject({ added: 1, removed: 1 });
    expect(diffHunks("a\n", "a")).toMatchObject({ added: 1, removed: 1 });
    expect(diffHunks("a", "a")).toEqual({ hunks: [], added: 0, removed: 0 });
    expect(diffHunks("", "a\n")).toEqual({
      hunks: [{ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "a" }] }],
      added: 1,
      removed: 0,
    });
  });

  test("the hunks of random texts lead from the one to the other", () => {
    const random = seeded(11);
    const text = () =>
      Array.from({ length: random.below(25) }, () => `${random.pick(["a", "b", "c", "d", ""])}\n`).join("");
    for (let round = 0; round < 500; round += 1) {
      const [before, after] = [text(), text()];
      const result = before.split("\n").slice(0, -1);
      let shift = 0;
      for (const { oldStart, newStart, lines } of diffHunks(before, after).hunks) {
        const old = lines.filter(({ kind }) => kind !== "added").map(({ text: line }) => line);
        const now = lines.filter(({ kind }) => kind !== "removed").map(({ text: line }) => line);
        expect(oldStart + shift).toBe(newStart);
        expect(result.splice(newStart - 1, old.length, ...now)).toEqual(old);
        shift += now.length - old.length;
      }
      expect(result.map((line) => `${line}\n`).join("")).toBe(after);
    }
  });

  deepTest("huge and wholly different texts cost little, and what is shown is bounded", () => {
    const text = (word: string) => Array.from({ length: 200_000 }, (_, index) => `${word} ${index}\n`).join("");
    const spent = cpuClock();
    const { hunks, added, removed } = diffHunks(text("old"), text("new"));
    expect([added, removed, hunks.reduce((sum, { lines }) => sum + lines.length, 0)]).toEqual([
      200_000, 200_000, 1_000,
    ]);
    expect(spent()).toBeLessThan(2_000);
  });
});

test("the read tracker evicts the least recently used file and caps its ranges", () => {
  const tracker = new ReadTracker(2);
  const state = { modifiedMs: 1, size: 1, hash: "x" };
  tracker.noteRead("/a", state, { range: "1:2", toolUseId: "t" });
  tracker.noteRead("/b", state, { range: "1:2", toolUseId: "t" });
  tracker.get("/a");
  tracker.noteMade("/c", state, "write");
  expect([tracker.get("/a")?.madeBy, tracker.get("/b"), tracker.get("/c")?.madeBy]).toEqual([
    "read",
    undefined,
    "write",
  ]);
  for (let range = 0; range < 200; range += 1) tracker.noteRead("/a", state, { range: `${range}:1`, toolUseId: "t" });
  expect(tracker.get("/a")?.ranges.size).toBe(50);
});

test("the read tracker forgets what cleared calls showed, and still knows the file", () => {
  const tracker = new ReadTracker();
  const state = { modifiedMs: 1, size: 1, hash: "x" };
  tracker.noteRead("/a", state, { range: "1:2", toolUseId: "t1" });
  tracker.noteRead("/a", state, { range: "3:4", toolUseId: "t2" });
  tracker.forgetResults(new Set(["t1"]));
  expect([...(tracker.get("/a")?.ranges.keys() ?? [])]).toEqual(["3:4"]);
  expect(tracker.get("/a")).toMatchObject({ ...state, madeBy: "read" });
});

test("paths inside the working folder are shown relative to it", () => {
  expect(["/w", "/w/a/b", "/w/..a", "/wx", "/", "/v/a"].map((path) => shownPath("/w", path))).toEqual([
    ".",
    "a/b",
    "..a",
    "/wx",
    "/",
    "/v/a",
  ]);
  expect(shownPath("/", "/etc/x")).toBe("etc/x");
});

test("the texts of the six tools stay within 2,200 tokens, and no schema has an anyOf at its top", () => {
  const specs = [readSpec, writeSpec, editSpec, globSpec, grepSpec, todoWriteSpec];
  const wire = specs.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  expect(JSON.stringify(wire).length / 4).toBeLessThan(2_200);
  for (const { inputSchema } of specs) {
    expect(Object.keys(inputSchema).sort()).toEqual(["additionalProperties", "properties", "required", "type"]);
  }
  expect(Object.keys(editSpec.inputSchema["properties"] as object)).toEqual([
    "file_path",
    "old_string",
    "new_string",
    "replace_all",
    "edits",
  ]);
});

describe("a text that only stands in the model's view of an earlier call", () => {
  const use = { type: "tool_use", id: "toolu_9", name: "Write", input: { content: "x".repeat(500) } } as const;
  const line = String(withClearedInput(use, true)?.input["content"]);

  test.each([
    ["write", { file_path: "a.txt", content: `before\n${line}\nafter` }],
    ["edit", { file_path: "b.txt", old_string: "one", new_string: line }],
    ["edit", { file_path: "b.txt", old_string: line, new_string: "two" }],
  ] as const)("is not taken for content by %s, and the hint says where the content is", async (name, input) => {
    await using project = await tempProject({ "b.txt": "one\n" });
    const tools = fileTools(project.dir);
    await tools.read("b.txt");
    expect(await failure(tools.prepare[name](input))).toMatch(/toolu_9.*Recall/);
    expect(readFileSync(project.path("b.txt"), "utf8")).toBe("one\n");
  });
});
