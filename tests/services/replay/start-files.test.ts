import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../src/contracts/message.ts";
import { withOldFacts } from "../../../src/contracts/old-results.ts";
import type { Step } from "../../../src/services/replay/recording.ts";
import { prepareFile, startFiles, wholeText } from "../../../src/services/replay/start-files.ts";

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>, result: string, isError?: boolean];

function stepsOf(...calls: readonly Call[]): readonly Step[] {
  return calls.flatMap(([name, input, content, isError = false], index): readonly Step[] => {
    const id = `t${index}`;
    const message = { role: "assistant", id, model: "m", stopReason: "tool_use", usage: NO_USAGE } as const;
    return [
      { kind: "answer", message: { ...message, content: [{ type: "tool_use", id, name, input }] } },
      withOldFacts({ kind: "result", toolUseId: id, ran: true, content, isError } as const),
    ];
  });
}

const found = (steps: readonly Step[], now: Readonly<Record<string, string>> = {}) =>
  startFiles(steps, { root: "/p", home: "/home/ann", present: async (path) => now[path] });

const lines = (...texts: readonly string[]) =>
  texts.map((text, at) => `${String(at + 1).padStart(6)}\t${text}`).join("\n");
const edit = (file_path: string, old_string: string, new_string: string): Call => [
  "Edit",
  { file_path, old_string, new_string },
  `Edited ${file_path} (1 replacement).\n     1\t…`,
];

describe("a file's content at the session's start", () => {
  test("is what Read showed of it, whole, before it was changed", async () => {
    const steps = stepsOf(
      ["Read", { file_path: "a.txt" }, lines("one", "two")],
      edit("/p/a.txt", "two", "TWO"),
      ["Read", { file_path: "a.txt" }, lines("one", "TWO")],
      ["Read", { file_path: "sub/../b.txt" }, `${lines("bee")}\n[no newline at the end of the file]`],
    );
    expect(await found(steps)).toEqual({
      files: [
        { kind: "file", path: "a.txt", text: "one\ntwo\n", isChanged: true },
        { kind: "file", path: "b.txt", text: "bee", isChanged: false },
      ],
      unknown: [],
    });
  });

  test("is nothing for what the session made", async () => {
    const steps = stepsOf(
      ["Write", { file_path: "new.txt", content: "x" }, "Created new.txt (1 line, 1 byte)."],
      ["Edit", { file_path: "too.txt", old_string: "", new_string: "x" }, "Created too.txt.\n     1\tx"],
    );
    const { files } = await found(steps, { "new.txt": "x", "too.txt": "x" });
    expect(files.map(({ path, text }) => [path, text])).toEqual([
      ["new.txt", null],
      ["too.txt", null],
    ]);
  });

  test("is worked out from what stands there now, where Read showed only a part", async () => {
    const part = "     2\ttwo\n[lines 2–2 of a file of 3 lines, 14 bytes (limit 1); go on with offset: 3]";
    const steps = stepsOf(
      ["Read", { file_path: "a.txt", offset: 2, limit: 1 }, part],
      edit("a.txt", "two", "2"),
      edit("a.txt", "2", "zwei"),
    );
    const now = { "a.txt": "one\nzwei\nthree\n" };
    expect((await found(steps, now)).files).toEqual([
      { kind: "file", path: "a.txt", text: "one\ntwo\nthree\n", isChanged: true },
    ]);
    for (const other of ["one\nzwei\nzwei\n", "zwei\n", "elsewhere\n"])
      expect(await found(steps, { "a.txt": other })).toEqual({ files: [], unknown: ["a.txt"] });
    expect(await found(steps)).toEqual({ files: [], unknown: ["a.txt"] });
  });

  test("is not known where what was done can't be undone", async () => {
    const part = "     1\tone\n[lines 1–1 of a file of 3 lines, 14 bytes (limit 1); go on with offset: 2]";
    const undoable: readonly Call[] = [
      ["Write", { file_path: "a.txt", content: "x" }, "Replaced a.txt (1 line, 1 byte)."],
      [
        "Edit",
        { file_path: "a.txt", old_string: "x", new_string: "y", replace_all: true },
        "Edited a.txt (2 replacements).",
      ],
      ["Edit", { file_path: "a.txt", old_string: "x", new_string: "" }, "Edited a.txt (1 replacement)."],
      [
        "Edit",
        { file_path: "a.txt", old_string: "x", new_string: "y" },
        "Edited a.txt (1 replacement). Corrected: blanks.",
      ],
    ];
    for (const call of undoable) {
      const steps = stepsOf(["Read", { file_path: "a.txt", limit: 1 }, part], call);
      expect(await found(steps, { "a.txt": "one\ny\n" })).toEqual({ files: [], unknown: ["a.txt"] });
    }
  });

  test("is not taken from calls that failed, or files outside of the project and in git's folder", async () => {
    const steps = stepsOf(
      ["Write", { file_path: "a.txt", content: "x" }, "Created a.txt", true],
      ["Read", { file_path: "/etc/hosts" }, lines("x")],
      ["Read", { file_path: "~/x" }, lines("x")],
      ["Read", { file_path: ".git/config" }, lines("x")],
      ["Read", { file_path: "../up" }, lines("x")],
      ["Read", {}, lines("x")],
    );
    expect(await found(steps)).toEqual({ files: [], unknown: [] });
  });
});

test.each([
  [lines("a", "", "\tb"), "a\n\n\tb\n"],
  [`${lines("a")}\n[no newline at the end of the file]`, "a"],
  ["empty.txt is empty (0 bytes).", ""],
  [`${lines("a")}\n[lines end in CRLF; Edit keeps that]`, undefined],
  [`${lines("a")}\n[encoding: UTF-16LE; Edit keeps it]`, undefined],
  [`${lines("a… [12 more bytes in this line]")}`, undefined],
  ["     2\tb", undefined],
  [`${lines("a")}\n[lines 1–1 of a file of 2 lines, 4 bytes (limit 1); go on with offset: 2]`, undefined],
  ["a.txt is unchanged since you read these lines; what you were shown still holds.", undefined],
])("of %j the whole text is %j", (shown, whole) => {
  expect(wholeText(shown)).toBe(whole);
});

test("a changed file is made what it was; one that was only read stays as it stands", () => {
  const file = { kind: "file", path: "a", text: "old", isChanged: true } as const;
  expect(prepareFile(file, "new")).toEqual({ what: "place", text: "old" });
  expect(prepareFile(file, "old")).toEqual({ what: "leave" });
  expect(prepareFile({ ...file, text: null }, "new")).toEqual({ what: "place", text: null });
  expect(prepareFile({ ...file, text: null }, undefined)).toEqual({ what: "leave" });
  expect(prepareFile({ ...file, isChanged: false }, undefined)).toEqual({ what: "place", text: "old" });
  expect(prepareFile({ ...file, isChanged: false }, "new")).toMatchObject({ what: "leave", note: expect.any(String) });
});
