import { describe, expect, test } from "bun:test";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { LinesRead } from "../../../src/contracts/files.ts";
import { contentHash } from "../../../src/platform/digest.ts";
import { readStamp } from "../../../src/platform/files/file-stamp.ts";
import { listFolder } from "../../../src/platform/files/list-folder.ts";
import { loadFile } from "../../../src/platform/files/load-file.ts";
import { readLines } from "../../../src/platform/files/read-lines.ts";
import { resolvePath } from "../../../src/platform/files/resolve-path.ts";
import { walkFiles } from "../../../src/platform/files/walk-files.ts";
import { writeFile } from "../../../src/platform/files/write-file.ts";
import { failure, seeded } from "../../services/tools/call-tool.ts";
import { tempProject } from "../../support/temp-project.ts";

const { signal } = new AbortController();
const everything = { firstLine: 1, maxLines: 1e9, maxLineChars: 1e6, maxChars: 1e9 };

describe("resolvePath", () => {
  test("links are followed to the end, in the middle and where the file is missing", async () => {
    await using project = await tempProject({ "real/a": "" });
    symlinkSync("real", project.path("dir"));
    symlinkSync("dir/new", project.path("dangling"));
    symlinkSync("dangling", project.path("twice"));
    const base = { cwd: project.dir, home: "/home/x" };
    const of = async (text: string) => (await resolvePath(text, base)).path;
    expect(await of("dir/a")).toBe(project.path("real/a"));
    expect(await of("dir/b/c")).toBe(project.path("real/b/c"));
    expect(await of("dangling")).toBe(project.path("real/new"));
    expect(await of("twice")).toBe(project.path("real/new"));
    expect(await of("twice/deeper")).toBe(project.path("real/new/deeper"));
    expect(await of("~")).toBe("/home/x");
    expect(await of("~/a")).toBe("/home/x/a");
    expect(await of("~b")).toBe(project.path("~b"));
    expect(await of("/")).toBe("/");
    expect((await resolvePath("dir/../x", base)).given).toBe(project.path("x"));
  });

  test("a circle of dangling links and a very long name end in one line", async () => {
    await using project = await tempProject({});
    symlinkSync("b/x", project.path("a"));
    symlinkSync("a/x", project.path("b"));
    const base = { cwd: project.dir, home: "/" };
    expect(await failure(resolvePath("a", base))).toMatch(/circle/);
    expect(await failure(resolvePath("n".repeat(300), base))).toContain("too long");
  });
});

describe("readLines", () => {
  test("agrees with a plain split for random texts, windows and line ends", async () => {
    await using project = await tempProject({});
    const random = seeded(3);
    for (let round = 0; round < 150; round += 1) {
      const text = Array.from({ length: random.below(60) }, () =>
        random.pick(["a", "é", "😀", "\n", "\n", "\r\n", "bc", " "]),
      ).join("");
      writeFileSync(project.path("f"), text);
      const all = text.split("\n");
      if (all.at(-1) === "") all.pop();
      const firstLine = 1 + random.below(8);
      const maxLines = 1 + random.below(8);
      const read = (await readLines(project.path("f"), { ...everything, firstLine, maxLines }, signal)) as LinesRead;
      const wanted = all.slice(firstLine - 1, firstLine - 1 + maxLines);
      // A `\r` belongs to a line end; at the end of the file it stands alone but is read so too.
      expect(read.lines).toEqual(
        wanted.map((line, index) => ({ number: firstLine + index, text: line.replace(/\r$/, ""), cutBytes: 0 })),
      );
      expect(read.lineCount).toBe(all.length);
      expect(read.stoppedBy).toBe(firstLine - 1 + maxLines < all.length ? "lines" : "end");
      expect(read.hash).toBe(contentHash(Buffer.from(text)));
      expect(read.endsWithNewline).toBe(text.endsWith("\n"));
    }
  });

  test("lines that lie over the edges of pieces are whole", async () => {
    await using project = await tempProject({});
    const lines = Array.from({ length: 3_000 }, (_, index) => `${"é".repeat(index % 700)}${index}`);
    writeFileSync(project.path("f"), lines.join("\n"));
    const read = (await readLines(project.path("f"), everything, signal)) as LinesRead;
    expect(read.lines.map(({ text }) => text)).toEqual(lines);
  });

  test("a large file is neither counted nor hashed, a small one is", async () => {
    await using project = await tempProject({ f: "a\n".repeat(50_000) });
    truncateSync(project.path("f"), 64 * 1024 * 1024);
    const read = (await readLines(project.path("f"), { ...everything, maxLines: 2 }, signal)) as LinesRead;
    expect([read.lineCount, read.hash, read.size]).toEqual([undefined, undefined, 64 * 1024 * 1024]);
  });
});

