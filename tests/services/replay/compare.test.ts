import { describe, expect, test } from "bun:test";
import { compareResults } from "../../../src/services/replay/compare.ts";

const of = (content: string, isError = false) => ({ content, isError });

describe("values that differ from run to run do not count, and are named", () => {
  test.each([
    ["durations", "ok in 1.23 s\nreal\t0m0.005s (12ms)", "ok in 4 s\nreal\t1m2.5s (7 ms)"],
    ["durations", "[exit code 1 after 1.2 s]", "[exit code 1 after 34 s]"],
    ["times", "at 2026-01-02T03:04:05.678Z", "at 2027-11-12T13:14:15Z"],
    ["times", "-rw-r--r-- 1 a a 3 Nov 21 13:44 a.txt", "-rw-r--r-- 1 a a 3 Jan  1 00:01 a.txt"],
    ["times", "Date:   Sat Nov 21 13:44:17 2026 +0000", "Date:   Sun Nov 22 03:04:07 2026 +0100"],
    ["times", "12:00:01 up", "23:59:59 up"],
    ["process ids", "pid 123, process: 44", "pid 9999, process: 5"],
    ["process ids", "[1] 4711", "[1] 12"],
    ["temporary paths", "made /tmp/tmp.abc123/x", "made /tmp/tmp.zzz/y"],
    ["temporary paths", "in /var/folders/ab/cdef/T/x1", "in /var/folders/ab/cdef/T/x2"],
    ["names of kept results", "in ~{session}/bash-0a1b2c3d.log", "in ~{session}/bash-ffffffff.log"],
    ["names of kept results", "in ~{session}/result-toolu_1.txt", "in ~{session}/result-replay-3.txt"],
    ["ids", "id 11111111-2222-4333-8444-555555555555", "id 99999999-2222-4333-8444-555555555555"],
    ["ids of commits", "[main (root-commit) 0a1b2c3] First", "[main (root-commit) ffff000] First"],
    [
      "ids of commits",
      "commit 0123456789abcdef0123456789abcdef01234567",
      "commit ffff456789abcdef0123456789abcdef01234567",
    ],
    ["ways back", "x\n[Kept: 3 files. Undo: sh /a/restore.sh]", "x"],
    ["ways back", "x\n[Kept b.txt. Undo: sh /a/restore.sh]", "x"],
    ["ways back", "x\n[Backed up b.txt. Undo: sh /a/restore.sh]", "x"],
    [
      "ways back",
      "x\n[Kept a.txt, b c and 4 more; the deletion of d. Undo: git -C /a restore --source=refs/y -- a]",
      "x",
    ],
    [
      "ways back",
      "x\n[Kept src (2 files). Undo: sh /a/restore.sh]\n[Kept stash@{0}. Undo: git -C /a stash store refs/y]",
      "x",
    ],
    ["ways back", "x\n[Kept. Undo: git -C /a restore --source=refs/y -- a]", "x"],
    ["ways back", "x\n[Kept (deletes a): refs/y. To bring back:]\ngit restore a", "x"],
    [
      "ways back",
      "x\n[Copies kept before a command that deletes a: 1 reference. To list them:\ngit a\ngit b]\ny",
      "x\ny",
    ],
  ])("%s: %j", (name, recorded, now) => {
    expect(compareResults(of(recorded), of(now))).toEqual({ isSame: true, without: [name] });
  });
});

describe("differences that count", () => {
  test.each([
    ["a number", "3 files", "4 files"],
    ["a version", "v1.2.3", "v1.2.4"],
    ["a size", "5 MB", "6 MB"],
    ["a line number", "a.ts:12: x", "a.ts:13: x"],
    ["a path of the project", "~{project}/tmp/a", "~{project}/tmp/b"],
    ["a blob of git", "index 0a1b2c3..4d5e6f7", "index 0a1b2c3..4d5e6f8"],
    ["a name like a unit", "s3 bucket", "s4 bucket"],
    ["white space", "a  b", "a b"],
    ["a day without a time", "due 2026-01-02", "due 2026-01-03"],
  ])("%s", (_, recorded, now) => {
    expect(compareResults(of(recorded), of(now)).isSame).toBe(false);
  });

  test("whether it was an error", () => {
    const compared = compareResults(of("x"), of("x", true));
    expect(compared).toEqual({ isSame: false, diff: ["@@ -1,1 +1,2 @@", "+(an error)", " x"], without: [] });
  });

  test("a picture, by what is in it", () => {
    const picture = (data: string) => ({
      content: [{ type: "image" as const, mediaType: "image/png" as const, data }],
      isError: false,
    });
    expect(compareResults(picture("AAAA"), picture("AAAA")).isSame).toBe(true);
    expect(compareResults(picture("AAAA"), picture("AAAB")).isSame).toBe(false);
  });
});

test("a diff leaves out what is volatile, and is short however much differs", () => {
  const compared = compareResults(of("same\nold in 2 s\n"), of("same\nnew in 3 s\n"));
  expect(compared).toMatchObject({ isSame: false, without: ["durations"] });
  if (compared.isSame) throw new Error("unreachable");
  expect(compared.diff).toContain("-old in <duration>");
  const long = (word: string) =>
    Array.from({ length: 100 }, (_, at) => `${word} ${at} ${"x".repeat(1_000)}`).join("\n");
  const much = compareResults(of(long("a")), of(long("b")));
  if (much.isSame) throw new Error("unreachable");
  expect({ lines: much.diff.length, isCut: much.diff.every((line) => line.length <= 301) }).toEqual({
    lines: 41,
    isCut: true,
  });
  const huge = compareResults(of("a\n".repeat(300_000)), of("b\n".repeat(300_000)));
  expect(huge).toMatchObject({ diff: ["(the results are too long for a diff)"] });
});

test("only searches may come in another order", () => {
  const [one, two] = [of("a.ts\nb.ts"), of("b.ts\na.ts")];
  expect(compareResults(one, two).isSame).toBe(false);
  expect(compareResults(one, two, { anyOrder: true })).toEqual({ isSame: true, without: ["order of files"] });
  expect(compareResults(one, of("b.ts\nc.ts"), { anyOrder: true }).isSame).toBe(false);
});
