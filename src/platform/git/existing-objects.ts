import { runCaptured } from "../processes/run-captured.ts";

export type ObjectQuery = {
  /** Absolute path of git. */
  readonly git: string;
  /** HOME and similar variables, for the user's own settings. */
  readonly env: Readonly<Record<string, string>>;
  /** The repository's git folder: absolute. */
  readonly gitFolder: string;
};

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Selects the names (`main:AGENTS.md`, gitrevisions(7)) that are objects of a repository. Runs one git process for all
 * names; git reads no index, fetches nothing and starts no other program. Empty when git fails.
 * @param names Without line breaks.
 */
export async function existingObjects(
  { git, env, gitFolder }: ObjectQuery,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const run = {
    file: git,
    args: [`--git-dir=${gitFolder}`, "-c", "core.fsmonitor=false", "cat-file", "--batch-check=%(objecttype)"],
    cwd: "/",
    // In a partial clone git would fetch a missing object with a program from the repository's settings.
    env: { ...env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" },
    input: `${names.join("\n")}\n`,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
  const done = await runCaptured(run, signal);
  if (done.kind !== "ended" || done.exitCode !== 0) return new Set();
  const lines = done.stdout.split("\n");
  return new Set(names.filter((_, at) => /^(?:blob|tree|commit)$/.test(lines[at] ?? "")));
}

/** The objects that `git cat-file --batch` printed (git-cat-file(1), BATCH OUTPUT), by name; missing ones are left out. */
export function objectsIn(printed: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf("\n", at);
    const [oid = "", , size] = printed.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (size === undefined) continue;
    found.set(oid, printed.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}
