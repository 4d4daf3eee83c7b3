import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Hazard } from "../../../src/contracts/subject.ts";
import { deepTest, eachOrDeep } from "../../support/deep.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { bashSession } from "../tools/bash/bash-session.ts";
import { commandIn, git, guardedPlace, made, runShell } from "./guard-fixture.ts";

setDefaultTimeout(60_000);

const never = new AbortController().signal;
const NAMES = ["README.md", "Makefile", "src/a.ts", "src/b.ts", "docs/x.md"];
const ALL = [...NAMES, "new.txt", "keep.local"];

/** A work tree in which every committed file has changed, with a new and an ignored file. */
async function changedTree(more: Readonly<Record<string, string>> = {}) {
  const session = await bashSession({
    files: { ...Object.fromEntries(NAMES.map((name) => [name, "old"])), ".gitignore": "*.local\n", ...more },
  });
  const { dir } = session;
  makeRepository(dir);
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "-m", "first");
  git(dir, "branch", "feature");
  for (const name of [...NAMES, ...Object.keys(more)]) writeFileSync(session.path(name), "work");
  writeFileSync(session.path("new.txt"), "work");
  writeFileSync(session.path("keep.local"), "work");
  const place = await guardedPlace();
  return {
    ...session,
    /** The lines about the backup before a command, in a mode that asks nobody. */
    keep: async (command: string) => {
      const { subjects } = await session.prepare(command);
      const hazards: readonly Hazard[] = subjects.flatMap((subject) =>
        subject.action === "execute" ? [...subject.hazards, ...(subject.unread ? [subject.unread] : [])] : [],
      );
      const backup = await place.guard.assess(hazards, never);
      return backup ? made(backup) : [];
    },
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]();
      await session[Symbol.asyncDispose]();
    },
  };
}

type Tree = Awaited<ReturnType<typeof changedTree>>;

/** The files that the undo commands change after everything was changed once more. */
async function restored(
  tree: Tree,
  lines: readonly string[],
  names: readonly string[] = ALL,
): Promise<readonly string[]> {
  for (const name of names) {
    mkdirSync(tree.path(name).replace(/\/[^/]*$/, ""), { recursive: true });
    writeFileSync(tree.path(name), "later");
  }
  for (const line of lines) if (line.includes(" Undo: ")) runShell(commandIn(line));
  const texts = await Promise.all(names.map(async (name) => [name, await tree.read(name)] as const));
  for (const [name, text] of texts) expect([name, text]).toEqual([name, expect.stringMatching(/^(?:work|later)$/)]);
  return texts.flatMap(([name, text]) => (text === "work" ? [name] : [])).sort();
}

