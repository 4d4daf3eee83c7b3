import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { gitShownFiles } from "../../../../src/services/tools/bash/git-shown-files.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { shellParser } from "./bash-session.ts";

const isHidden = (path: string) => /(?:^|\/)\.env$/.test(path);
let project: Awaited<ReturnType<typeof tempProject>>;

function git(...args: readonly string[]): string {
  const { stdout } = Bun.spawnSync(["git", ...args], {
    cwd: project.dir,
    env: { PATH: process.env["PATH"] ?? "", HOME: project.dir, GIT_CONFIG_NOSYSTEM: "1", GIT_PAGER: "cat" },
  });
  return stdout.toString();
}

function commit(message: string): void {
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", message);
}

beforeAll(async () => {
  project = await tempProject({
    ".env": "TOKEN=abc\n",
    "src/.env": "TOKEN=def\n",
    "src/a.ts": "one\n",
    "docs/x": "x\n",
  });
  git("init", "-q");
  commit("first");
  writeFileSync(project.path(".env"), "TOKEN=abc2\n");
  writeFileSync(project.path("src/a.ts"), "two\n");
  commit("second");
  writeFileSync(project.path(".env"), "TOKEN=stashed\n");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "stash");
  mkdirSync(project.path("hid"));
});
afterAll(() => project[Symbol.asyncDispose]());

async function shown(line: string, folder = ""): Promise<readonly string[] | undefined> {
  const parsed = (await shellParser()).parse(line);
  const command = parsed.understood ? parsed.commands[0] : undefined;
  if (!command) throw new Error(`It must parse: ${line}`);
  const cwd = folder === "" ? project.dir : project.path(folder);
  return gitShownFiles({ command, cwd, isHidden })?.map((path) => path.replace(`${project.dir}/`, ""));
}

/** The output of git itself. */
function printed(line: string, folder = ""): string {
  const { stdout } = Bun.spawnSync(["bash", "-c", line], {
    cwd: folder === "" ? project.dir : project.path(folder),
    env: { PATH: process.env["PATH"] ?? "", HOME: project.dir, GIT_CONFIG_NOSYSTEM: "1", GIT_PAGER: "cat" },
  });
  return stdout.toString("latin1");
}

