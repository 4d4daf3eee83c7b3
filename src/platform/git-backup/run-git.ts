import { spawn } from "node:child_process";
import { join } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Environment } from "../env.ts";
import { isInside } from "../paths.ts";
import { absoluteEntries } from "../processes/child-environment.ts";
import { executable } from "../processes/find-program.ts";
import type { Repository } from "./repository.ts";

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_STDERR_CHARS = 16 * 1024;
const MAX_TOLD_CHARS = 300;
/** A repository can be made so that git waits for ever (a FIFO where a file should be). */
const MAX_RUN_MS = 120_000;

/** What git needs to find the user's own ignore file. */
const PASSED_ON = ["HOME", "XDG_CONFIG_HOME", "PATH", "TMPDIR"] as const;

/**
 * A repository's own configuration must start nothing: no hook, no file system monitor, no maintenance. Transports are closed,
 * since a partial clone would fetch what it lacks. Filters, textconv, external diffs and signing are kept out by the commands
 * used: none of them reads or writes a work tree's content.
 */
const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.untrackedCache", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["commit.gpgSign", "false"],
];
const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
};

/** The author of commits that nobody wrote. */
const IDENTITY = { NAME: "Quoll", EMAIL: "quoll@localhost" } as const;

export type GitRun = {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Writes what git is given on stdin; closed at once when left out. */
  readonly input?: (write: (bytes: string | Uint8Array) => Promise<void>) => Promise<void>;
  /** Set for a run that writes objects elsewhere than in the repository. */
  readonly objectsFolder?: string;
  readonly alternateObjects?: string;
  /** Two minutes when left out. */
  readonly maxRunMs?: number;
};

/** A git on one repository: of every run the work tree, the index, the stash and the configuration stay as they are. */
export type Git = {
  readonly repository: Repository;
  /**
   * @returns what it printed.
   * @throws {ToolFailedError} it failed, in its words; the abort reason when `signal` aborts.
   */
  run(run: GitRun): Promise<Buffer>;
  /** The same, and undefined where git says no (exit code 1, or 128 without one). */
  ask(run: GitRun): Promise<Buffer | undefined>;
};

/** The git of the search path, unless a project could have put it there. */
export function findGit(environment: Environment, mayHavePut: readonly string[]): string | undefined {
  for (const folder of absoluteEntries(environment["PATH"] ?? "")) {
    const candidate = join(folder, "git");
    const found = executable(candidate);
    if (found === undefined || candidate.includes("/node_modules/")) continue;
    if (!mayHavePut.some((root) => isInside(root, found) || isInside(root, candidate))) return found;
  }
  return undefined;
}

export function gitOn(repository: Repository, program: string, environment: Environment): Git {
  const env = gitEnvironment(repository, environment);
  const start = (run: GitRun) => runGit(program, { ...env, ...objectVariables(run) }, repository, run);
  return {
    repository,
    run: async (run) => {
      const { exitCode, stdout, stderr } = await start(run);
      if (exitCode === 0) return stdout;
      const said = stderr.trim().split("\n").at(-1)?.slice(0, MAX_TOLD_CHARS) || `exit code ${exitCode}`;
      throw new ToolFailedError(`git ${run.args[0] ?? ""} failed in ${repository.top}: ${said}.`);
    },
    ask: async (run) => {
      const { exitCode, stdout } = await start(run);
      return exitCode === 0 ? stdout : undefined;
    },
  };
}

function gitEnvironment(repository: Repository, environment: Environment): Record<string, string> {
  const env: Record<string, string> = { ...FIXED };
  for (const name of PASSED_ON) {
    const value = environment[name];
    if (value) env[name] = value;
  }
  env["GIT_DIR"] = repository.gitFolder;
  if (!repository.isBare) env["GIT_WORK_TREE"] = repository.top;
  OVERRIDES.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  env["GIT_CONFIG_COUNT"] = String(OVERRIDES.length);
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const [part, value] of Object.entries(IDENTITY)) env[`GIT_${role}_${part}`] = value;
  }
  return env;
}

function objectVariables({ objectsFolder, alternateObjects }: GitRun): Record<string, string> {
  return {
    ...(objectsFolder !== undefined && { GIT_OBJECT_DIRECTORY: objectsFolder }),
    ...(alternateObjects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: cQuoted(alternateObjects) }),
  };
}

/** A text in git's quotes (quote.c): every name can be written so. */
export function cQuoted(text: string): string {
  const escaped = [...text.replace(/[\\"]/g, "\\$&")].map((sign) =>
    sign < " " || sign === "\x7f" ? octal(sign) : sign,
  );
  return `"${escaped.join("")}"`;
}

function octal(sign: string): string {
  return `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

type Ended = { readonly exitCode: number | undefined; readonly stdout: Buffer; readonly stderr: string };

/** Runs in a process group of its own, which an abort ends at once: nothing that git does here must be finished. */
function runGit(
  program: string,
  env: Record<string, string>,
  { top }: Repository,
  { args, signal, input, maxRunMs = MAX_RUN_MS }: GitRun,
): Promise<Ended> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { cwd: top, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = "";
    let failure: unknown;
    const end = (why: unknown) => {
      failure ??= why;
      killGroup(child.pid);
    };
    const onAbort = () => end(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(
      () => end(new ToolFailedError(`git ${args[0] ?? ""} takes too long in ${top}.`)),
      maxRunMs,
    );
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) end(new ToolFailedError(`git ${args[0] ?? ""} lists too much in ${top}.`));
      else chunks.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text;
    });
    // A git that ends early closes its input: its exit code says why.
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      settle();
      reject(new ToolFailedError(`git could not be started in ${top} (${error.message}).`, { cause: error }));
    });
    child.on("close", (code) => {
      settle();
      if (failure !== undefined) reject(failure);
      else resolve({ exitCode: code ?? undefined, stdout: Buffer.concat(chunks), stderr });
    });
    void feed(child.stdin, input).catch(end);
  });
}

async function feed(stdin: NodeJS.WritableStream, input: GitRun["input"]): Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    stdin.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  try {
    await input?.(async (bytes) => {
      if (isClosed || stdin.write(bytes)) return;
      await Promise.race([new Promise<void>((resolve) => void stdin.once("drain", () => resolve())), closed]);
    });
  } finally {
    stdin.end();
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