describe("writeFile", () => {
  test("the expected state is all that may be replaced", async () => {
    await using project = await tempProject({ f: "one" });
    const path = project.path("f");
    const bytes = Buffer.from("two");
    expect(await failure(writeFile({ path, bytes, expected: undefined, signal }))).toBe(
      `${path} was created by another program just now. Nothing was written; read it again.`,
    );
    const expected = await readStamp(path);
    writeFileSync(path, "1");
    expect(await failure(writeFile({ path, bytes, expected, signal }))).toBe(
      `${path} was changed or removed by another program just now. Nothing was written; read it again.`,
    );
    const stamp = await writeFile({ path, bytes, expected: await readStamp(path), signal });
    expect(stamp).toEqual((await readStamp(path))!);
    expect([await project.read("f"), readdirSync(project.dir)]).toEqual(["two", ["f"]]);
  });

  test("keeps the old content for open descriptors and other names of the file", async () => {
    await using project = await tempProject({ f: "one" });
    linkSync(project.path("f"), project.path("other"));
    await writeFile({
      path: project.path("f"),
      bytes: Buffer.from("two"),
      expected: await readStamp(project.path("f")),
      signal,
    });
    expect([await project.read("f"), await project.read("other")]).toEqual(["two", "one"]);
  });

  test("removes temporary files that a killed write left in the folder, and nothing else", async () => {
    await using project = await tempProject();
    const [old, fresh, other] = [".quoll-0123456789abcdef.tmp", ".quoll-fedcba9876543210.tmp", ".quoll-notes.tmp"];
    for (const name of [old, fresh, other]) await project.write(name, "x");
    for (const name of [old, other]) utimesSync(project.path(name), 1, 1);
    await writeFile({ path: project.path("a"), bytes: Buffer.from("y"), expected: undefined, signal });
    expect(readdirSync(project.dir).sort()).toEqual([fresh, other, "a"].sort());
  });

  test("makes a temporary file of a private file readable for its owner alone", async () => {
    await using project = await tempProject({ f: "one" });
    const umask = process.umask(0o022);
    try {
      await writeFile({ path: project.path("new"), bytes: Buffer.from("x"), expected: undefined, signal });
      expect(statSync(project.path("new")).mode & 0o777).toBe(0o644);
    } finally {
      process.umask(umask);
    }
  });
});

describe("loadFile", () => {
  test("a file above the limit is refused before it is read", async () => {
    await using project = await tempProject({ f: "" });
    truncateSync(project.path("f"), 1024 ** 3);
    expect(await failure(loadFile(project.path("f"), 64 * 1024 * 1024, signal))).toBe(
      `${project.path("f")} is 1024.0 MiB large; 64.0 MiB is the limit here. Use Bash for such a file.`,
    );
  });

  test("several pieces are put together", async () => {
    const bytes = Buffer.alloc(3 * 1024 * 1024 + 17, "abcdefg");
    await using project = await tempProject({ f: bytes });
    expect((await loadFile(project.path("f"), 1e9, signal)).bytes.equals(bytes)).toBe(true);
  });
});

describe("walkFiles and listFolder", () => {
  test("a skipped folder is not entered, and an abort ends the walk", async () => {
    await using project = await tempProject({ "a/x": "", "b/y": "", "c/z": "" });
    const found: string[] = [];
    for await (const path of walkFiles(project.dir, { signal, skip: (at) => at.endsWith("/b") })) found.push(path);
    expect(found).toEqual(["a/x", "c/z"]);
    const abort = new AbortController();
    const walk = walkFiles(project.dir, { signal: abort.signal });
    await walk.next();
    abort.abort(new Error("Esc"));
    expect(await failure(walk.next())).toBe("Esc");
  });

  test("entries come by name with their kind", async () => {
    await using project = await tempProject({ b: "" });
    mkdirSync(project.path("a"));
    symlinkSync("b", project.path("c"));
    expect(await listFolder(project.dir)).toEqual([
      { name: "a", kind: "folder" },
      { name: "b", kind: "file" },
      { name: "c", kind: "link" },
    ]);
    expect(await failure(listFolder(project.path("none")))).toBe(`${project.path("none")} does not exist.`);
  });
});
