import { lstatSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../../../../src/platform/git/find-git.ts";
import { ObjectStore } from "../../../../src/services/checkpoint/io/object-store.ts";
import { ROOT_LIMITS, type RootLimits, RootTree } from "../../../../src/services/checkpoint/io/root-tree.ts";
import { lazyShadowGit, type ShadowGit } from "../../../../src/services/checkpoint/io/shadow-git.ts";
import { until } from "../../../support/engine-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";

/** Stat data that is older than this is trusted. */
const SURE_MS = 60;

type Place = { readonly prefix?: string; readonly limits?: Partial<RootLimits> };

/** Two views of one work tree: one that may look without git, and one that always asks git. */
export async function treeViews(files: Readonly<Record<string, string>>, { prefix = "", limits }: Place = {}) {
  const project = await tempProject({ ...files, excludes: "node_modules/\n" });
  const top = project.path("work");
  const shadow = lazyShadowGit(findGit(process.env, []) ?? "git", project.path("objects.git"), {
    PATH: process.env["PATH"],
  });
  const objects = new ObjectStore(project.path("objects.git/objects"), shadow);
  const runs: string[] = [];
  const waiting = new Map<string, () => void>();
  const counted: ShadowGit = async (run) => {
    runs.push(run.args[0] ?? "");
    const printed = await shadow(run);
    for (const [word, work] of waiting) if (run.args.includes(word) && waiting.delete(word)) work();
    return printed;
  };
  const parts = { top, prefix, objects, earlierIndex: undefined, excludes: project.path("excludes") };
  const all = { ...ROOT_LIMITS, ...limits };
  return {
    top,
    runs,
    project,
    objects,
    known: new RootTree({ ...parts, git: counted, index: project.path("known"), limits: all }),
    asked: new RootTree({ ...parts, git: shadow, index: project.path("asked"), limits: { ...all, maxKnown: 0 } }),
    /** Does something once, right after the next run of git for the first view that has this word. */
    afterGit: (word: string, work: () => void) => void waiting.set(word, work),
    /** Waits until the stat data of these paths is old enough to be trusted. */
    old: (...paths: readonly string[]) =>
      until(() => paths.every((path) => Date.now() - lstatSync(join(top, path)).ctimeMs > SURE_MS)),
    /** The files of a tree with their contents, as git reads them. */
    listed: async (tree: string) =>
      (await shadow({ args: ["ls-tree", "-r", "-t", tree], signal: new AbortController().signal })).toString(),
  };
}
