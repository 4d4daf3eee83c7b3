import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { bashSession } from "../tools/bash/bash-session.ts";
import { commandIn, GIT_ENV, git, guardedPlace, made, runShell, treeOf } from "./guarded-place.ts";

const never = new AbortController().signal;

/** A work tree in the midst of work: committed, changed, staged, untracked, ignored files, a stash, a branch of its own. */
async function inTheMidstOfWork() {
  const session = await bashSession({
    files: {
      ".gitignore": "*.local\nnode_modules/\n",
      "src/a.ts": "a",
      "src/deep/b.ts": "b",
      "docs/c.md": "c",
      "note.local": "ignored",
      "src/keys.local": "ignored too",
    },
  });
  const { dir } = session;
  git(dir, "init", "--quiet", "--initial-branch=main");
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "-m", "first");
  git(dir, "branch", "feature");
  writeFileSync(session.path("docs/c.md"), "stashed");
  git(dir, "stash", "--quiet");
  writeFileSync(session.path("src/a.ts"), "changed");
  writeFileSync(session.path("src/deep/b.ts"), "staged");
  git(dir, "add", "src/deep/b.ts");
  writeFileSync(session.path("src/new.ts"), "untracked");
  symlinkSync("a.ts", session.path("src/link"));
  symlinkSync("src", session.path("lk"));
  mkdirSync(session.path("node_modules"));
  const place = await guardedPlace();
  return {
    ...session,
    guard: async (command: string) => {
      const { subjects } = await session.prepare(command);
      const hazards: readonly Hazard[] = subjects.flatMap((subject) =>
        subject.action === "execute" ? subject.hazards : [],
      );
      return { hazards, wayBack: await place.guard.assess(hazards, never) };
    },
    bash: (command: string) =>
      execFileSync("bash", ["-c", command], { cwd: dir, stdio: "ignore", env: { ...GIT_ENV } }),
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
    },
  };
}

describe("real commands, as they are judged, run and taken back", () => {
  test.each([
    "rm -rf src",
    "rm src/a.ts src/new.ts note.local",
    "rm -rf src/*",
    "cd src && rm -rf deep keys.local",
    "find src -type f -delete",
    "git clean -fdx",
    "git reset --hard",
    "git checkout -- src",
    "git restore --staged --worktree src",
    "git checkout -f main",
    "git rm -rf --quiet src/a.ts",
    "truncate -s 0 src/a.ts",
    "echo x > src/a.ts",
    "cp docs/c.md src/keys.local",
    "cp -f src/a.ts src/link src/deep/b.ts docs",
    "ln -sf /dev/null src/a.ts",
    "cp docs/c.md src/link",
    "tee src/new.ts note.local < docs/c.md",
    "chmod -R 700 src",
    'rm -rf "$PWD/src"',
    "rm -rf src && git reset --hard && git clean -fdxq",
    // What lies behind a link.
    "rm -rf lk/",
    "rm -rf lk/*",
    "find lk/ -type f -delete",
    "find -L lk -type f -delete",
    "find -H lk -name '*.ts' -delete",
    "find -L . -name b.ts -delete",
    "rm -rf */deep",
    "cd lk && rm -rf *",
    "git clean -fdxq && rm -rf lk/",
    "chmod -R 700 lk/",
    "rm lk",
    // What an earlier part of the line moved, linked, packed or put away.
    "mv src z && rm -rf z",
    "mv src/a.ts src/zz; rm src/zz",
    "mkdir trash && mv src docs trash && rm -rf trash",
    "mv src/* docs && rm -rf docs",
    "mv -t docs src/a.ts src/new.ts && rm docs/a.ts docs/new.ts",
    "mv src a && mv a b && mkdir c && mv b c/d && rm -rf c",
    "cd docs && mv ../src z && rm -rf z",
    "git mv src z && rm -rf z",
    "mv src junk && git clean -fdxq",
    "mv src/a.ts k; echo x > k",
    "mv src/a.ts k; cp docs/c.md k",
    'for f in src/a.ts src/new.ts; do mv "$f" k; rm k; done',
    "z() { rm -rf k; }; mv src k; z",
    "ln -s src lk && rm -rf lk/*",
    "ln -s ../src docs/lk && find docs/lk/ -type f -delete",
    "ln src/a.ts same && echo x > same",
    "gzip src/a.ts && rm src/a.ts.gz",
    "git stash -u -q && git stash drop -q",
    "git stash push --all --quiet && git stash clear",
    "cd src && git stash -aq && git stash drop -q",
    "git checkout -q -b tmp && git add -A && git commit -qm wip && git checkout -q main && git branch -D tmp",
  ])("%s", async (command) => {
    await using work = await inTheMidstOfWork();
    const before = treeOf(work.dir);
    const { hazards, wayBack } = await work.guard(command);
    expect(hazards.length).toBeGreaterThan(0);
    const lines = wayBack === undefined ? [] : await made(wayBack);
    work.bash(command);
    const changed = treeOf(work.dir);
    for (const line of lines) if (line.includes("To bring back: ")) runShell(commandIn(line));
    const after = treeOf(work.dir);
    // What the command made anew stays: nothing is deleted that came since.
    for (const name of Object.keys(changed)) if (!(name in before)) delete after[name];
    expect(after).toEqual(before);
    // Nothing is kept only where nothing that was there is gone or different.
    const isLost = Object.entries(before).some(([name, state]) => changed[name] !== state);
    if (isLost) expect(lines.length).toBeGreaterThan(0);
  });

  test("mv docs/c.md src/a.ts: what stood there comes back from the commit", async () => {
    await using work = await inTheMidstOfWork();
    const [line] = await made((await work.guard("mv docs/c.md src/a.ts")).wayBack);
    work.bash("mv docs/c.md src/a.ts");
    runShell(commandIn(line));
    expect(await work.read("src/a.ts")).toBe("changed");
  });

  test("the line of kept references names only what is there", async () => {
    await using work = await inTheMidstOfWork();
    git(work.dir, "stash", "clear");
    const [line] = await made((await work.guard("git branch -D feature")).wayBack);
    expect(line).toContain("/heads/NAME");
    expect(line).not.toContain("stash");
    expect(line).not.toContain("tag");
  });

  test("git stash clear; git branch -D feature", async () => {
    await using work = await inTheMidstOfWork();
    const [line] = await made((await work.guard("git stash clear; git branch -D feature")).wayBack);
    work.bash("git stash clear; git branch -D feature");
    const root = /under (\S+)/.exec(line ?? "")?.[1];
    git(work.dir, "branch", "feature", `${root}/heads/feature`);
    expect(git(work.dir, "show", `${root}/stash/0:docs/c.md`)).toBe("stashed");
  });

  test.each(["npm publish", "git push --force", "psql -c 'DROP TABLE a'", "rm -rf src; npm publish"])(
    "%s has no way back",
    async (command) => {
      await using work = await inTheMidstOfWork();
      expect((await work.guard(command)).wayBack?.kind).toBe("impossible");
    },
  );

  test.each(["rm -rf node_modules", "rm -rf none", "cp src/a.ts src/fresh.ts", "ls", "echo x > fresh"])(
    "%s needs none",
    async (command) => {
      await using work = await inTheMidstOfWork();
      expect((await work.guard(command)).wayBack).toBeUndefined();
    },
  );
});
