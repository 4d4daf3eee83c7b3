import { expect, setDefaultTimeout, test } from "bun:test";
import { gitIncomingNames } from "../../../../src/services/tools/bash/git-incoming-names.ts";
import { deepTest } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { PATH, shellParser } from "./bash-session.ts";

setDefaultTimeout(60_000);

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

/** `old` lacks what `main` brings: AGENTS.md, a folder, and `sub/AGENTS.md`. A remote has it in `far`; a stash holds .npmrc. */
async function place() {
  const project = await tempProject({ a: "1\n" });
  const env = { PATH, HOME: "/nonexistent", ...IDENTITY };
  const outside = (script: string) => {
    const done = Bun.spawnSync(["bash", "-c", `set -e\n${script}`], { cwd: project.dir, env });
    if (done.exitCode !== 0) throw new Error(`${script}: ${done.stderr}`);
  };
  outside(`git init -qb main; git add a; git commit -qm one; git branch old
    mkdir -p .vscode sub; echo x > AGENTS.md; echo y > .vscode/t; echo z > sub/AGENTS.md; git add .; git commit -qm brings
    echo 2 > a; git commit -qam later
    git clone -q --bare . .git/far.git; git --git-dir=.git/far.git branch -q far main
    git remote add origin ./.git/far.git; git fetch -q
    git checkout -q old; echo n > .npmrc; git stash -q -u`);
  const contains = (path: string) => path.startsWith(project.dir);
  const brings = async (line: string) => {
    const parsed = (await shellParser()).parse(line);
    if (!parsed.understood) throw new Error(line);
    const context = { roots: [project.dir], env, contains };
    const found = await Promise.all(
      parsed.commands.map((one) => gitIncomingNames(one, project.dir, context, new AbortController().signal)),
    );
    return found.flat().map((path) => path.slice(project.dir.length + 1));
  };
  return { ...project, outside, brings };
}

const BOTH = ["AGENTS.md", ".vscode"];

test("the names that a git command would check out are known before it runs", async () => {
  await using at = await place();
  const found: Record<string, readonly string[]> = {};
  const expected: Record<string, readonly string[]> = {
    "git checkout main": BOTH,
    "git switch -q main": BOTH,
    "git checkout -f main -q": BOTH,
    "git -C . switch --detach main": BOTH,
    "git switch far": BOTH,
    "git switch -c mine origin/far": BOTH,
    "git checkout -": BOTH,
    "git merge --no-edit main": BOTH,
    "git rebase main": BOTH,
    "git reset --hard main": BOTH,
    "git checkout main -- AGENTS.md": ["AGENTS.md"],
    "git restore --source=main .": BOTH,
    "git cherry-pick main~1": BOTH,
    "git stash pop": [".npmrc"],
    "timeout 5 git checkout main": BOTH,
    // Nothing of the kind comes in.
    "git checkout main a": [],
    "git checkout -b new": [],
    "git switch old": [],
    "git cherry-pick main": [],
    "git reset main": [],
    "git stash": [],
    "git log main": [],
    "git checkout nowhere": [],
  };
  for (const line of Object.keys(expected)) found[line] = await at.brings(line);
  expect(found).toEqual(expected);
});

deepTest("names that exist already are not reported", async () => {
  await using at = await place();
  at.outside("echo mine > AGENTS.md");
  expect(await at.brings("git switch main")).toEqual([".vscode"]);
});

test("git's look starts nothing that a repository's settings name", async () => {
  await using at = await place();
  at.outside(`printf '#!/bin/sh\\ntouch "${at.dir}/ran"\\n' > .git/evil; chmod +x .git/evil
    git config core.fsmonitor "${at.dir}/.git/evil"; git config core.sshCommand "${at.dir}/.git/evil"
    git config protocol.ext.allow always; git config extensions.partialClone origin
    git config remote.origin.promisor true; git config remote.origin.url "ext::${at.dir}/.git/evil"`);
  const tree = Bun.spawnSync(["git", "rev-parse", "main^{tree}"], { cwd: at.dir }).stdout.toString().trim();
  at.outside(`rm -f .git/objects/${tree.slice(0, 2)}/${tree.slice(2)} ran`);
  await at.brings("git switch main");
  expect(await Bun.file(at.path("ran")).exists()).toBe(false);
});
