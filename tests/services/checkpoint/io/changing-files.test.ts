import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { ObjectStore } from "../../../../src/services/checkpoint/io/object-store.ts";
import { ROOT_LIMITS, RootTree } from "../../../../src/services/checkpoint/io/root-tree.ts";
import { lazyShadowGit, type ShadowGit } from "../../../../src/services/checkpoint/io/shadow-git.ts";
import { tempProject } from "../../../support/temp-project.ts";

const NEVER = new AbortController().signal;

test("a file that changes again while it is stored is in the state with its newest content", async () => {
  await using project = await tempProject({ "work/one.txt": "before\n", excludes: "" });
  const shadow = lazyShadowGit(findGit(process.env, []) ?? "git", project.path("objects.git"), {
    PATH: process.env["PATH"],
  });
  const file = project.path("work/one.txt");
  let next: string | undefined;
  // Right before git reads the file, a person writes it.
  const git: ShadowGit = (run) => {
    if (run.args.includes("update-index") && next !== undefined) writeFileSync(file, next);
    return shadow(run);
  };
  const root = { top: project.path("work"), prefix: "", index: project.path("index"), earlierIndex: undefined };
  const objects = new ObjectStore(project.path("objects.git/objects"), shadow);
  const limits = { ...ROOT_LIMITS, maxKnown: 0 };
  const tree = new RootTree({ ...root, git, objects, excludes: project.path("excludes"), limits });
  const before = await tree.state(NEVER);
  writeFileSync(file, "the agent\n");
  next = "the person, a moment later\n";
  const after = await tree.state(NEVER);
  expect(after.tree).not.toBe(before.tree);
  const listed = (await shadow({ args: ["ls-tree", after.tree], signal: NEVER })).toString();
  const oid = /[0-9a-f]{40}/.exec(listed)?.[0] ?? "";
  expect((await objects.read(oid, NEVER))?.toString()).toBe("the person, a moment later\n");
});
