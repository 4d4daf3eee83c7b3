import { join } from "node:path";
import type { Environment } from "../../../platform/env.ts";
import { createPrivateFile, makePrivateFolder } from "../../../platform/private-file.ts";
import { runCaptured } from "../../../platform/processes/run-captured.ts";

/** A run that takes longer than this is given up: a FIFO or a dead network folder can block git forever. */
const MAX_RUN_MS = 120_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_TOLD_CHARS = 200;
const PASSED_ON = ["HOME", "PATH", "TMPDIR"] as const;

/** Settings of the person, the machine and the project have no effect: nothing here may start a program. */
const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "false",
};

const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
	symlinks = true
	bare = false
	sharedRepository = 0600
	logallrefupdates = false
	autocrlf = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = /dev/null
	quotePath = false
	precomposeUnicode = false
	protectHFS = false
	protectNTFS = false
	looseCompression = 1
	compression = 1
[pack]
	compression = 1
	window = 0
[gc]
	auto = 0
[maintenance]
	auto = false
`;
/** Files are stored byte by byte, whatever the attributes of the project say. */
const ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";

/** A git run failed. The message has git's own last line. */
export class ShadowGitError extends Error {
  override name = "ShadowGitError";
}

export type ShadowRun = {
  readonly args: readonly string[];
  /** The folder whose files git sees; absent for a run on objects alone. */
  readonly workTree?: string;
  /** The index file: absolute. */
  readonly index?: string;
  /** A file with ignore rules besides those of the work tree: absolute. */
  readonly excludes?: string;
  readonly input?: string;
  /** True for git-check-ignore(1): exit code 1 is an answer, and literal paths are not supported. */
  readonly isIgnoreCheck?: true;
  readonly signal: AbortSignal;
};

/** Runs git on the shadow repository. @returns what git printed. @throws {ShadowGitError} git failed. */
export type ShadowGit = (run: ShadowRun) => Promise<Buffer>;

/**
 * Creates the shadow repository if it is missing: a git folder without branches (gitrepository-layout(5)).
 * @throws {Error} a system error.
 */
function makeShadowRepository(folder: string): void {
  makePrivateFolder(join(folder, "objects", "info"));
  makePrivateFolder(join(folder, "refs"));
  makePrivateFolder(join(folder, "info"));
  createPrivateFile(join(folder, "info", "attributes"), ATTRIBUTES);
  createPrivateFile(join(folder, "config"), CONFIG);
  createPrivateFile(join(folder, "HEAD"), "ref: refs/heads/none\n");
}

/**
 * Git on the shadow repository, which is created at the first run.
 * @param git Absolute path of the program. @param folder The shadow repository.
 */
export function lazyShadowGit(git: string, folder: string, environment: Environment): ShadowGit {
  const run = shadowGit(git, folder, environment);
  let isMade = false;
  return async (request) => {
    if (!isMade) makeShadowRepository(folder);
    isMade = true;
    return run(request);
  };
}

function shadowGit(git: string, folder: string, environment: Environment): ShadowGit {
  const base: Record<string, string> = { ...FIXED };
  for (const name of PASSED_ON) {
    const value = environment[name];
    if (value) base[name] = value;
  }
  return async ({ args, workTree, index, excludes, input = "", isIgnoreCheck, signal }) => {
    const env = {
      ...base,
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
      ...(isIgnoreCheck && { GIT_LITERAL_PATHSPECS: "0" }),
    };
    const rules = excludes === undefined ? [] : ["-c", `core.excludesFile=${excludes}`];
    const place = [`--git-dir=${folder}`, `--work-tree=${workTree ?? folder}`, ...rules];
    const pieces: Buffer[] = [];
    const done = await runCaptured(
      {
        file: git,
        args: [...place, ...args],
        cwd: workTree ?? folder,
        env,
        input,
        timeoutMs: MAX_RUN_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        printed: (piece) => void pieces.push(piece),
      },
      signal,
    );
    if (done.kind === "ended" && (done.exitCode === 0 || (isIgnoreCheck && done.exitCode === 1)))
      return Buffer.concat(pieces);
    throw new ShadowGitError(`git ${commandOf(args)} failed: ${failureOf(done)}`);
  };
}

function commandOf(args: readonly string[]): string {
  return args[0] === "-c" ? commandOf(args.slice(2)) : (args[0] ?? "");
}

function failureOf(done: Exclude<Awaited<ReturnType<typeof runCaptured>>, undefined>): string {
  if (done.kind === "timeout") return "it took too long";
  if (done.kind === "too-large") return "it printed too much";
  if (done.kind === "not-started") return done.reason;
  return done.stderr.trim().split("\n").at(-1)?.slice(0, MAX_TOLD_CHARS) || `exit code ${done.exitCode ?? "none"}`;
}

/** Splits NUL-separated output. A name that is not UTF-8 appears in `unreadable`, in a printable form. */
export function namesIn(output: Buffer): { readonly names: readonly string[]; readonly unreadable: readonly string[] } {
  const names: string[] = [];
  const unreadable: string[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    const bytes = output.subarray(at, end < 0 ? output.length : end);
    const text = bytes.toString("utf8");
    if (text.includes("\ufffd") && !Buffer.from(text).equals(bytes)) unreadable.push(bytes.toString("latin1"));
    else if (text !== "") names.push(text);
    at = end < 0 ? output.length : end + 1;
  }
  return { names, unreadable };
}
