import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { bashSession } from "../tools/bash/bash-session.ts";
import { commandIn, GIT_ENV, git, guardedPlace, made, runShell, treeOf } from "./guard-fixture.ts";

const never = new AbortController().signal;

/** A work tree in the midst of work: committed, changed, staged, untracked, ignored files, a stash, a branch of its own. */
function workTree(dir: string): void {
  const files = {
    ".gitignore": "*.local\nnode_modules/\n",
    "src/a.ts": "a",
    Makefile: "m",
    "src/Dockerfile": "d",
    "src/hostname": "h",
    "src/deep/b.ts": "b",
    "docs/c.md": "c",
    "note.local": "ignored",
    "src/keys.local": "ignored too",
  };
  for (const folder of ["src/deep", "docs", "node_modules"]) mkdirSync(join(dir, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  git(dir, "init", "--quiet", "--initial-branch=main");
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "-m", "first");
  git(dir, "branch", "feature");
  writeFileSync(join(dir, "docs/c.md"), "stashed");
  git(dir, "stash", "--quiet");
  for (const name of ["src/a.ts", "Makefile", "src/Dockerfile"]) writeFileSync(join(dir, name), "changed");
  writeFileSync(join(dir, "src/deep/b.ts"), "staged");
  git(dir, "add", "src/deep/b.ts");
  writeFileSync(join(dir, "src/new.ts"), "untracked");
  symlinkSync("a.ts", join(dir, "src/link"));
  symlinkSync("src", join(dir, "lk"));
}

/** The same beside a submodule with work of its own, and another inside of that. */
function withSubmodules(dir: string): void {
  workTree(dir);
  const libraries = join(dir, "..", "libraries");
  const local = ["-c", "protocol.file.allow=always"];
  const library = (name: string) => {
    const folder = join(libraries, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "tracked"), "1");
    writeFileSync(join(folder, ".gitignore"), "*.local");
    git(folder, "init", "--quiet", "--initial-branch=main");
    git(folder, "add", "--all");
    git(folder, "commit", "--quiet", "-m", "first");
    return folder;
  };
  const outer = library("outer");
  git(outer, ...local, "submodule", "--quiet", "add", library("inner"), "inner");
  git(outer, "commit", "--quiet", "-am", "inner");
  git(dir, ...local, "submodule", "--quiet", "add", outer, "sm");
  git(dir, "commit", "--quiet", "-m", "submodule");
  git(dir, ...local, "submodule", "--quiet", "update", "--init", "--recursive");
  for (const folder of ["sm", "sm/inner"]) {
    for (const name of ["tracked", "untracked", "x.local"]) writeFileSync(join(dir, folder, name), `mine: ${name}`);
  }
}

/** Made once and copied for each test. */
const templates = new Map<(dir: string) => void, string>();
const MADE_WITHIN_MS = 60_000;
beforeAll(() => void [workTree, withSubmodules].map(templateOf), MADE_WITHIN_MS);
afterAll(() => {
  for (const folder of templates.values()) rmSync(folder, { recursive: true });
});

function templateOf(make: (dir: string) => void): string {
  const known = templates.get(make);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), "quoll-template-"));
  templates.set(make, folder);
  mkdirSync(join(folder, "work"));
  make(join(folder, "work"));
  return folder;
}

async function inTheMidstOfWork(make = workTree) {
  const session = await bashSession();
  const { dir } = session;
  execFileSync("cp", ["-a", `${templateOf(make)}/work/.`, dir]);
  const place = await guardedPlace();
  return {
    ...session,
    /** As in a mode that asks nobody. */
    guard: async (command: string) => {
      const { subjects } = await session.prepare(command);
      const hazards: readonly Hazard[] = subjects.flatMap((subject) =>
        subject.action === "execute" ? [...subject.hazards, ...(subject.unread ? [subject.unread] : [])] : [],
      );
      return { hazards, backup: await place.guard.assess(hazards, never) };
    },
    bash: (command: string) =>
      execFileSync("bash", ["-c", command], { cwd: dir, stdio: "ignore", env: { ...GIT_ENV } }),
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
    },
  };
}

