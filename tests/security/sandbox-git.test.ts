/**
 * Code that a confined command could leave in the data and the settings of repositories, and that git, run by a
 * person at the top of the workspace afterwards, would run. Each way is tried with real git: `EVIL` is what must not
 * be made.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { ToolFailedError } from "../../src/contracts/errors.ts";
import { sandboxPlace } from "../services/sandbox/sandbox-fixture.ts";
import { eachOrDeep, testOrDeep } from "../support/deep.ts";

const machine = await sandboxPlace();
const { kind: available } = await machine.sandbox.state();
await machine[Symbol.asyncDispose]();

type At = Awaited<ReturnType<typeof sandboxPlace>>;

const IDENTITY =
  "git config --global user.name a; git config --global user.email a@b.c; git config --global protocol.file.allow always";
/** A repository whose settings run something, to be put where it is obeyed. */
const EVIL =
  "git init -q evil; printf '#!/bin/sh\\ntouch $HOME/EVIL\\n' > evil/run.sh; chmod +x evil/run.sh; " +
  "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = %s\\n' $PWD/evil/run.sh > evil/settings; cp evil/settings evil/.git/config";
/** Git commands that people and their shell prompts run routinely. */
const LOOK =
  "git status --short; git diff --stat; git -c user.name=a commit -q --allow-empty -m x; git status --short; true";

/** A repository with a submodule at each path, made once: `git submodule add` starts dozens of processes. */
const prepared = new Map<string, Promise<At>>();
afterAll(async () => {
  for (const place of prepared.values()) await (await place)[Symbol.asyncDispose]();
});

async function repositoryWithSubmodule(path: string): Promise<At> {
  const at = await sandboxPlace({ git: true });
  const { code, out } = at.outside(
    `set -e; ${IDENTITY}; git init -q $HOME/origin; (cd $HOME/origin; echo 1 > f; git add f; git commit -qm o); ` +
      `git submodule --quiet add $HOME/origin ${path}; git commit -qm sub`,
  );
  if (code !== 0) throw new Error(out);
  return at;
}

async function withSubmodule(path: string): Promise<At> {
  const making = prepared.get(path) ?? repositoryWithSubmodule(path);
  prepared.set(path, making);
  const made = await making;
  const at = await sandboxPlace();
  cpSync(made.project.dir, at.project.dir, { recursive: true });
  for (const name of [".gitconfig", "origin"]) cpSync(made.home.path(name), at.home.path(name), { recursive: true });
  return at;
}

/** Runs a command confined, then runs git like a person. @returns the sandbox's report. */
async function after(at: At, script: string, look = LOOK): Promise<readonly string[]> {
  const { spawn, confined } = await at.start(script);
  await spawn.exited;
  await confined.dispose();
  at.outside(look);
  return confined.changes?.() ?? [];
}

