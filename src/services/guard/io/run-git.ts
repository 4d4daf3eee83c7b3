import { spawn } from "node:child_process";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Environment } from "../../../platform/env.ts";
import {
  type GitSetting,
  gitEnvironment,
  HARMLESS_SETTINGS,
  HARMLESS_VARIABLES,
  SETTINGS_VARIABLES,
} from "../../../platform/git/harmless-git.ts";
import type { Repository } from "../../../platform/git/repository.ts";

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_STDERR_CHARS = 16 * 1024;
const MAX_TOLD_CHARS = 300;
/** A crafted repository can make git wait forever (a FIFO in place of a file). */
const MAX_RUN_MS = 120_000;

/** Filters, textconv and external diffs never run, because no command used here reads or writes work tree content. */
const SETTINGS: readonly GitSetting[] = [...HARMLESS_SETTINGS, ["commit.gpgSign", "false"]];
const FIXED: Readonly<Record<string, string>> = {
  ...HARMLESS_VARIABLES,
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
};

/** The author of backup commits. */
const IDENTITY = { NAME: "Quoll", EMAIL: "quoll@localhost" } as const;

export type GitRun = {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Writes to git's stdin; if absent, stdin is closed at once. */
  readonly input?: (write: (bytes: string | Uint8Array) => Promise<void>) => Promise<void>;
  /** Default: two minutes. */
  readonly maxRunMs?: number;
};

/** The records that a command prints with `-z`. */
export function recordsOf(output: Buffer): readonly string[] {
  return output
    .toString("utf8")
    .split("\0")
    .filter((record) => record !== "");
}

/** Runs git on one repository. No run changes the work tree, index, stash or configuration. */
export type Git = {
  readonly repository: Repository;
  /**
   * @returns its output.
   * @throws {ToolFailedError} git failed, with its message; the abort reason when `signal` aborts.
   */
  run(run: GitRun): Promise<Buffer>;
  /** Runs git like `run`, but returns undefined if git fails. */
  ask(run: GitRun): Promise<Buffer | undefined>;
};

export function gitOn(repository: Repository, program: string, environment: Environment): Git {
  const env = environmentOf(repository, environment);
  const start = (run: GitRun) => runGit(program, env, repository, run);
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

function environmentOf(repository: Repository, environment: Environment): Record<string, string> {
  const env = gitEnvironment(environment, { fixed: FIXED, passedOn: SETTINGS_VARIABLES, settings: SETTINGS });
  env["GIT_DIR"] = repository.gitFolder;
  if (!repository.isBare) env["GIT_WORK_TREE"] = repository.top;
  for (const role of ["AUTHOR", "COMMITTER"]) {
    for (const [part, value] of Object.entries(IDENTITY)) env[`GIT_${role}_${part}`] = value;
  }
  return env;
}

/** A text in git's quoting (quote.c), which can express every name. */
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

/** Runs git in its own process group, which an abort kills at once: no git run here has to complete. */
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
    const timer = setTimeout(() => end(new ToolFailedError(`git ${args[0] ?? ""} timed out in ${top}.`)), maxRunMs);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) end(new ToolFailedError(`git ${args[0] ?? ""} printed too much in ${top}.`));
      else chunks.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text;
    });
    // If git ends early, its stdin closes; the exit code gives the reason.
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
    // The process has already ended.
  }
}
