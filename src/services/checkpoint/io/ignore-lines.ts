import { join } from "node:path";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import { rebuildableNames } from "../../../contracts/rebuildable-folders.ts";
import type { Environment } from "../../../platform/env.ts";
import type { Repository } from "../../../platform/git/repository.ts";
import { runCaptured } from "../../../platform/processes/run-captured.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

const MAX_RULES_BYTES = 1024 * 1024;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Most folders with tracked files whose names otherwise mean that a program can recreate them. */
const MAX_TRACKED = 200;

export type IgnoreQuestion = {
  /** Absolute path of git. */
  readonly git: string;
  readonly environment: Environment;
  /** Undefined outside a repository. */
  readonly repository: Repository | undefined;
};

/**
 * The ignore rules of a work tree besides its own `.gitignore` files, as lines of one file: folders that programs can
 * recreate, the person's rules for all repositories, and `info/exclude` of the repository. Only reads the repository;
 * git starts no other program.
 */
export async function ignoreLines(question: IgnoreQuestion, signal: AbortSignal): Promise<readonly string[]> {
  const { repository } = question;
  const names = rebuildableNames(repository !== undefined);
  const [tracked, own] = await Promise.all([
    repository ? trackedAmong(question, names, signal) : [],
    personsRules(question, signal),
  ]);
  const exclude = repository && readRules(join(repository.commonFolder, "info", "exclude"));
  return [
    ...names.map((name) => `${name}/`),
    ...tracked.map((folder) => `!/${escaped(folder)}/`),
    ...(own?.split("\n") ?? []),
    ...(exclude?.split("\n") ?? []),
  ];
}

function readRules(path: string): string | undefined {
  return orUndefined(() => readSmallFile(path, MAX_RULES_BYTES));
}

/** git-config(1), core.excludesFile. */
async function personsRules(question: IgnoreQuestion, signal: AbortSignal): Promise<string | undefined> {
  const { environment } = question;
  const printed = await ask(question, ["config", "--type=path", "--get", "core.excludesFile"], signal);
  const configured = printed?.replace(/\n$/, "");
  if (configured) return readRules(configured);
  const settings = environment["XDG_CONFIG_HOME"] || (environment["HOME"] && join(environment["HOME"], ".config"));
  return settings ? readRules(join(settings, "git", "ignore")) : undefined;
}

/** The folders of these names in which the person's git tracks files; relative to the top. */
async function trackedAmong(question: IgnoreQuestion, names: readonly string[], signal: AbortSignal) {
  const patterns = names.map((name) => `:(glob)**/${name}/**`);
  const printed = await ask(question, ["ls-files", "-z", "--", ...patterns], signal);
  const folders = new Set<string>();
  for (const path of printed?.split("\0") ?? []) {
    const parts = path.split("/");
    const at = parts.findIndex((part) => names.includes(part));
    if (at >= 0) folders.add(parts.slice(0, at + 1).join("/"));
    if (folders.size >= MAX_TRACKED) break;
  }
  return [...folders];
}

async function ask({ git, environment, repository }: IgnoreQuestion, args: readonly string[], signal: AbortSignal) {
  const env: Record<string, string> = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" };
  for (const name of ["HOME", "XDG_CONFIG_HOME", "PATH"]) {
    const value = environment[name];
    if (value) env[name] = value;
  }
  const place = repository ? [`--git-dir=${repository.gitFolder}`, `--work-tree=${repository.top}`] : [];
  const run = {
    file: git,
    args: ["-c", "core.fsmonitor=false", ...place, ...args],
    cwd: repository?.top ?? "/",
    env,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
  const done = await runCaptured(run, signal);
  return done.kind === "ended" && done.exitCode === 0 ? done.stdout : undefined;
}

/** A name as an ignore rule that matches only it (gitignore(5)). */
export function escaped(name: string): string {
  return name.replace(/[\\*?[\] ]/g, "\\$&");
}