describe("the undo line of a command names exactly the files that were at risk", () => {
  eachOrDeep(
    "%s",
    (at) => at % 7 === 0,
    [
      ["git checkout -- README.md", ["README.md"]],
      ["git checkout README.md", ["README.md"]],
      ["git checkout Makefile README.md", ["Makefile", "README.md"]],
      ["git checkout HEAD Makefile", ["Makefile"]],
      ["git checkout HEAD -- src", ["src/a.ts", "src/b.ts"]],
      ["git checkout feature -- docs", ["docs/x.md"]],
      ["git restore README.md", ["README.md"]],
      ["git restore -s HEAD src/a.ts", ["src/a.ts"]],
      ["git restore --source=HEAD --worktree -- docs", ["docs/x.md"]],
      ["git restore 'src/*.ts'", ["src/a.ts", "src/b.ts"]],
      ["git restore src/*.ts", ["src/a.ts", "src/b.ts"]],
      ["git restore ':(exclude)src' .", ["Makefile", "README.md", "docs/x.md"]],
      ["cd src && git restore a.ts", ["src/a.ts"]],
      ["git -C src checkout -- b.ts", ["src/b.ts"]],
      ["cd src && git checkout -- :/README.md", ["README.md"]],
      ["find src -name 'a*' -delete", ["src/a.ts"]],
      ["find . -name '*.md' -type f -delete", ["README.md", "docs/x.md"]],
      ["find . -maxdepth 1 -iname '*.MD' -delete", ["README.md"]],
      ["rm *.md", ["README.md"]],
      ["mv new.txt a.md && rm *.md", ["README.md", "new.txt"]],
      ["mv new.txt a.md && find . -maxdepth 1 -name '*.md' -delete", ["README.md", "new.txt"]],
      ["mv keep.local src/a.md && find src -name '*.md' -delete", ["keep.local"]],
      ["git checkout .", NAMES],
      ["git reset --hard", NAMES],
      ["git checkout -f feature", NAMES],
      ["git restore README.md && rm src/a.ts", ["README.md", "src/a.ts"]],
      ["git clean -fd", ["new.txt"]],
      ["git clean -fd .", ["new.txt"]],
      ["git clean -fdx", ["keep.local", "new.txt"]],
      ["git clean -fX", ["keep.local"]],
      ["git clean -fdX .", ["keep.local"]],
      ["git clean -fdx -e '*.local'", ["new.txt"]],
      ["git clean -fdx -e '*.local' -e none -- .", ["new.txt"]],
      ["git clean -fX -e new.txt", ["keep.local", "new.txt"]],
      ["rm README.md", ["README.md"]],
      ["rm -rf src", ["src/a.ts", "src/b.ts"]],
      ["rm keep.local", ["keep.local"]],
      // The moved file holds the only copy of its text.
      ["mv docs/x.md README.md", ["README.md", "docs/x.md"]],
      ["rm src/a*", ["src/a.ts"]],
      ["rm *.md *.local", ["README.md", "keep.local"]],
      ["rm -rf src/a* docs", ["docs/x.md", "src/a.ts"]],
      ["echo x > Makefile", ["Makefile"]],
      // Untracked files that an earlier part of the line adds, stashes or leaves alone.
      ["git stash -q && git stash drop -q", NAMES],
      ["git stash -u -q && git stash drop -q", [...NAMES, "new.txt"]],
      ["git stash -qa && git stash clear", ALL],
      ["git add -A && git commit -qm wip && git reset -q --hard HEAD~1", [...NAMES, "new.txt"]],
      ["git add -A && git reset -q --hard", [...NAMES, "new.txt"]],
      ["git commit -qam wip && git reset -q --hard HEAD~1", NAMES],
      // Tracked files that the line makes untracked.
      ["mv src junk && git clean -fdq", ["new.txt", "src/a.ts", "src/b.ts"]],
      ["cp docs/x.md src/a.ts", ["src/a.ts"]],
    ] as const,
    async (command, wanted) => {
      await using tree = await changedTree();
      const lines = await tree.keep(command);
      const named = lines.map((line) => /^Backed up (.*?)\. Undo: /.exec(line)?.[1]).join();
      expect(named).toContain(wanted.length > 3 ? " more" : (wanted[0] ?? "").replace(/\/.*/, ""));
      expect(await restored(tree, lines)).toEqual([...wanted].sort());
    },
  );

  eachOrDeep(
    "a staged new file that the line takes out of the index: %s",
    1,
    [
      "git reset && git clean -fd",
      "git reset -q HEAD . && git clean -fd",
      "git restore --staged . && git clean -fd",
      "cd src && git reset -q && git clean -fdq ..",
    ],
    async (command) => {
      await using tree = await changedTree();
      await tree.write("src/staged.ts", "work");
      git(tree.dir, "add", "src/staged.ts", "Makefile");
      const lines = await tree.keep(command);
      expect(await restored(tree, lines, [...ALL, "src/staged.ts"])).toEqual(["new.txt", "src/staged.ts"]);
    },
  );

  test("a pattern that leads through a link names the files behind the link", async () => {
    await using tree = await changedTree();
    symlinkSync("src", tree.path("lk"));
    expect(await restored(tree, await tree.keep("rm lk/a*"))).toEqual(["src/a.ts"]);
  });

  deepTest("untracked files are at risk only where the revision holds them", async () => {
    await using tree = await changedTree();
    git(tree.dir, "stash", "--quiet");
    git(tree.dir, "checkout", "--quiet", "feature");
    await tree.write("added.txt", "of feature");
    git(tree.dir, "add", "added.txt");
    git(tree.dir, "commit", "--quiet", "-m", "added");
    git(tree.dir, "checkout", "--quiet", "main");
    await tree.write("added.txt", "work");
    expect(
      await restored(tree, await tree.keep("git checkout feature -- added.txt"), ["added.txt", "new.txt"]),
    ).toEqual(["added.txt"]);
    await tree.write("added.txt", "work");
    await tree.write("new.txt", "work");
    expect(await tree.keep("git checkout feature -- README.md")).toEqual([]);
    expect(await tree.keep("git reset --hard")).toEqual([]);
  });

  deepTest("staged work that only the index holds apart from HEAD comes back", async () => {
    for (const command of ["git restore --staged --worktree README.md", "git restore -SW README.md"]) {
      await using tree = await changedTree();
      git(tree.dir, "add", "README.md", "Makefile");
      expect(await restored(tree, await tree.keep(command))).toEqual(["README.md"]);
    }
  });

  test("a staged deletion is made again, nothing else", async () => {
    await using tree = await changedTree();
    git(tree.dir, "rm", "--quiet", "-f", "docs/x.md");
    rmSync(tree.path("src/b.ts"));
    const [line = ""] = await tree.keep("git reset --hard");
    expect(line).toMatch(/^Backed up .*; noted the deletion of src\/b\.ts, docs\/x\.md\. Undo: /);
    git(tree.dir, "reset", "--quiet", "--hard");
    runShell(commandIn(line));
    expect(["docs/x.md", "src/b.ts", "src/a.ts"].map((name) => existsSync(tree.path(name)))).toEqual([
      false,
      false,
      true,
    ]);
    expect(await tree.read("src/a.ts")).toBe("work");
  });

  test("a folder that comes back keeps the files that were added to it since", async () => {
    await using tree = await changedTree();
    const lines = await tree.keep("rm -rf src");
    rmSync(tree.path("src"), { recursive: true });
    await tree.write("src/later.ts", "later");
    git(tree.dir, "add", "--all");
    expect(await restored(tree, lines, ["src/later.ts"])).toEqual([]);
    expect(await tree.read("src/a.ts")).toBe("work");
  });
});