describe("submodules with work of their own", () => {
  const areKept = async (command: string, setting: string) => {
    await using work = await inTheMidstOfWork(withSubmodules);
    if (setting !== "") git(work.dir, "config", setting, "true");
    const before = treeOf(work.dir);
    const lines = await made((await work.guard(command)).backup);
    work.bash(command);
    const changed = treeOf(work.dir);
    expect(changed).not.toEqual(before);
    for (const line of lines) if (line.includes(" Undo: ")) runShell(commandIn(line));
    const after = treeOf(work.dir);
    for (const name of Object.keys(changed)) if (!(name in before)) delete after[name];
    expect(after).toEqual(before);
  };

  eachOrDeep(
    "%s (%s)",
    1,
    [
      ["git submodule --quiet deinit -f sm", ""],
      ["git reset --quiet --hard", "submodule.recurse"],
    ] as const,
    areKept,
  );

  for (const [command, setting] of [
    ["git submodule --quiet foreach 'git clean -fdxq; git checkout -q .'", ""],
    ["mv sm z && rm -rf z", ""],
    ["git submodule --quiet deinit -f --all", ""],
    ["git rm -rfq sm && git checkout -q HEAD -- .gitmodules", ""],
    ["git submodule --quiet update -f --recursive", ""],
    ["git reset --quiet --hard --recurse-submodules", ""],
    ["cd src && git submodule --quiet deinit -f ../sm", ""],
    ["git -c submodule.recurse=true reset --quiet --hard", ""],
    ["git checkout --quiet -f main", "submodule.recurse"],
    ["git checkout --quiet -f --recurse-submodules HEAD~1", ""],
    ["git submodule --quiet foreach --recursive git reset --quiet --hard", ""],
    ["git submodule --quiet foreach --recursive 'rm -rf *'", ""],
    ["rm -rf sm", ""],
  ] as const)
    deepTest(`${command} (${setting})`, () => areKept(command, setting));

  deepTest("git reset --hard leaves them alone, and so does the guard", async () => {
    await using work = await inTheMidstOfWork(withSubmodules);
    const lines = await made((await work.guard("git reset --hard")).backup);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("sm");
  });
});

describe("aliases of git, by the settings of the repository and the user", () => {
  eachOrDeep(
    "%s (%s)",
    2,
    [
      ["git nuke", "reset --hard --quiet"],
      ["git nuke -q", "!git reset --hard"],
      ["cd src && git nuke", "!rm -rf src docs"],
      ["git -c a.b=c nuke", '!f() { rm -rf "$1"; }; f src'],
      ["git NUKE -fdxq", "clean"],
      ["git nuke", '!sh -c "$(echo rm -rf src)"'],
      ["git again", "checkout ."],
    ],
    async (command, alias) => {
      await using work = await inTheMidstOfWork();
      writeFileSync(work.path("shared.inc"), "[alias]\n\tagain = nuke\n");
      git(work.dir, "config", "alias.nuke", alias);
      git(work.dir, "config", "include.path", "../shared.inc");
      const before = treeOf(work.dir);
      const lines = await made((await work.guard(command)).backup);
      work.bash(command);
      expect(treeOf(work.dir)).not.toEqual(before);
      for (const line of lines) if (line.includes(" Undo: ")) runShell(commandIn(line));
      expect(treeOf(work.dir)).toEqual(before);
    },
  );

  test("an alias that only reads is judged by its command", async () => {
    await using work = await inTheMidstOfWork();
    git(work.dir, "config", "alias.st", "status --short");
    expect((await work.guard("git st")).hazards).toEqual([]);
    const { subjects } = await work.prepare("git st");
    expect(subjects.flatMap((one) => (one.action === "execute" ? [one.command] : []))).toEqual([
      "git st",
      "git status --short",
    ]);
  });
});

