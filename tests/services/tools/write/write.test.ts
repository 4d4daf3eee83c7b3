import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tempProject } from "../../../support/temp-project.ts";
import { failure, fileTools, runCall, seeded } from "../call-tool.ts";

describe("a new file", () => {
  test("is made with its folders, and asked for as a write", async () => {
    await using project = await tempProject({});
    const tools = fileTools(project.dir);
    const call = await tools.prepare.write({ file_path: "a/b/c.txt", content: "one\ntwo\n" });
    expect({
      level: call.level,
      safe: call.concurrencySafe,
      subjects: call.subjects,
      title: call.title,
      preview: call.preview,
    }).toEqual({
      level: "write",
      safe: false,
      subjects: [{ action: "write", path: project.path("a/b/c.txt") }],
      title: "a/b/c.txt",
      preview: {
        kind: "diff",
        path: "a/b/c.txt",
        isNew: true,
        hunks: [
          {
            oldStart: 1,
            newStart: 1,
            lines: [
              { kind: "added", text: "one" },
              { kind: "added", text: "two" },
            ],
          },
        ],
      },
    });
    expect(readdirSync(project.dir)).toEqual([]);
    expect((await runCall(call)).content).toBe("Created a/b/c.txt (2 lines, 8 bytes).");
    expect(await project.read("a/b/c.txt")).toBe("one\ntwo\n");
    expect(readdirSync(project.path("a/b"))).toEqual(["c.txt"]);
  });

  test.each([
    ["", "Created x (0 lines, 0 bytes)."],
    ["a", "Created x (1 line, 1 byte)."],
    ["a\r\nb", "Created x (2 lines, 4 bytes)."],
    ["#!/bin/sh\r\n\u2028\ufeffé😀\n", undefined],
  ])("%j is written byte for byte", async (content, answer) => {
    await using project = await tempProject({});
    const said = await fileTools(project.dir).write("x", content);
    if (answer) expect(said).toBe(answer);
    expect(readFileSync(project.path("x"))).toEqual(Buffer.from(content));
  });

  test("can be edited at once, since the model knows it", async () => {
    await using project = await tempProject({});
    const tools = fileTools(project.dir);
    await tools.write("x", "one\n");
    await tools.edit({ file_path: "x", old_string: "one", new_string: "two" });
    expect(await project.read("x")).toBe("two\n");
    await tools.write("x", "three\n");
    expect(await project.read("x")).toBe("three\n");
  });

  test("random text comes out as it was sent", async () => {
    await using project = await tempProject({});
    const random = seeded(7);
    const tools = fileTools(project.dir);
    for (let round = 0; round < 50; round += 1) {
      const content = Array.from({ length: random.below(300) }, () =>
        random.pick(["a", "\n", "\r", "\r\n", "\0", "é", "😀", "\t", " ", "\ufeff"]),
      ).join("");
      await tools.write("x", content);
      expect(readFileSync(project.path("x"))).toEqual(Buffer.from(content));
    }
  });
});

