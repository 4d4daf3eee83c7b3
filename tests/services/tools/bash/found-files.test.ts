import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { eachOrDeep } from "../../../support/deep.ts";
import { bashSession } from "./bash-session.ts";

const FILES = {
  "src/a.ts": "x\n",
  "src/b.js": "x\n",
  "src/deep/c.ts": "x\n",
  ".env": "TOKEN=abc\n",
  "docs/x.md": "x\n",
};

async function judged(session: Awaited<ReturnType<typeof bashSession>>, command: string) {
  const { level, subjects } = await session.prepare(command);
  const reads = subjects.flatMap((subject) => (subject.action === "read" ? [subject.path] : []));
  return { isFree: level === "read", reads: reads.map((path) => path.replace(`${session.dir}/`, "")) };
}

describe("files that are found and handed to a program that reads", () => {
  test.each([
    "find src -exec grep -l x {} +",
    "find src -type f -exec grep -l x {} ';'",
    "find . -name '*.ts' -exec wc -l {} +",
    "find . -type f -name '*.ts' -exec head -2 {} + 2>/dev/null",
    "find . -name '*.ts' | xargs grep x",
    "find . -name '*.ts' | xargs grep -l x | wc -l",
    "find src -name '*.ts' -print0 | xargs -0 grep x",
    "find src | xargs -n 1 cat",
    "find src docs -iname '*.MD' -exec cat {} +",
    "find src -name '*.ts' | xargs -I{} head -1 {}",
    "grep -rl x src --include='*.ts' | xargs wc -l",
    "ls src | xargs grep x",
    "find . -name '*.ts' -not -path './docs/*' | xargs wc -l",
    "find . ! -path './docs/*' -name '*.ts' -exec head -1 {} +",
    "echo src/a.ts src/b.js | xargs grep x",
  ])("%s only looks", async (command) => {
    await using session = await bashSession({ files: FILES });
    const { isFree, reads } = await judged(session, command);
    expect([command, isFree, reads.includes(".env")]).toEqual([command, true, false]);
  });

  test.each([
    "find . -exec grep -l x {} +",
    "find . -type f -exec cat {} +",
    "find . -name '.e*' -exec cat {} +",
    "find . -name '*.ts' -o -name .env -exec cat {} +",
    "find . | xargs cat",
    "find . -not -name '*.ts' | xargs cat",
    "find . -name '*.ts' -exec grep -r x {} +",
    "grep -rl x . | xargs cat",
    "ls -a | xargs cat",
    "find . -not -name '*.ts' -type f | xargs cat",
    "find . -name '*.ts' -o -not -name '*.ts' | xargs cat",
    "echo .env | xargs cat",
    "git diff --name-only HEAD~1 | xargs cat",
  ])("%s shows a hidden file, too", async (command) => {
    await using session = await bashSession({ files: FILES });
    const { isFree, reads } = await judged(session, command);
    expect([command, isFree && !reads.includes(".env")]).toEqual([command, false]);
  });

  eachOrDeep(
    "%s is asked for",
    (at) => at % 3 === 0,
    [
      "git diff --name-only HEAD~1 | xargs sort",
      "grep -rl x src | xargs sort",
      "ls | xargs rm",
      "ls .. | xargs cat",
      "cat src/a.ts | xargs cat",
      "echo /etc/hostname | xargs cat",
      "find src | xargs -i cat {}",
      "find src -exec rm {} +",
      "find src -exec sh -c 'cat {}' ';'",
      "find src -exec {} ';'",
      "find src -exec uniq {} +",
      "find src -exec grep x {} + -delete",
      "find src -delete -exec grep x {} +",
      "find src -exec grep x {} + -exec rm {} +",
      "find src -execdir cat {} +",
      "find src -fprint x -exec cat {} +",
      "find -L src -exec cat {} +",
      "find src -exec sort -o {} {} +",
      "find src -exec grep x {} + > out",
      "find src -exec grep x {} + && npm test",
      "cd src && find . -exec grep x {} +",
      "find src | xargs rm",
      "find src | xargs -I{} cat {}",
      "find src | xargs -a list cat",
      "find src -print0 | xargs cat",
      "find src -printf '%f' | xargs cat",
      "find src; xargs cat",
      "find src || xargs cat",
      "find src |& xargs cat",
      "(find src) | xargs cat",
      "find src | cat | xargs cat",
      "echo .env | xargs cat",
      "cat list | xargs cat",
      "A=1 find src | xargs cat",
      "find src | xargs sed -i s/a/b/",
      "find src | xargs awk 'BEGIN{system(\"id\")}'",
      "find .. -exec cat {} +",
      "find src | xargs xargs cat",
    ],
    async (command) => {
      await using session = await bashSession({ files: FILES });
      const { isFree, reads } = await judged(session, command);
      // Outside of the workspace the reads are asked for.
      expect([command, isFree && reads.every((path) => !path.startsWith("/"))]).toEqual([command, false]);
    },
  );

  test("a name that xargs takes apart, or that leads elsewhere, is not handed on unasked", async () => {
    await using session = await bashSession({ files: FILES });
    writeFileSync(session.path("docs/a .env"), "x");
    expect((await judged(session, "find docs | xargs cat")).isFree).toBe(false);
    expect((await judged(session, "find docs -name '*.md' | xargs cat")).isFree).toBe(true);
    expect((await judged(session, "find docs -print0 | xargs -0 cat")).isFree).toBe(true);
    symlinkSync("/etc/hostname", session.path("src/link.ts"));
    symlinkSync(session.path(".env"), session.path("src/key.ts"));
    const { reads } = await judged(session, "find src -name '*.ts' -exec cat {} +");
    expect(reads).toEqual(expect.arrayContaining(["/etc/hostname", ".env"]));
    expect((await judged(session, "find src -name '*.ts' -type f -exec cat {} +")).reads).not.toContain(".env");
  });

  test("names of git's index are read where each is one plain word", async () => {
    await using session = await bashSession({ files: FILES });
    const git = (...args: readonly string[]) =>
      Bun.spawnSync(["git", ...args], {
        cwd: session.dir,
        env: { PATH: process.env["PATH"] ?? "", HOME: session.dir },
      });
    git("init", "-q");
    git("add", "src", "docs");
    expect(await judged(session, "git ls-files | xargs wc -l | tail -1")).toMatchObject({ isFree: true });
    git("add", "-f", ".env");
    expect((await judged(session, "git ls-files | xargs cat")).reads).toContain(".env");
    git("rm", "-q", "--cached", ".env");
    writeFileSync(session.path("-x"), "x");
    git("add", "--", "-x");
    expect(await judged(session, "git ls-files | xargs wc -l")).toMatchObject({ isFree: false });
  });
});
