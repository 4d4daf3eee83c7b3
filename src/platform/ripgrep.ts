import { spawn } from "node:child_process";
import { delimiter, isAbsolute, join } from "node:path";
import { lazy } from "@quoll/async/lazy";
import { orUndefined } from "../contracts/or-undefined.ts";
import type { Environment } from "./env.ts";
import { hasRights } from "./files/kind-at.ts";

const MIN_MAJOR_VERSION = 13;
const VERSION_TIMEOUT_MS = 2_000;
const MAX_STDERR_CHARS = 64 * 1024;
const MAX_DATA_KIB = 140 * 1024;
/** Variables that rg needs to find git's global excludes. Its own configuration file is disabled. */
const PASSED_ON = ["HOME", "XDG_CONFIG_HOME", "PATH", "LANG", "LC_ALL", "SystemRoot"] as const;

export type RipgrepSearch = {
  readonly environment: Environment;
  /** True if a program found on PATH may run: false inside the workspace, where untrusted code may have planted it. */
  readonly isTrusted: (path: string) => boolean;
  /**
   * Returns the path of the embedded rg, copied to the disk. With it, no package is searched. If it throws, the disk takes no copy, and the
   * system's rg is used.
   */
  readonly embedded?: () => string | undefined;
};

/** Runs rg. */
export type Ripgrep = (request: RipgrepRequest) => Promise<RipgrepRun>;

/** With the path of that rg. */
export type FoundRipgrep = Ripgrep & { readonly path: string };

/**
 * Finds a ripgrep: the bundled one (embedded, or from `@vscode/ripgrep`), or else the system's if it is version 13 or
 * newer.
 * @returns undefined if no suitable ripgrep exists.
 */
export async function findRipgrep(search: RipgrepSearch): Promise<FoundRipgrep | undefined> {
  const own = search.embedded ? copied(search.embedded) : await packagedRipgrep();
  const path = own ?? (await systemRipgrep(search));
  if (path === undefined) return undefined;
  const program = { path, environment: search.environment };
  return Object.assign((request: RipgrepRequest) => runRipgrep(program, request), { path });
}

/** Like `findRipgrep`, but searches only at the first call. */
export function ripgrepFinder(search: RipgrepSearch): () => Promise<FoundRipgrep | undefined> {
  return lazy(() => findRipgrep(search));
}

async function systemRipgrep(search: RipgrepSearch): Promise<string | undefined> {
  for (const path of onPath(search)) {
    if ((await majorVersion({ path, environment: search.environment })) >= MIN_MAJOR_VERSION) return path;
  }
  return undefined;
}

function onPath({ environment, isTrusted }: RipgrepSearch): readonly string[] {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set(folders)]
    .map((folder) => join(folder, "rg"))
    .filter((path) => !path.includes("node_modules") && isTrusted(path) && hasRights(path, "x"));
}

/** A home folder may be read-only, or its disk full. */
function copied(embedded: NonNullable<RipgrepSearch["embedded"]>): string | undefined {
  return orUndefined(() => embedded());
}

async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return hasRights(rgPath, "x") ? rgPath : undefined;
  } catch {
    // No package for this platform, or an artefact without node_modules beside it.
    return undefined;
  }
}

type Program = { readonly path: string; readonly environment: Environment };

async function majorVersion(program: Program): Promise<number> {
  let output = "";
  try {
    await runRipgrep(program, {
      args: ["--no-config", "--version"],
      cwd: "/",
      signal: new AbortController().signal,
      timeoutMs: VERSION_TIMEOUT_MS,
      onOutput: (chunk) => {
        output += chunk.toString("latin1");
        return output.length < MAX_STDERR_CHARS;
      },
    });
  } catch {
    // The program can't be started.
    return 0;
  }
  return Number(/^ripgrep (\d+)\./.exec(output)?.[1] ?? 0);
}

type RipgrepRequest = {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Receives the output of rg; false stops rg. */
  readonly onOutput: (chunk: Buffer) => boolean;
};

export type RipgrepRun = {
  /** How the run ended: by itself, at its time limit, or because `onOutput` stopped it. */
  readonly endedBy: "itself" | "time" | "size";
  /** 0: found, 1: found nothing, 2: an error (perhaps with results); undefined when it was stopped. */
  readonly exitCode: number | undefined;
  readonly stderr: string;
};

/**
 * Memory limit on Linux: for a line of hundreds of megabytes, rg would use several times its length; with the limit, rg
 * fails with a message on stderr.
 */
function withinMemory(path: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (process.platform !== "linux") return [path, args];
  return ["/bin/sh", ["-c", `ulimit -d ${MAX_DATA_KIB}; exec "$0" "$@"`, path, ...args]];
}

/**
 * Runs rg to its end. Stops rg with SIGKILL at once, since rg only reads.
 * @throws {Error} rg could not be started; the abort reason when `signal` aborts.
 */
function runRipgrep({ path, environment }: Program, request: RipgrepRequest): Promise<RipgrepRun> {
  const { args, cwd, signal, timeoutMs, onOutput } = request;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const env = Object.fromEntries(PASSED_ON.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
    const [program, words] = withinMemory(path, args);
    const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    let endedBy: RipgrepRun["endedBy"] = "itself";
    let stderr = "";
    const end = (why: RipgrepRun["endedBy"]) => {
      if (endedBy === "itself") endedBy = why;
      child.kill("SIGKILL");
    };
    const onAbort = () => child.kill("SIGKILL");
    const timer = setTimeout(() => end("time"), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    child.stdout.on("data", (chunk: Buffer) => {
      if (endedBy === "itself" && !onOutput(chunk)) end("size");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text;
    });
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    child.on("close", (code) => {
      settle();
      if (signal.aborted) reject(signal.reason);
      else if (code === 126 || code === 127) reject(new Error(`rg could not be started: ${stderr.trim()}`));
      else resolve({ endedBy, exitCode: code ?? undefined, stderr });
    });
  });
}