describe.if(available === "bubblewrap")("git outside obeys nothing that a confined command has left", () => {
  test("the control: the same settings, put there from outside, are obeyed", async () => {
    await using at = await withSubmodule("sub");
    at.outside(`${EVIL}; cp evil/.git/config .git/modules/sub/config`);
    at.outside(LOOK);
    expect(existsSync(at.home.path("EVIL"))).toBe(true);
  });

  type Way = readonly [string, (path: string) => string];
  const WAYS: readonly Way[] = [
    ["settings of a submodule", (path) => `cp evil/settings .git/modules/${path}/config`],
    ["another common folder for its data", (path) => `echo $PWD/evil/.git > .git/modules/${path}/commondir`],
    ["its data, moved and copied", (path) => `mv .git/modules/${path} .git/x; cp -r evil/.git .git/modules/${path}`],
    [
      "all data, moved",
      (path) => `mv .git/modules .git/x; mkdir -p .git/modules; cp -r evil/.git .git/modules/${path}`,
    ],
    ["a pointer to other data", (path) => `rm -f ${path}/.git; echo gitdir: $PWD/evil/.git > ${path}/.git`],
    ["data in the place of the pointer", (path) => `rm -rf ${path}/.git; cp -r evil/.git ${path}/.git`],
    ["its folder, moved away", (path) => `mv ${path} x; mkdir -p ${path}; cp -r evil/.git ${path}/.git`],
    ["the folder around it", (path) => `mv $(dirname ${path}) x; mkdir -p ${path}; cp -r evil/.git ${path}/.git`],
    ["data for a submodule to come", () => "cp -r evil/.git .git/modules/next; ! test -e .git/modules/next || exit 9"],
  ];

  const isHarmless = async (path: string, way: (path: string) => string) => {
    await using at = await withSubmodule(path);
    await after(at, `${EVIL}; ${way(path)}`);
    expect(existsSync(at.home.path("EVIL"))).toBe(false);
    expect(existsSync(at.project.path(".git/modules/next"))).toBe(false);
    // The submodule has its own data or none, never other data.
    const { out } = at.outside(`git -C ${path} rev-parse --git-dir; cat .git/modules/${path}/config`);
    expect(out).not.toContain("evil");
  };

  // The folder around a submodule is of interest only where there is one.
  for (const [at, [name, way]] of WAYS.entries())
    for (const [depth, path] of ["vendor/lib", "sub"].entries()) {
      // Settings, a pointer and the folder around it.
      const isQuick = [0, 4, 7].includes(at) && depth === (at === 4 ? 1 : 0);
      testOrDeep(isQuick)(`by way of a submodule ${path}: ${name}`, () => isHarmless(path, way));
    }

  test("git still works in submodules, inside", async () => {
    await using at = await withSubmodule("vendor/lib");
    expect(
      await at.run(
        "cd vendor/lib && echo 2 > f && git add f && git commit -qm two && git log --oneline | wc -l && cd ../.. && git status --short",
      ),
    ).toEqual({ code: 0, out: "2\n M vendor/lib\n" });
  });

  eachOrDeep("by way of a submodule that is not set up (%s)", 1, ["existing, empty", "missing"], async (how) => {
    await using at = await withSubmodule("vendor/lib");
    at.outside(
      `git submodule --quiet deinit -f --all; rm -rf .git/modules; ${how === "missing" ? "rm -rf vendor" : ""}`,
    );
    await after(
      at,
      `${EVIL}; mkdir -p vendor/lib; cp -r evil/.git vendor/lib/.git; rm -rf vendor; mkdir -p vendor/lib; cp -r evil/.git vendor/lib/.git`,
    );
    expect(existsSync(at.home.path("EVIL"))).toBe(false);
    expect(existsSync(at.project.path("vendor/lib/.git"))).toBe(false);
    expect(at.outside("git status --short").out).toBe("?? evil/\n");
  });

  eachOrDeep(
    "by way of %s, missing so far",
    1,
    [
      [
        "settings of a work tree",
        "git config extensions.worktreeConfig true",
        `${EVIL}; cp evil/settings .git/config.worktree`,
      ],
      [
        "a folder of hooks that settings name",
        "git config core.hooksPath .githooks",
        `${EVIL}; mkdir -p .githooks; cp evil/run.sh .githooks/pre-commit`,
      ],
      [
        "settings that are included",
        "git config include.path ../.gitconfig-shared",
        `${EVIL}; cp evil/settings .gitconfig-shared`,
      ],
      [
        "a program that watches files",
        "git config core.fsmonitor ./tools/watch",
        `${EVIL}; mkdir -p tools; cp evil/run.sh tools/watch`,
      ],
      [
        "the same, deeper",
        "git config core.hooksPath tools/git/hooks",
        `${EVIL}; mkdir -p tools/git/hooks; cp evil/run.sh tools/git/hooks/pre-commit`,
      ],
      [
        "the same, of the person's own settings",
        "git config --global core.hooksPath .githooks",
        `${EVIL}; mkdir -p .githooks; cp evil/run.sh .githooks/pre-commit`,
      ],
      [
        "settings that included ones include",
        "git config include.path ../one; printf '[include]\\n\\tpath = conf/two\\n' > one",
        `${EVIL}; mkdir -p conf; cp evil/settings conf/two`,
      ],
    ],
    async (_, prepare, way) => {
      await using at = await sandboxPlace({ git: true });
      at.outside(`${IDENTITY}; ${prepare}`);
      await after(at, way);
      expect(existsSync(at.home.path("EVIL"))).toBe(false);
      const { out } = at.outside(
        "find . '(' -name .git -o -name evil -o -name '*.set-aside-*' ')' -prune -o -type f -print",
      );
      expect(["", "./one\n"]).toContain(out);
      expect((await at.run("git status --short | grep -v one; git commit -q --allow-empty -m inside")).code).toBe(0);
    },
  );

  eachOrDeep(
    "by way of %s",
    1,
    [
      ["a repository below a folder that tools make", "vendor/dep"],
      ["one beside many others that only look like one", "z/dep"],
    ],
    async (_, path) => {
      await using at = await sandboxPlace({ git: true });
      at.outside(`${IDENTITY}; git init -q ${path}`);
      const decoys =
        "for n in 1 2 3 4 5 6 7 8 9 10 11; do mkdir -p a$n/.git/objects a$n/.git/refs b$n/.git; echo ref: refs/heads/m > a$n/.git/HEAD; done";
      await after(at, decoys);
      await after(
        at,
        `${EVIL}; cp evil/settings ${path}/.git/config; cp evil/run.sh ${path}/.git/hooks/pre-commit; mv ${path} x; cp -r evil ${path}`,
      );
      at.outside(`cd ${path}; ${LOOK}`);
      expect(existsSync(at.home.path("EVIL"))).toBe(false);
    },
  );

  eachOrDeep(
    "by way of a repository around the workspace: %s",
    1,
    [
      ["a submodule that is not set up", (at: At) => at.outside("git submodule --quiet deinit -f --all").code],
      ["hooks that its settings name", (at: At) => at.outside("git config core.hooksPath work/hooks").code],
    ] as const,
    async (_, prepare) => {
      await using outer = await withSubmodule("work/lib");
      expect(prepare(outer)).toBe(0);
      const work = outer.project.path("work");
      await using at = await sandboxPlace({ deps: { ...outer.deps, roots: [work] } });
      await at.run(
        `${EVIL}; cp -r evil/.git lib/.git; mv lib x; mkdir lib; cp -r evil/.git lib/.git; mkdir hooks; cp evil/run.sh hooks/pre-commit`,
        { cwd: work },
      );
      outer.outside(LOOK);
      expect(existsSync(outer.home.path("EVIL"))).toBe(false);
    },
  );

  test("more repositories than can be kept are refused, and said to be why", async () => {
    await using at = await sandboxPlace({ git: true });
    await at.run(
      "for n in $(seq 70); do mkdir -p a$n/.git/objects a$n/.git/refs; echo ref: refs/heads/m > a$n/.git/HEAD; done",
    );
    const refused = at.run("true");
    expect(refused).rejects.toThrow(ToolFailedError);
    expect(refused).rejects.toThrow("more than 64 repositories");
    await refused.catch(() => undefined);
  });

  test("by way of data that all worktrees share, in a further worktree", async () => {
    await using main = await withSubmodule("sub");
    main.outside("git worktree add -q $HOME/tree; cd $HOME/tree; git submodule --quiet update --init");
    const tree = main.home.path("tree");
    const gitFolders = [main.project.path(".git/worktrees/tree"), main.project.path(".git")];
    await using at = await sandboxPlace({ deps: { ...main.deps, roots: [tree], projectRoot: tree, gitFolders } });
    const shared = main.project.path(".git");
    const own = `${shared}/worktrees/tree`;
    await at.run(
      `${EVIL}; cd ${shared}; mv modules/sub modules/old; cp -r ${tree}/evil/.git modules/sub; mv modules m; cp -r ${tree}/evil/.git modules; ` +
        `mv ${own}/modules/sub ${own}/modules/old; cp -r ${tree}/evil/.git ${own}/modules/sub; mv ${own} ${own}2; cp -r ${tree}/evil/.git ${own}; ` +
        `cp ${tree}/evil/settings config; echo ${tree}/evil/.git > ${own}/commondir; cp ${tree}/evil/run.sh hooks/pre-commit`,
      { cwd: tree },
    );
    main.outside(`${LOOK}; cd ${tree}; HOME=${main.home.dir}; ${LOOK}`);
    expect(existsSync(main.home.path("EVIL"))).toBe(false);
    expect(existsSync(at.home.path("EVIL"))).toBe(false);
    expect(
      (await at.run("echo 3 > new; git add new; git commit -qm inside; git status --short", { cwd: tree })).out,
    ).toBe("?? evil/\n");
  });
});

