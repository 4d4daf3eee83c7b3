import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCaptured } from "../processes/run-captured.ts";

/** The settings of a branch that follow it to its upstream. */
export const TRACKING_KEYS = ["remote", "merge", "rebase"] as const;
type TrackingKey = (typeof TRACKING_KEYS)[number];

/** `values`: what to set; undefined removes all of `TRACKING_KEYS`. */
export type BranchChange = {
  readonly branch: string;
  readonly values: Readonly<Partial<Record<TrackingKey, string>>> | undefined;
};

export type GitConfig = {
  /** Absolute path of git. */
  readonly git: string;
  /** For the user's own settings: HOME and its like. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that the repository's work trees share. */
  readonly commonDir: string;
};

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** Where no repository is, so that none of its settings count. */
const NOWHERE = { cwd: "/", gitDir: "/nonexistent" } as const;

/**
 * Settings in force in a repository, the user's own included: names in lower case as git prints them. Reads only: git runs nothing
 * for it. @returns undefined when git can't tell.
 */
export async function readGitConfig(
  config: GitConfig,
  pattern: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const args = [`--git-dir=${config.commonDir}`, "config", "-z", "--get-regexp", pattern];
  const done = await runGit(config, args, signal);
  // 1: nothing matches.
  return done?.exitCode === 0 || done?.exitCode === 1 ? entries(done.stdout) : undefined;
}

/**
 * Changes only `branch.<name>.remote`, `.merge` and `.rebase` in a repository's own file of settings. The file is overwritten in place:
 * confined programs that run have it mounted, and a new file in its place would be open to them.
 * @returns false, with nothing changed, when somebody else holds git's lock, the file is no plain one, or more would change.
 */
export async function changeBranchConfig(
  config: GitConfig,
  changes: readonly BranchChange[],
  signal: AbortSignal,
): Promise<boolean> {
  const path = join(config.commonDir, "config");
  const lock = `${path}.lock`;
  let held: number;
  try {
    held = openSync(lock, "wx", 0o600);
  } catch {
    return false;
  }
  const folder = await mkdtemp(join(tmpdir(), "quoll-config-"));
  try {
    const before = readPlain(path);
    if (before === undefined) return false;
    const after = await changedText({ config, before, changes, copy: join(folder, "config") }, signal);
    if (after === undefined) return false;
    if (!after.equals(before)) overwrite(path, after);
    return true;
  } catch {
    return false;
  } finally {
    closeSync(held);
    rmSync(lock, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}

type Copying = {
  readonly config: GitConfig;
  readonly before: Buffer;
  readonly changes: readonly BranchChange[];
  readonly copy: string;
};

/** What git makes of a copy. @returns undefined when it fails, or changes anything else. */
async function changedText(
  { config, before, changes, copy }: Copying,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  await writeFile(copy, before, { mode: 0o600 });
  const git = (...args: readonly string[]) =>
    runGit(config, [`--git-dir=${NOWHERE.gitDir}`, "config", "--file", copy, ...args], signal);
  const others = async () => {
    const listed = await git("-z", "--list");
    if (listed?.exitCode !== 0) return undefined;
    const names = new Set(changes.flatMap(({ branch }) => TRACKING_KEYS.map((key) => `branch.${branch}.${key}`)));
    return listed.stdout.split("\0").filter((entry) => !names.has(entry.split("\n")[0] ?? ""));
  };
  const untouched = await others();
  for (const { branch, values } of changes)
    for (const key of TRACKING_KEYS) {
      const name = `branch.${branch}.${key}`;
      const value = values?.[key];
      if (values && value === undefined) continue;
      const done = value === undefined ? await git("--unset-all", name) : await git("--replace-all", name, value);
      // 5: there was none to remove.
      if (done?.exitCode !== 0 && !(value === undefined && done?.exitCode === 5)) return undefined;
    }
  const left = await others();
  if (untouched === undefined || left?.join("\0") !== untouched.join("\0")) return undefined;
  return readFile(copy);
}

function readPlain(path: string): Buffer | undefined {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(descriptor);
    return fstatSync(descriptor).isFile() && size <= MAX_BYTES ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function overwrite(path: string, bytes: Buffer): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
    ftruncateSync(descriptor, bytes.length);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function entries(listed: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const entry of listed.split("\0").filter((one) => one !== "")) {
    const at = entry.indexOf("\n");
    const name = at < 0 ? entry : entry.slice(0, at);
    found.set(name, [...(found.get(name) ?? []), at < 0 ? "true" : entry.slice(at + 1)]);
  }
  return found;
}

async function runGit({ git, env }: GitConfig, args: readonly string[], signal: AbortSignal) {
  const fixed = { ...env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
  const run = { file: git, args, cwd: NOWHERE.cwd, env: fixed, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const done = await runCaptured(run, signal);
  return done.kind === "ended" ? done : undefined;
}
