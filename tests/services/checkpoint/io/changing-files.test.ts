import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { ObjectStore } from "../../../../src/services/checkpoint/io/object-store.ts";
import { ROOT_LIMITS, RootTree } from "../../../../src/services/checkpoint/io/root-tree.ts";
import { lazyShadowGit, type ShadowGit } from "../../../../src/services/checkpoint/io/shadow-git.ts";
import { Trees } from "../../../../src/services/checkpoint/io/trees.ts";
import { deepTest } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";

const NEVER = new AbortController().signal;

/** The states of a work tree. `beforeGit` is called before each run of git that they make. */
async function watchedTree(
  files: Readonly<Record<string, string>>,
  beforeGit: (args: readonly string[]) => void = () => {},
) {
  const project = await tempProject({ ...files, excludes: "" });
  const shadow = lazyShadowGit(findGit(process.env, []) ?? "git", project.path("objects.git"), {
    PATH: process.env["PATH"],
  });
  const git: ShadowGit = (run) => {
    beforeGit(run.args);
    return shadow(run);
  };
  const objects = new ObjectStore(project.path("objects.git/objects"), shadow);
  const root = { top: project.path("work"), prefix: "", index: project.path("index"), earlierIndex: undefined };
  const tree = new RootTree({
    ...root,
    git,
    trees: new Trees(objects),
    excludes: project.path("excludes"),
    limits: ROOT_LIMITS,
  });
  const listed = async () =>
    (await shadow({ args: ["ls-tree", "-r", (await tree.state(NEVER)).tree], signal: NEVER })).toString();
  return {
    project,
    top: root.top,
    tree,
    listed,
    names: async () => [...(await listed()).matchAll(/\t(.*)/g)].map(([, name]) => name),
    objects,
  };
}

test("a file that changes again while it is stored is in the state with its newest content", async () => {
  let write = () => {};
  // Right before git reads the file, a person writes it.
  const views = await watchedTree({ "work/one.txt": "before\n" }, (args) => {
    if (args.includes("update-index")) write();
  });
  await using _ = views.project;
  const before = await views.tree.state(NEVER);
  writeFileSync(join(views.top, "one.txt"), "the agent\n");
  write = () => writeFileSync(join(views.top, "one.txt"), "the person, a moment later\n");
  const listed = await views.listed();
  expect((await views.tree.state(NEVER)).tree).not.toBe(before.tree);
  const oid = /[0-9a-f]{40}/.exec(listed)?.[0] ?? "";
  expect((await views.objects.read(oid, NEVER))?.toString()).toBe("the person, a moment later\n");
});

test("files of a folder that a link takes the place of are gone", async () => {
  const views = await watchedTree({ "work/a": "a\n", "work/src/f": "f\n", "work/src/sub/g": "g\n" });
  await using _ = views.project;
  await views.names();
  renameSync(join(views.top, "src"), join(views.top, "real"));
  symlinkSync("real", join(views.top, "src"));
  expect(await views.names()).toEqual(["a", "real/f", "real/sub/g", "src"]);
});

deepTest("many files of a folder that a link takes the place of need few runs of git", async () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`work/src/f${at}`, `${at}\n`]));
  let runs = 0;
  const views = await watchedTree(many, () => {
    runs += 1;
  });
  await using _ = views.project;
  await views.tree.state(NEVER);
  renameSync(join(views.top, "src"), join(views.top, "real"));
  symlinkSync("real", join(views.top, "src"));
  runs = 0;
  await views.tree.state(NEVER);
  expect(runs).toBeLessThan(10);
});

test("rules that ignore themselves count until they are gone", async () => {
  const views = await watchedTree({ "work/a": "a\n", "work/dist/x": "x\n" });
  await using _ = views.project;
  await views.names();
  writeFileSync(join(views.top, "dist/.gitignore"), "*\n");
  writeFileSync(join(views.top, "dist/y"), "y\n");
  expect(await views.names()).toEqual(["a", "dist/x"]);
  rmSync(join(views.top, "dist/.gitignore"));
  expect(await views.names()).toEqual(["a", "dist/x", "dist/y"]);
});

test("a file in the place of a folder with rules, or with a repository, is part of the next state", async () => {
  const views = await watchedTree({ "work/a": "a\n", "work/cache/.gitignore": "*\n", "work/vendor/lib/x": "x\n" });
  await using _ = views.project;
  execFileSync("git", ["init", "-q", join(views.top, "vendor/lib")]);
  for (const folder of ["cache", "vendor"]) {
    await views.names();
    rmSync(join(views.top, folder), { recursive: true });
    writeFileSync(join(views.top, folder), "a file\n");
    expect(await views.names()).toContain(folder);
  }
});

test("a folder that moves away and back is found where it is", async () => {
  const views = await watchedTree({ "work/a": "a\n", "work/src/f": "f\n" });
  await using _ = views.project;
  await views.names();
  renameSync(join(views.top, "src"), join(views.top, "lib"));
  expect(await views.names()).toEqual(["a", "lib/f"]);
  mkdirSync(join(views.top, "src"));
  renameSync(join(views.top, "lib/f"), join(views.top, "src/f"));
  expect(await views.names()).toEqual(["a", "src/f"]);
});
