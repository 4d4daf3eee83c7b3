import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { CheckpointStore, StoredChange, StoredState } from "../../../src/contracts/checkpoint.ts";
import { findGit } from "../../../src/platform/git/find-git.ts";
import { type CheckpointOptions, openCheckpoints } from "../../../src/services/checkpoint/checkpointing.ts";
import { tempProject } from "../../support/temp-project.ts";

const NEVER = new AbortController().signal;

/**
 * A work root `work` with real files, a home folder, and a folder for checkpoints beside it. Each `open` is another
 * process as far as the store can tell.
 */
export async function checkpointPlace(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const place = await tempProject();
  const root = place.path("work");
  const home = place.path("home");
  mkdirSync(root);
  mkdirSync(home);
  for (const [name, content] of Object.entries(files)) await place.write(`work/${name}`, content);
  let count = 0;
  let time = 1_700_000_000_000;
  const now = () => {
    time += 1;
    return time;
  };
  const nextId = () => {
    count += 1;
    return `id-${process.pid}-${count}`;
  };
  const environment = { PATH: process.env["PATH"], HOME: home };
  const opened: { store: CheckpointStore }[] = [];
  const open = (options: Partial<CheckpointOptions> = {}) => {
    const made = openCheckpoints({
      folder: place.path("checkpoints"),
      sessionId: "session-a",
      home,
      environment,
      git: findGit(process.env, []),
      clock: { now, monotonicMs: () => performance.now(), sleep: () => Promise.resolve() },
      ids: { next: nextId },
      firstWaitMs: 60_000,
      ...options,
    });
    opened.push(made);
    return made;
  };
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    root,
    home,
    folder: place.path("checkpoints"),
    path: (name: string) => `${root}/${name}`,
    write: (name: string, content: string | Uint8Array) => place.write(`work/${name}`, content),
    read: (name: string) => place.read(`work/${name}`),
    place,
    now,
    open,
    git,
    async [Symbol.asyncDispose]() {
      for (const { store } of opened) await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

export type CheckpointPlace = Awaited<ReturnType<typeof checkpointPlace>>;

export function stateOf(store: CheckpointStore, root: string, named: readonly string[] = []): Promise<StoredState> {
  return store.takeState({ cause: { kind: "before" }, roots: [root], named }, NEVER);
}

/** The changes of work, by path below the root: `created`, `changed`, `deleted`, with a `/` after folders. */
export async function changesOf(store: CheckpointStore, root: string, work: () => unknown) {
  const before = await stateOf(store, root);
  await work();
  const after = await stateOf(store, root);
  return { before, after, changes: await store.changesBetween(before, after, NEVER) };
}

export function briefly(root: string, changes: readonly StoredChange[]): readonly string[] {
  return changes
    .map(({ path, before, after }) => {
      const isFolder = (before ?? after)?.kind === "folder";
      const verb = before === null ? "+" : after === null ? "-" : "~";
      return `${verb}${path.slice(root.length + 1)}${isFolder ? "/" : ""}`;
    })
    .sort();
}

/** A turn of the agent: its changes are recorded as those of a command. */
export async function agentTurn(
  store: CheckpointStore,
  root: string,
  { messageId, command = "make", work }: { messageId: string; command?: string; work: () => unknown },
): Promise<readonly StoredChange[]> {
  await store.takeState({ cause: { kind: "prompt", messageId }, roots: [root] }, NEVER);
  return agentStep(store, root, { messageId, command, work });
}

/** One step of a turn. */
export async function agentStep(
  store: CheckpointStore,
  root: string,
  { messageId, command = "make", work }: { messageId: string; command?: string; work: () => unknown },
): Promise<readonly StoredChange[]> {
  const { changes } = await changesOf(store, root, work);
  const files = changes.map(({ path, before, after }) => ({ path, before, after }));
  await store.record({ messageId, toolUseIds: ["t"], agentIds: ["main"], files, commands: [command], outside: [] });
  return changes;
}

/** A call of a tool that writes only the files which it names. */
export async function agentEdit(
  store: CheckpointStore,
  { messageId, paths, work }: { messageId: string; paths: readonly string[]; work: () => unknown },
): Promise<void> {
  const before = await store.keepCopies(paths, NEVER);
  await work();
  const files = await store.changesSince(before, NEVER);
  await store.record({ messageId, toolUseIds: ["t"], agentIds: ["main"], files, commands: [], outside: [] });
}