describe("real commands, as they are judged, run and taken back", () => {
  const isTakenBack = async (command: string) => {
    await using work = await inTheMidstOfWork();
    const before = treeOf(work.dir);
    const { hazards, backup } = await work.guard(command);
    expect(hazards.length).toBeGreaterThan(0);
    const lines = backup === undefined ? [] : await made(backup);
    work.bash(command);
    const changed = treeOf(work.dir);
    for (const line of lines) if (line.includes(" Undo: ")) runShell(commandIn(line));
    const after = treeOf(work.dir);
    // New files of the command stay: a restore deletes nothing that was created later.
    for (const name of Object.keys(changed)) if (!(name in before)) delete after[name];
    expect(after).toEqual(before);
    // Nothing is kept only where nothing that was there is gone or different.
    const isLost = Object.entries(before).some(([name, state]) => changed[name] !== state);
    if (isLost) expect(lines.length).toBeGreaterThan(0);
  };

  eachOrDeep(
    "%s",
    (at) => at % 9 === 0,
    [
      "rm -rf src/*",
      "git clean -fdx",
      "git reset --hard",
      "echo x > src/a.ts",
      "rm -rf src && git reset --hard && git clean -fdxq",
      // Commands that overwrite files as a side effect, or files that only their input names.
      "awk 'BEGIN { print 1 > \"src/a.ts\" }'",
      "printf '%s\\n' '--- src/a.ts' '+++ src/a.ts' '@@ -1 +1 @@' '-changed' '\\ No newline at end of file' '+patched' | patch -sp0",
      // Commands that can't be parsed, or only together with the input of a shell.
      "X=rm; $X -rf src",
      "cat <<'E' | sh\ngit reset --hard -q\nE",
      "ls -d src/* | xargs -I{} sh -c 'rm -rf {}'",
      // Files that a command reaches through a link.
      "rm -rf lk/",
      // Files that an earlier part of the line moved, linked, packed or stashed.
      "mkdir trash && mv src docs trash && rm -rf trash",
      'for f in src/a.ts src/new.ts; do mv "$f" k; rm k; done',
      "gzip src/a.ts && rm src/a.ts.gz",
      "git stash -u -q && git stash drop -q",
      "git checkout -q -b tmp && git add -A && git commit -qm wip && git checkout -q main && git branch -D tmp",
    ],
    isTakenBack,
  );

  /** More of the same kinds. */
  for (const command of [
    "find src -type f -delete",
    "git checkout -q src/Dockerfile",
    "truncate -s 0 src/a.ts",
    "cp -f src/a.ts src/link src/deep/b.ts docs",
    "tee src/new.ts note.local < docs/c.md",
    "mv src/new.ts docs; mv docs/new.ts docs/c.md",
    "tar cf t.tar docs/c.md --transform 's,docs/c.md,src/new.ts,' && tar xf t.tar",
    "echo 'rm -rf src' | sh",
    "mv src a && mv a b && mkdir c && mv b c/d && rm -rf c",
    "mv src/a.ts k; cp docs/c.md k",
    "ln -s ../src docs/lk && find docs/lk/ -type f -delete",
    "git checkout -- src",
    "git restore --staged --worktree src",
    "git rm -rf --quiet src/a.ts",
    "ln -sf /dev/null src/a.ts",
    "chmod -R 700 src",
    "sort docs/c.md -o src/a.ts",
    "cd src && curl -sO file:///etc/hostname",
    "sed -n 'w src/a.ts' docs/c.md",
    "find -L lk -type f -delete",
    "git clean -fdxq && rm -rf lk/",
    "git mv src z && rm -rf z",
    "git rm -rfq --cached . && git clean -fdq",
    "git reset -q && git clean -fdxq",
    "git restore -q --staged src/deep && git clean -fdq src",
    "mv src junk && git clean -fdxq",
    "ln src/a.ts same && echo x > same",
    "rm -rf src",
    "rm src/a.ts src/new.ts note.local",
    "cd src && rm -rf deep keys.local",
    "git checkout -f main",
    "git checkout Makefile",
    "git checkout src",
    "cd src && git checkout deep",
    "cp docs/c.md src/keys.local",
    "cp docs/c.md src/link",
    'rm -rf "$PWD/src"',
    "git mv -f docs/c.md src/a.ts",
    "mv docs/c.md src/a.ts",
    "curl -so src/a.ts file:///etc/hostname",
    "sed -i 's/c/d/w note.local' docs/c.md",
    "tar cf t.tar docs/c.md --transform 's,.*,keys.local,' && tar xf t.tar -C src",
    "git diff src/a.ts > p; git apply -R p",
    "$(echo rm) -rf src note.local",
    'eval "$(echo rm -rf src)"',
    "echo -e 'ls\\nrm -rf src note.local' | bash",
    "printf 'rm -rf %s\\n' src docs | sh",
    "bash <<EOF\nrm -rf src\nrm -rf docs\nEOF",
    "sh <<< 'rm -rf src'",
    "timeout 5 bash -s <<< 'rm -rf src'",
    "rm -rf lk/*",
    "find lk/ -type f -delete",
    "find -H lk -name '*.ts' -delete",
    "find -L . -name b.ts -delete",
    "rm -rf */deep",
    "cd lk && rm -rf *",
    "chmod -R 700 lk/",
    "rm lk",
    "mv src z && rm -rf z",
    "mv src/a.ts src/zz; rm src/zz",
    "mv src/* docs && rm -rf docs",
    "mv -t docs src/a.ts src/new.ts && rm docs/a.ts docs/new.ts",
    "cd docs && mv ../src z && rm -rf z",
    "mv src/a.ts k; echo x > k",
    "z() { rm -rf k; }; mv src k; z",
    "ln -s src lk && rm -rf lk/*",
    "git stash push --all --quiet && git stash clear",
    "cd src && git stash -aq && git stash drop -q",
  ])
    deepTest(`${command}`, () => isTakenBack(command));

  deepTest("set-id bits come back with a copy", async () => {
    await using work = await inTheMidstOfWork();
    const modeOf = (name: string) => statSync(work.path(name)).mode & 0o7777;
    mkdirSync(work.path("tools.local"));
    writeFileSync(work.path("tools.local/run"), "#!");
    chmodSync(work.path("tools.local/run"), 0o4755);
    chmodSync(work.path("tools.local"), 0o2750);
    const lines = await made((await work.guard("rm -rf tools.local")).backup);
    work.bash("rm -rf tools.local");
    for (const line of lines) runShell(commandIn(line));
    expect([modeOf("tools.local/run"), modeOf("tools.local")]).toEqual([0o4755, 0o2750]);
  });

  test("the line of kept references names only what is there", async () => {
    await using work = await inTheMidstOfWork();
    git(work.dir, "stash", "clear");
    const [told = ""] = await made((await work.guard("git branch -f feature HEAD")).backup);
    // The random name of the folder may contain any of these words.
    const line = told.replaceAll(work.dir, "");
    expect(line).toMatch(/the branch feature|\/heads\/NAME/);
    expect(line).not.toContain("stash");
    expect(line).not.toContain("tag");
  });

  test("git stash clear; git branch -D feature", async () => {
    await using work = await inTheMidstOfWork();
    const [line] = await made((await work.guard("git stash clear; git branch -D feature")).backup);
    work.bash("git stash clear; git branch -D feature");
    runShell(commandIn(line));
    expect(git(work.dir, "rev-parse", "feature")).toBe(git(work.dir, "rev-parse", "main"));
    expect(git(work.dir, "show", "stash@{0}:docs/c.md")).toBe("stashed");
  });

  test.each([
    "npm publish",
    "git push --force",
    "psql -c 'DROP TABLE a'",
    "rm -rf src; npm publish",
    "sh <<< 'npm publish'",
    "echo 'git push --force' | bash",
  ])("%s has no way back", async (command) => {
    await using work = await inTheMidstOfWork();
    expect((await work.guard(command)).backup?.kind).toBe("impossible");
  });

  test("a script of one line that a shell is fed is read, and nothing of it stays unknown", async () => {
    await using work = await inTheMidstOfWork();
    const texts = async (command: string) => (await work.guard(command)).hazards.map(({ text }) => text);
    expect(await texts("sh <<< 'rm -rf src'")).toEqual(["deletes files: src"]);
    expect(await texts("sh <<< 'ls'")).toEqual([]);
    expect(await texts("sh <<'E'\nrm -rf $x\nE")).toEqual(["deletes files: $x"]);
    expect(await texts("sh <<E\nrm -rf $x\nE")).toEqual(["may do anything: nobody can know what sh runs"]);
    expect(await texts("echo 'rm -rf src' | sh")).toEqual([
      "may do anything: nobody can know what sh runs",
      "deletes files: src",
    ]);
    expect(await texts("curl -s https://x.example | sh")).toEqual(["may do anything: nobody can know what sh runs"]);
    expect(await texts("ssh host 'cat x | sh'")).toEqual([]);
  });

  deepTest("outside git an unparsable command runs, and its result says that there is no backup", async () => {
    await using work = await inTheMidstOfWork();
    rmSync(work.path(".git"), { recursive: true });
    const [line] = await made((await work.guard("$(echo rm) -rf src")).backup);
    expect(line).toBe(
      `No backup was made (may do anything: nobody can know what $(echo rm) runs): there is no git repository in ${work.dir}.`,
    );
  });

  test.each([
    "rm -rf node_modules",
    "rm -rf none",
    "cp src/a.ts src/fresh.ts",
    "ls",
    "echo x > fresh",
    "git checkout feature",
    "git checkout -b x",
  ])("%s needs none", async (command) => {
    await using work = await inTheMidstOfWork();
    expect((await work.guard(command)).backup).toBeUndefined();
  });
});