deepTest("the undo line brings files with strange names back exactly", async () => {
  const strange = ["-rf", "it's", 'a "b" $HOME `id` \\ ;', " lead", "ümläut", ":(top)x", "a[1].txt", "*"];
  await using tree = await changedTree(
    Object.fromEntries([...strange, "a1.txt", "line\nend"].map((name) => [`d/${name}`, "old"])),
  );
  const all = [...strange, "a1.txt", "line\nend"].map((name) => `d/${name}`);
  for (const name of ["d/a[1].txt", "d/*", "d/line\nend", "d/it's"]) {
    for (const each of all) writeFileSync(tree.path(each), "work");
    const quoted = `'${name.replaceAll("'", "'\\''")}'`;
    const lines = await tree.keep(`git --literal-pathspecs checkout -- ${quoted}`);
    expect(lines.length).toBe(1);
    expect(lines[0]).not.toContain("\n");
    const kept = await tree.keep(`rm -- ${quoted}`);
    expect(await restored(tree, kept, all)).toEqual([name]);
  }
});

deepTest("the undo line of very many files brings exactly these back", async () => {
  await using tree = await changedTree();
  const many = Array.from({ length: 300 }, (_, index) => `many/${index}`);
  for (const name of many) await tree.write(name, "work");
  git(tree.dir, "add", "--all");
  git(tree.dir, "commit", "--quiet", "-m", "many");
  for (const name of many) writeFileSync(tree.path(name), `work`);
  const lines = await tree.keep(`rm ${many.slice(0, 200).join(" ")}`);
  expect(await restored(tree, lines, many)).toEqual(many.slice(0, 200).sort());
});

deepTest("the undo line of dropped stashes and deleted branches and tags brings back exactly these", async () => {
  await using tree = await changedTree();
  const list = () => git(tree.dir, "stash", "list", "--format=%H").split("\n").filter(Boolean);
  for (const text of ["one", "two", "three"]) {
    writeFileSync(tree.path("README.md"), text);
    git(tree.dir, "stash", "--quiet");
  }
  const before = list();
  const undo = async (command: string) => {
    const lines = await tree.keep(command);
    git(tree.dir, ...command.split(" ").slice(1));
    for (const line of lines) runShell(commandIn(line));
    return lines.join("\n");
  };
  expect(await undo("git stash drop stash@{1}")).toStartWith("Backed up stash@{1}. Undo: ");
  expect(list()).toEqual([before[1], before[0], before[2]] as string[]);
  await undo("git stash drop");
  expect(list()).toEqual([before[1], before[0], before[2]] as string[]);
  await undo("git stash clear");
  expect(list()).toEqual([before[1], before[0], before[2]] as string[]);
  git(tree.dir, "tag", "-a", "v1", "-m", "one");
  const tag = git(tree.dir, "rev-parse", "v1");
  expect(await undo("git tag -d v1")).toStartWith("Backed up the tag v1. ");
  expect(git(tree.dir, "rev-parse", "v1")).toBe(tag);
  expect(await undo("git branch -D feature")).toStartWith("Backed up the branch feature. ");
  expect(git(tree.dir, "rev-parse", "feature")).toBe(git(tree.dir, "rev-parse", "main"));
});