describe("hidden files that git would show are known beforehand", () => {
  test.each([
    ["git grep TOKEN"],
    ["git grep -n TOKEN HEAD"],
    ["git grep -e TOKEN -- .env"],
    ["git grep TOKEN -- '*.env'"],
    ["git grep TOKEN -- ':(top).env'"],
    ["git grep TOKEN src"],
    ["git grep -A 3 TOKEN src"],
    ["git grep -m 1 TOKEN"],
    ["git grep -e TOKEN --and -e abc"],
    ["git -C src grep TOKEN"],
    ["git grep TOKEN -- ':!docs'"],
    ["git log -p"],
    ["git log -u -1"],
    ["git log --oneline --patch"],
    ["git log --unified=1"],
    ["git log -U1 -- .env"],
    ["git log -L1,1:.env"],
    ["git log -L 1,1:.env"],
    ["git log -c -p"],
    ["git log -p -- ':/.env'"],
    ["git show HEAD"],
    ["git show"],
    ["git show HEAD~1"],
    ["git show HEAD -- '.e*'"],
    ["git show --stat -p"],
    ["git show HEAD:.env"],
    ["git show :.env"],
    ["git show :0:.env"],
    ["git show HEAD:./.env"],
    ["git show HEAD:src/.env"],
    ["git diff HEAD~1"],
    ["git diff HEAD~1 HEAD"],
    ["git diff HEAD~1..HEAD -- . ':!src'"],
    ["git diff HEAD~1:.env HEAD:.env"],
    ["git diff --word-diff HEAD~1"],
    ["git stash show -p"],
    ["git stash show --patch stash@{0}"],
    ["git diff-tree -p HEAD"],
    ["git diff-tree --cc -p HEAD~1 HEAD"],
    ["git diff-index -p HEAD~1"],
    ["git cat-file -p HEAD:.env"],
    ["git cat-file -p $(git rev-parse HEAD:.env)"],
    ["git cat-file blob $(git rev-parse HEAD:.env)"],
    ["git cat-file --batch-all-objects --batch"],
    ["git blame .env"],
    ["git blame -- .env"],
    ["git archive HEAD"],
    ["git archive HEAD .env"],
    ["git format-patch --stdout HEAD~1"],
    ["git fast-export HEAD"],
    ["git whatchanged -p"],
    ["git reflog -p"],
  ])("%s", async (line) => {
    const plain = line.replace(/\$\((.*)\)/, (_, inner: string) => printed(inner).trim());
    const text = printed(plain);
    // The example is valid: git does show the file.
    expect([line, /TOKEN=/.test(text)]).toEqual([line, true]);
    const paths = await shown(plain);
    const named = paths === undefined || paths.includes(".env") || paths.includes("src/.env");
    // An operand is a read of its own already.
    expect([line, named || /blame/.test(line)]).toEqual([line, true]);
  });

  test.each([
    ["git status"],
    ["git log"],
    ["git log --oneline -5"],
    ["git log --stat -2"],
    ["git log -p -- src/a.ts docs"],
    ["git log -L1,1:src/a.ts"],
    ["git show --stat"],
    ["git show HEAD --name-only"],
    ["git show HEAD -- src/a.ts"],
    ["git show HEAD:src/a.ts"],
    ["git diff"],
    ["git diff --stat HEAD~1"],
    ["git diff HEAD~1 -- src/a.ts"],
    ["git diff HEAD~1 src/a.ts"],
    ["git diff HEAD~1 -- . ':!.env' ':!src/.env'"],
    ["git diff HEAD~1 -- . ':(exclude)*.env'"],
    ["git diff --cached -- docs"],
    ["git grep one -- src/a.ts"],
    ["git grep -n one docs"],
    ["git stash show"],
    ["git stash list"],
    ["git cat-file -t HEAD:.env"],
    ["git cat-file -p HEAD"],
    ["git diff-tree --name-only -r HEAD"],
    ["git archive HEAD docs"],
    ["git branch -a"],
    ["ls -la"],
  ])("%s shows none", async (line) => {
    expect(printed(line)).not.toContain("TOKEN=");
    expect([line, (await shown(line))?.filter((path) => !line.includes(path))]).toEqual([line, []]);
  });

  test("a pattern that is called like a folder narrows nothing down", async () => {
    expect(await shown("git grep src")).toEqual([".env", "src/.env"]);
    expect(await shown("git log -p --author src")).toEqual([".env", "src/.env"]);
    expect(await shown("git grep -m 1 src")).toEqual([".env", "src/.env"]);
  });

  test("a path behind a revision counts from the top", async () => {
    expect(await shown("git show HEAD:.env", "src")).toContain(".env");
    expect(await shown("git show HEAD:./.env", "src")).toEqual(["src/.env"]);
    expect(await shown("git diff HEAD~1 -- .", "docs")).toEqual([]);
    expect(await shown("git diff HEAD~1 -- .env", "docs")).toEqual([]);
    expect(await shown("git diff HEAD~1 -- ../.env", "docs")).toEqual([".env"]);
  });

  test("a plain diff shows a changed file; for an object that the index doesn't contain, the files are unknown", async () => {
    writeFileSync(project.path("src/.env"), "TOKEN=changed\n");
    expect(await shown("git diff")).toEqual(["src/.env"]);
    git("checkout", "--", "src/.env");
    expect(await shown(`git cat-file -p ${git("rev-parse", "HEAD~1:.env").trim()}`)).toBeUndefined();
    expect(await shown("git grep --untracked x")).toBeUndefined();
  });
});
