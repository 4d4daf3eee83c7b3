import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_FILE_MODE } from "../../../platform/private-file.ts";
import { type CheckpointRecord, objectsOf } from "../checkpoint-record.ts";
import { ObjectStore, type TreeEntry } from "./object-store.ts";
import type { ShadowGit } from "./shadow-git.ts";

const INDEXES = "index";
/** The reference to a tree with everything that the records of a project name. */
const KEPT_REF = join("refs", "kept");

export type Garbage = {
  /** The folder of a project's checkpoints: absolute. */
  readonly folder: string;
  readonly git: ShadowGit;
  readonly records: readonly CheckpointRecord[];
  /** Objects that are newer are kept, because a running session may have just written them: git's words for a time. */
  readonly expire: string;
};

/** Deletes the contents that no record and no index of a project names. @throws {Error} git or the system failed. */
export async function collectGarbage(garbage: Garbage, signal: AbortSignal): Promise<void> {
  const { folder, git, records, expire } = garbage;
  const repository = join(folder, "objects.git");
  if (!existsSync(repository)) return;
  const trees = await treesOfIndexes(folder, git, signal);
  const named = [...records.flatMap(objectsOf), ...trees.map((oid) => ({ oid, isTree: true }))];
  const isThere = await existing([...new Set(named.map(({ oid }) => oid))], git, signal);
  const kept = new Map(named.filter(({ oid }) => isThere.has(oid)).map((one) => [one.oid, one]));
  const entries = [...kept.values()].map(
    ({ oid, isTree }): TreeEntry => ({ name: oid, mode: isTree ? "40000" : "100644", oid }),
  );
  const tree = new ObjectStore(join(repository, "objects"), git).writeTree(entries);
  writeFileSync(join(repository, KEPT_REF), `${tree}\n`, { mode: PRIVATE_FILE_MODE });
  await git({ args: ["repack", "-q", "-A", "-d", `--unpack-unreachable=${expire}`], signal });
  await git({ args: ["prune", `--expire=${expire}`], signal });
}

/** Deletes the indexes of ended sessions, except for the newest, from which the next session starts. */
export function trimIndexes(folder: string, isInUse: (sessionId: string) => boolean): void {
  for (const name of sessionsByAge(folder).slice(1))
    if (!isInUse(name)) rmSync(join(folder, INDEXES, name), { recursive: true, force: true });
}

function sessionsByAge(folder: string): readonly string[] {
  const indexes = join(folder, INDEXES);
  if (!existsSync(indexes)) return [];
  return readdirSync(indexes)
    .map((name) => ({ name, modifiedMs: statSync(join(indexes, name)).mtimeMs }))
    .sort((a, b) => b.modifiedMs - a.modifiedMs)
    .map(({ name }) => name);
}

async function treesOfIndexes(folder: string, git: ShadowGit, signal: AbortSignal): Promise<readonly string[]> {
  const trees: string[] = [];
  for (const session of sessionsByAge(folder)) {
    const own = join(folder, INDEXES, session);
    for (const file of readdirSync(own).filter((name) => !name.includes("."))) {
      const run = { args: ["write-tree", "--missing-ok"], index: join(own, file), signal };
      const tree = await git(run).catch(() => undefined);
      signal.throwIfAborted();
      if (tree) trees.push(tree.toString("latin1").trim());
    }
  }
  return trees;
}

async function existing(oids: readonly string[], git: ShadowGit, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const input = oids.map((oid) => `${oid}\n`).join("");
  const printed = await git({ args: ["cat-file", "--batch-check"], input, signal });
  const lines = printed.toString("latin1").split("\n");
  return new Set(lines.filter((line) => !line.endsWith(" missing")).map((line) => line.split(" ", 1)[0] ?? ""));
}