describe.if(available === "bubblewrap")("what no mount can keep from a command is said afterwards", () => {
  test("a repository, and an index that names it", async () => {
    await using at = await sandboxPlace({ git: true });
    at.outside(IDENTITY);
    const changes = await after(
      at,
      "git init -q nest; (cd nest; git commit -q --allow-empty -m x); git update-index --add --cacheinfo 160000,$(git -C nest rev-parse HEAD),nest",
      "true",
    );
    expect(changes).toEqual([
      `New repositories, whose hooks and settings git obeys in them: ${at.project.path("nest/.git")}. Check them before you continue.`,
      `The index now lists these as repositories, and git obeys their settings anywhere in this work tree: ${at.project.path("nest")}. Check them before you continue.`,
    ]);
    expect(await after(at, "true", "true")).toEqual([]);
    // In a repository further down too.
    at.outside("git init -q known; git init -q known/deep; git -C known/deep commit -q --allow-empty -m x");
    const below = "cd known; git update-index --add --cacheinfo 160000,$(git -C deep rev-parse HEAD),deep";
    expect((await after(at, below, "true")).join()).toContain(
      `anywhere in this work tree: ${at.project.path("known/deep")}`,
    );
  });

  test("an index that can't be read any more, and names that would write on the screen", async () => {
    await using at = await sandboxPlace({ git: true, files: { a: "1" } });
    at.outside(`${IDENTITY}; git add a`);
    expect(await after(at, "git update-index --split-index", "true")).toEqual([
      `The index of ${at.project.dir} has a format that Quoll can't read, and may name repositories whose settings git obeys. Check it before you continue.`,
    ]);
    expect(await after(at, "true", "true")).toEqual([]);
    const odd = 'd=$(printf \'x\\n\\033[2J\'); mkdir "$d"; echo evil > "$d/AGENTS.md"';
    const [made = ""] = await after(at, odd, "true");
    expect(made).toContain("x??[2J/AGENTS.md. Check");
  });

  test("instructions in new folders, and those that are too many to be kept", async () => {
    await using at = await sandboxPlace({ git: true });
    for (let number = 10; number < 55; number += 1) {
      mkdirSync(at.project.path(`p${number}`));
      writeFileSync(at.project.path(`p${number}/AGENTS.md`), "mine");
    }
    const changes = await after(
      at,
      "mkdir new; echo evil > new/AGENTS.md; echo evil > new/plain; for p in p*; do echo evil >> $p/AGENTS.md; done",
      "true",
    );
    expect(changes).toHaveLength(2);
    expect(changes[0]).toBe(
      `New since the command started, and obeyed by agents, editors or other tools: ${at.project.path("new/AGENTS.md")}. Check them before you continue.`,
    );
    expect(changes[1]).toMatch(/^Changed since the command started, .*AGENTS\.md\. Check them before you continue\.$/);
    expect(await after(at, "echo 1 > plain; mkdir empty; : > empty/AGENTS.md", "true")).toEqual([]);
  });
});
