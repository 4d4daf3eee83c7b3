import { describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import type { Encoding } from "../../../../src/contracts/files.ts";
import { encode } from "../../../../src/platform/files/encoding.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { failure, fileTools, runCall, seeded } from "../call-tool.ts";

describe("after Grep alone", () => {
  const FILE = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join("");
  const shown = { pattern: "line 1[0-2]", output_mode: "content", path: "a.txt" };

  test("lines that were shown can be changed, replaced and added to, one edit after the other", async () => {
    await using project = await tempProject({ "a.txt": FILE });
    const tools = fileTools(project.dir);
    await tools.grep(shown);
    await tools.edit({ file_path: "a.txt", old_string: "line 10\n", new_string: "ten\nten and a half\n" });
    await tools.edit({ file_path: "a.txt", old_string: "line 12\n", new_string: "twelve\n" });
    await tools.edit({ file_path: "a.txt", old_string: "line 11\n", new_string: "" });
    expect(readFileSync(project.path("a.txt"), "utf8")).toBe(
      FILE.replace("line 10\nline 11\nline 12", "ten\nten and a half\ntwelve"),
    );
  });

  test("a line that was not shown can't, nor can the whole file be written", async () => {
    await using project = await tempProject({ "a.txt": FILE, "b.txt": FILE });
    const tools = fileTools(project.dir);
    await tools.grep(shown);
    await tools.grep({ pattern: "line", path: "b.txt" });
    const change = (old_string: string, file_path = "a.txt") =>
      failure(tools.prepare.edit({ file_path, old_string, new_string: "x\n" }));
    expect(await change("line 20\n")).toBe(
      "a.txt was not read, and Grep did not show line 20, which this would change or add to. Read it first.",
    );
    expect(await change("line 12\nline 13\nline 14\n")).toContain("did not show lines 13, 14, which");
    expect(await change("line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n")).toContain("lines 1, 2, 3, 4, 5 …,");
    const added = { file_path: "a.txt", old_string: "line 30\n", new_string: "line 30\nline 31\n" };
    expect(await failure(tools.prepare.edit(added))).toContain("did not show line 30,");
    expect(await change("line 20\n", "b.txt")).toContain("was not read in this conversation");
    expect(await failure(tools.prepare.write({ file_path: "a.txt", content: "" }))).toContain("was not read");
  });

  test("a file that was changed since it was searched must be read", async () => {
    await using project = await tempProject({ "a.txt": FILE });
    const tools = fileTools(project.dir);
    await tools.grep(shown);
    writeFileSync(project.path("a.txt"), `${FILE}more\n`);
    expect(await failure(tools.prepare.edit({ file_path: "a.txt", old_string: "line 10", new_string: "x" }))).toContain(
      "was changed since Quoll last saw it",
    );
  });
});

describe("the call", () => {
  test("is a write of one path, with the change to show", async () => {
    await using project = await tempProject({ "a.txt": "one\ntwo\nthree\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const call = await tools.prepare.edit({ file_path: "a.txt", old_string: "two", new_string: "2" });
    expect({
      level: call.level,
      safe: call.concurrencySafe,
      subjects: call.subjects,
      title: call.title,
      preview: call.preview,
    }).toEqual({
      level: "write",
      safe: false,
      subjects: [{ action: "write", path: project.path("a.txt") }],
      title: "a.txt",
      preview: {
        kind: "diff",
        path: "a.txt",
        isNew: false,
        hunks: [
          {
            oldStart: 1,
            newStart: 1,
            lines: [
              { kind: "same", text: "one" },
              { kind: "removed", text: "two" },
              { kind: "added", text: "2" },
              { kind: "same", text: "three" },
            ],
          },
        ],
      },
    });
    expect(await project.read("a.txt")).toBe("one\ntwo\nthree\n");
    const result = await runCall(call);
    expect(result.content).toBe("Edited a.txt (1 replacement).\n     1\tone\n     2\t2\n     3\tthree");
    expect(result.display).toMatchObject({ kind: "diff", path: "a.txt", isNew: false, added: 1, removed: 1 });
  });

  test("the answer shows what changed with the lines around, and what was corrected", async () => {
    await using project = await tempProject({
      "a.txt": Array.from({ length: 40 }, (_, index) => `${index % 20 === 0 ? "x" : index}\r\n`).join(""),
    });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const text = await tools.edit({ file_path: "a.txt", old_string: "x", new_string: "y\nz", replace_all: "true" });
    expect(text.split("\n")).toEqual([
      "Edited a.txt (2 replacements). Corrected: line ends: the file's CRLF was kept.",
      "     1\ty",
      "     2\tz",
      "     3\t1",
      "     4\t2",
      "     5\t3",
      "…",
      "    19\t17",
      "    20\t18",
      "    21\t19",
      "    22\ty",
      "    23\tz",
      "    24\t21",
      "    25\t22",
      "    26\t23",
    ]);
  });

  test("the answer shows every changed line up to 60, then how many more there are", async () => {
    await using project = await tempProject({
      "a.txt": Array.from({ length: 400 }, (_, index) => `${index % 10 === 0 ? "x" : index}\n`).join(""),
      "b.txt": "x\n".repeat(100),
    });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    await tools.read("b.txt");
    const change = { old_string: "x", new_string: "y", replace_all: true };
    const spread = (await tools.edit({ file_path: "a.txt", ...change })).split("\n").slice(1);
    expect(spread.filter((line) => line.endsWith("\ty"))).toHaveLength(40);
    expect(spread.filter((line) => line !== "…")).toHaveLength(40);
    const many = (await tools.edit({ file_path: "b.txt", ...change })).split("\n").slice(1);
    expect([many.length, many.at(-1)]).toEqual([61, "… 40 more lines changed"]);
  });

  test("the answer shows a long line around its change", async () => {
    const line = `${"word ".repeat(4_000)}needle ${"word ".repeat(2_000)}`;
    await using project = await tempProject({ "a.txt": `first\n${line}\n` });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const answer = await tools.edit({ file_path: "a.txt", old_string: "needle", new_string: "pin" });
    expect(answer).toMatch(/\n {5}2\t….*word pin word.*… \[cut: [\d,]+ characters before, [\d,]+ after\]/);
    expect(answer.length).toBeLessThan(1_000);
  });

  test("several changes are made all or none", async () => {
    await using project = await tempProject({ "a.txt": "one\ntwo\nthree\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ];
    expect(await tools.edit({ file_path: "a.txt", edits: JSON.stringify(edits) })).toBe(
      "Edited a.txt (2 replacements).\n     1\t1\n     2\ttwo\n     3\t3",
    );
    const bad = [
      { old_string: "two", new_string: "2" },
      { old_string: "nope", new_string: "3" },
    ];
    expect(await failure(tools.edit({ file_path: "a.txt", edits: bad }))).toStartWith("Edit 2 of 2 failed");
    expect(await project.read("a.txt")).toBe("1\ntwo\n3\n");
  });

  test.each([
    [{}, "Nothing to change: give old_string and new_string, or edits with at least one."],
    [{ edits: [] }, "Nothing to change"],
    [{ old_string: "a" }, "new_string is missing."],
    [{ new_string: "a" }, "old_string is missing."],
    [{ old_string: "a", new_string: "b", edits: [{ old_string: "a", new_string: "b" }] }, "not both"],
  ])("the input %j is explained", async (input, message) => {
    await using project = await tempProject({ "a.txt": "a" });
    expect(await failure(fileTools(project.dir).prepare.edit({ file_path: "a.txt", ...input }))).toContain(message);
  });

  test("empty fields beside edits mean nothing", async () => {
    await using project = await tempProject({ "a.txt": "a\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    await tools.edit({ path: "a.txt", oldString: "", newString: "", edits: [{ old_string: "a", new_string: "b" }] });
    expect(await project.read("a.txt")).toBe("b\n");
  });
});

describe("before and after", () => {
  test("a file must have been read and be unchanged, at the question and at the write", async () => {
    await using project = await tempProject({ "a.txt": "one\n" });
    const tools = fileTools(project.dir);
    const change = { file_path: "a.txt", old_string: "one", new_string: "two" };
    expect(await failure(tools.prepare.edit(change))).toContain("was not read in this conversation");
    await tools.read("a.txt");
    const call = await tools.prepare.edit(change);
    writeFileSync(project.path("a.txt"), "one!\n");
    expect(await failure(runCall(call))).toContain("was changed since Quoll last saw it");
    expect(await project.read("a.txt")).toBe("one!\n");
  });

  test("two calls prepared together are made one on the other", async () => {
    await using project = await tempProject({ "a.txt": "one\ntwo\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const first = await tools.prepare.edit({ file_path: "a.txt", old_string: "one", new_string: "1" });
    const second = await tools.prepare.edit({ file_path: "a.txt", old_string: "two", new_string: "2" });
    await runCall(first);
    await runCall(second);
    expect(await project.read("a.txt")).toBe("1\n2\n");
  });

  test("an empty old_string creates a missing file and fills an empty one", async () => {
    await using project = await tempProject({ empty: "", full: "x" });
    const tools = fileTools(project.dir);
    expect(await tools.edit({ file_path: "new/a.txt", old_string: "", new_string: "hi\n" })).toBe(
      "Created new/a.txt.\n     1\thi",
    );
    expect(await tools.edit({ file_path: "empty", old_string: "", new_string: "hi\n" })).toBe(
      "Edited empty (1 replacement).\n     1\thi",
    );
    await tools.read("full");
    expect(await failure(tools.edit({ file_path: "full", old_string: "", new_string: "hi" }))).toContain(
      "full has text",
    );
    expect(await failure(tools.edit({ file_path: "none", old_string: "a", new_string: "hi" }))).toBe(
      "none does not exist. Check the path with Glob; to create it use Write, or an empty old_string.",
    );
  });

  test("a folder and a binary file are refused", async () => {
    await using project = await tempProject({ "src/a": "", bin: Buffer.from([1, 2, 3, 0]) });
    const tools = fileTools(project.dir);
    expect(await failure(tools.edit({ file_path: "src", old_string: "a", new_string: "b" }))).toBe(
      "src is a folder. Give the path of a file.",
    );
    tools.tracker.noteRead(
      project.path("bin"),
      { modifiedMs: statSync(project.path("bin")).mtimeMs, size: 4, hash: undefined },
      { range: "1:1", toolUseId: "t" },
    );
    expect(await failure(tools.edit({ file_path: "bin", old_string: "a", new_string: "b" }))).toContain(
      "bin is binary",
    );
  });

  test("mode and link are kept", async () => {
    await using project = await tempProject({ "run.sh": "one\n" });
    chmodSync(project.path("run.sh"), 0o755);
    symlinkSync("run.sh", project.path("link"));
    const tools = fileTools(project.dir);
    await tools.read("link");
    expect(await tools.edit({ file_path: "link", old_string: "one", new_string: "two" })).toContain("Edited run.sh");
    expect([lstatSync(project.path("link")).isSymbolicLink(), statSync(project.path("run.sh")).mode & 0o777]).toEqual([
      true,
      0o755,
    ]);
    expect(await project.read("run.sh")).toBe("two\n");
  });

  test("a link put in the file's place is not followed", async () => {
    await using project = await tempProject({ "a.txt": "one\n", secret: "one\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const call = await tools.prepare.edit({ file_path: "a.txt", old_string: "one", new_string: "two" });
    unlinkSync(project.path("a.txt"));
    symlinkSync(project.path("secret"), project.path("a.txt"));
    expect(await failure(runCall(call))).toContain("changed while it was judged");
    expect(await project.read("secret")).toBe("one\n");
  });
});

describe("encodings", () => {
  const all: readonly Encoding[] = [
    { name: "utf-8", bom: false },
    { name: "utf-8", bom: true },
    { name: "utf-16le", bom: true },
    { name: "utf-16be", bom: true },
  ];
  test("bytes beside the change stay what they were, in every encoding and with every line end", async () => {
    await using project = await tempProject({});
    const random = seeded(99);
    const tools = fileTools(project.dir);
    for (let round = 0; round < 60; round += 1) {
      const encoding = random.pick(all);
      const ends = random.pick(["\n", "\r\n"]);
      const signs = ["a", "é", "😀", "\t", " ", "“", "\u2028"];
      const line = () => Array.from({ length: random.below(20) }, () => random.pick(signs)).join("");
      const lines = (count: number) => Array.from({ length: count }, line);
      const before = lines(5).concat("é").join(ends) + ends;
      const after = ends + lines(5).join(ends) + random.pick(["", ends]);
      writeFileSync(project.path("f"), encode(`${before}MARK${after}`, encoding));
      await tools.read("f");
      await tools.edit({ file_path: "f", old_string: "MARK", new_string: "one\ntwo é" });
      expect(readFileSync(project.path("f")).equals(encode(`${before}one${ends}two é${after}`, encoding))).toBe(true);
    }
  });

  test("stray bytes that old_string has as Read shows them are explained", async () => {
    const bytes = Buffer.concat([Buffer.from("größe größe größe "), Buffer.from([0xdc]), Buffer.from(" end\n")]);
    await using project = await tempProject({ "a.txt": bytes });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const change = (old_string: string, new_string: string) => ({ file_path: "a.txt", old_string, new_string });
    const said = await failure(tools.prepare.edit(change("größe � end", "x")));
    expect(said).toContain("leave the � out of old_string");
    expect(said.isWellFormed()).toBe(true);
    expect(said).not.toContain("\\udc");
    expect(await failure(tools.prepare.edit(change("größe ende", "x")))).not.toContain("\\udc");
    expect((await tools.edit(change("end", "END"))).isWellFormed()).toBe(true);
  });

  test("stray bytes in UTF-8 are written back", async () => {
    const bytes = Buffer.concat([Buffer.from("größe "), Buffer.from([0xff, 0xc3]), Buffer.from("\nend\n")]);
    await using project = await tempProject({ "a.txt": bytes });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    await tools.edit({ file_path: "a.txt", old_string: "end", new_string: "END größe" });
    expect(readFileSync(project.path("a.txt"))).toEqual(
      Buffer.concat([bytes.subarray(0, -4), Buffer.from("END größe\n")]),
    );
  });
});