describe("an existing file", () => {
  test("must have been read, whole or in part", async () => {
    await using project = await tempProject({ "a.txt": "one\ntwo\n" });
    const tools = fileTools(project.dir);
    expect(await failure(tools.prepare.write({ file_path: "a.txt", content: "x" }))).toBe(
      "a.txt exists but was not read in this conversation.\nNext: Read it first, then change it.",
    );
    await tools.read({ file_path: "a.txt", offset: 2 });
    expect(await tools.write("a.txt", "x\n")).toBe("Replaced a.txt (1 line, 2 bytes).");
  });

  test("an empty one needs no reading", async () => {
    await using project = await tempProject({ empty: "" });
    expect(await fileTools(project.dir).write("empty", "x")).toBe("Replaced empty (1 line, 1 byte).");
  });

  test("must be as it was read, before the question and after it", async () => {
    await using project = await tempProject({ "a.txt": "one\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const call = await tools.prepare.write({ file_path: "a.txt", content: "x" });
    writeFileSync(project.path("a.txt"), "two\n");
    const changed =
      "a.txt was changed since Quoll last saw it: by a person or a program, perhaps by a command of this conversation.\nNext: Read it again first.";
    expect(await failure(runCall(call))).toBe(changed);
    expect(await failure(tools.prepare.write({ file_path: "a.txt", content: "x" }))).toBe(changed);
    expect(await project.read("a.txt")).toBe("two\n");
  });

  test("a touched time is no change", async () => {
    await using project = await tempProject({ "a.txt": "one\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    utimesSync(project.path("a.txt"), 5, 5);
    expect(await tools.write("a.txt", "x")).toContain("Replaced");
  });

  test("shows the person the changes", async () => {
    await using project = await tempProject({ "a.txt": "0\n1\n2\n3\n4\n5\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const { display } = await tools.result("write", { file_path: "a.txt", content: "0\n1\n2\n3\nfour\n5\n" });
    expect(display).toEqual({
      kind: "diff",
      path: "a.txt",
      isNew: false,
      added: 1,
      removed: 1,
      hunks: [
        {
          oldStart: 2,
          newStart: 2,
          lines: [
            { kind: "same", text: "1" },
            { kind: "same", text: "2" },
            { kind: "same", text: "3" },
            { kind: "removed", text: "4" },
            { kind: "added", text: "four" },
            { kind: "same", text: "5" },
          ],
        },
      ],
    });
  });

  test("its mode is kept", async () => {
    await using project = await tempProject({ "run.sh": "one\n" });
    for (const mode of [0o755, 0o600, 0o664]) {
      chmodSync(project.path("run.sh"), mode);
      const tools = fileTools(project.dir);
      await tools.read("run.sh");
      await tools.write("run.sh", `${mode}\n`);
      expect(statSync(project.path("run.sh")).mode & 0o7777).toBe(mode);
    }
  });

  test("a read-only one is left alone, by root too", async () => {
    await using project = await tempProject({ "a.txt": "one\n" });
    chmodSync(project.path("a.txt"), 0o444);
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    expect(await failure(tools.write("a.txt", "x"))).toBe(
      `${project.path("a.txt")} is read-only (mode 444). If it is meant to be changed, make it writable first.`,
    );
  });

  test("another encoding is not kept, and the result says so", async () => {
    await using project = await tempProject({ "a.txt": Buffer.from("\ufeffhi\n", "utf16le") });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    expect(await tools.write("a.txt", "ho\n")).toBe(
      "Replaced a.txt (1 line, 3 bytes). It was UTF-16 LE and is plain UTF-8 now.",
    );
  });
});

describe("links", () => {
  test("a linked file stays a link, and its target is written", async () => {
    await using project = await tempProject({ "real/a.txt": "one\n" });
    symlinkSync("real/a.txt", project.path("link"));
    const tools = fileTools(project.dir);
    await tools.read("link");
    const call = await tools.prepare.write({ file_path: "link", content: "two\n" });
    expect(call.subjects).toEqual([{ action: "write", path: project.path("real/a.txt"), given: project.path("link") }]);
    await runCall(call);
    expect([readlinkSync(project.path("link")), await project.read("real/a.txt")]).toEqual(["real/a.txt", "two\n"]);
  });

  test("a dangling link is judged and written as its target", async () => {
    await using project = await tempProject({ "real/x": "" });
    symlinkSync("../real/new.txt", project.path("real/link"));
    const tools = fileTools(project.dir);
    const call = await tools.prepare.write({ file_path: "real/link", content: "x" });
    expect(call.subjects).toEqual([
      { action: "write", path: project.path("real/new.txt"), given: project.path("real/link") },
    ]);
    await runCall(call);
    expect([lstatSync(project.path("real/link")).isSymbolicLink(), await project.read("real/new.txt")]).toEqual([
      true,
      "x",
    ]);
  });

  test("a link put in the place of the file, of its folder or of a new file is not followed", async () => {
    await using project = await tempProject({
      "a.txt": "one\n",
      "in/b.txt": "one\n",
      "out/b.txt": "theirs\n",
      secret: "theirs\n",
    });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    await tools.read("in/b.txt");
    const content = "mine\n";
    const [file, inFolder, fresh] = await Promise.all(
      ["a.txt", "in/b.txt", "new.txt"].map((file_path) => tools.prepare.write({ file_path, content })),
    );
    unlinkSync(project.path("a.txt"));
    symlinkSync(project.path("secret"), project.path("a.txt"));
    renameSync(project.path("in"), project.path("gone"));
    symlinkSync(project.path("out"), project.path("in"));
    symlinkSync(project.path("secret"), project.path("new.txt"));
    expect(await failure(runCall(file!))).toContain("changed while it was judged");
    expect(await failure(runCall(inFolder!))).toContain("changed while it was judged");
    expect(await failure(runCall(fresh!))).toContain("was not read");
    expect([await project.read("secret"), await project.read("out/b.txt")]).toEqual(["theirs\n", "theirs\n"]);
  });

  test("a link put in the place of a new file's folder is not followed, and nothing is left behind", async () => {
    await using project = await tempProject({ "out/x": "" });
    mkdirSync(project.path("in"));
    const call = await fileTools(project.dir).prepare.write({ file_path: "in/new.txt", content: "x" });
    rmSync(project.path("in"), { recursive: true });
    symlinkSync(project.path("out"), project.path("in"));
    expect(await failure(runCall(call))).toBe(
      `${project.path("in")} changed while it was judged: nothing was read or written; call again.`,
    );
    expect(readdirSync(project.path("out"))).toEqual(["x"]);
  });
});

describe("files that can't be written", () => {
  test("a folder, a path under a file, a device and too much content get one line before any question", async () => {
    await using project = await tempProject({ "src/a.ts": "" });
    const { prepare } = fileTools(project.dir);
    const refuse = (file_path: string, content = "x") => failure(prepare.write({ file_path, content }));
    expect(await refuse("src")).toBe("src is a folder. Give the path of a file.");
    expect(await refuse("none/")).toBe("none/ names a folder. Give the path of a file.");
    expect(await refuse("src/a.ts/b")).toBe(
      `A part of the path ${project.path("src/a.ts/b")} is a file, not a folder.`,
    );
    expect(await refuse("/dev/null")).toContain("not");
    expect(await refuse("x", "é".repeat(33 * 1024 * 1024))).toBe(
      "The content is 69,206,016 bytes; 64 MiB is the most that Write takes.",
    );
  });

  test("a folder where nothing may be made says so and leaves nothing behind", async () => {
    await using project = await tempProject({});
    // sysfs refuses new files to everyone, root included.
    expect(await failure(fileTools(project.dir).write("/sys/quoll-test", "x"))).toMatch(
      /may not be|read-only file system/,
    );
  });

  test.skipIf(process.getuid?.() === 0)("a read-only folder says so", async () => {
    await using project = await tempProject({ "locked/x": "" });
    chmodSync(project.path("locked"), 0o555);
    try {
      expect(await failure(fileTools(project.dir).write("locked/new", "x"))).toContain("permission denied");
    } finally {
      chmodSync(project.path("locked"), 0o755);
    }
  });

  test("an abort before the write leaves the file as it was", async () => {
    await using project = await tempProject({ "a.txt": "one\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    const abort = new AbortController();
    const call = await tools.prepare.write({ file_path: "a.txt", content: "two" }, abort.signal);
    abort.abort(new Error("Esc"));
    expect(await failure(runCall(call))).toBe("Esc");
    expect([await project.read("a.txt"), readdirSync(project.dir)]).toEqual(["one\n", ["a.txt"]]);
  });
});
