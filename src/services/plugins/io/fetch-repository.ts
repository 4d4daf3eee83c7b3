import { UserFacingError } from "../../../contracts/errors.ts";
import type { Environment } from "../../../platform/env.ts";
import {
  type GitSetting,
  gitEnvironment,
  HARMLESS_SETTINGS,
  SETTINGS_VARIABLES,
} from "../../../platform/git/harmless-git.ts";
import { findProgram } from "../../../platform/processes/find-program.ts";
import { runCaptured } from "../../../platform/processes/run-captured.ts";

const FETCH_MS = 120_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_TOLD_CHARS = 300;

/** Variables for the person's access to repositories. */
const PASSED_ON = [
  ...SETTINGS_VARIABLES,
  ...["SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "GIT_SSL_CAINFO"],
];
/** No program of a repository may be started, and git must not wait for a person. */
const SETTINGS: readonly GitSetting[] = [
  ...HARMLESS_SETTINGS,
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["init.templateDir", ""],
  ["core.autocrlf", "false"],
];
const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  GCM_INTERACTIVE: "never",
  GIT_ALLOW_PROTOCOL: "https:ssh:file",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
};

export type RepositoryRequest = {
  readonly url: string;
  readonly ref?: string | undefined;
  readonly sha?: string | undefined;
};

/**
 * Fetches one commit of a repository, without its history and submodules, into an empty folder.
 * @param folder Absolute; it exists.
 * @returns the id of the commit.
 * @throws {UserFacingError} git is missing or failed, with its message; the abort reason of `signal`.
 */
export async function fetchRepository(
  { url, ref, sha }: RepositoryRequest,
  { folder, environment }: { readonly folder: string; readonly environment: Environment },
  signal: AbortSignal,
): Promise<string> {
  const program = findProgram("git", environment["PATH"] ?? "");
  if (program === undefined) throw new UserFacingError("git is not installed: it is needed to fetch plugins.");
  const env = gitEnvironment(environment, { fixed: FIXED, passedOn: PASSED_ON, settings: SETTINGS });
  const run = async (...args: readonly string[]): Promise<string> => {
    const captured = await runCaptured(
      { file: program, args, cwd: folder, env, timeoutMs: FETCH_MS, maxBytes: MAX_OUTPUT_BYTES, dropsExcess: true },
      signal,
    );
    if (captured.kind === "ended" && captured.exitCode === 0) return captured.stdout.trim();
    throw new UserFacingError(`${shownUrl(url)} can't be fetched: ${reasonOf(captured)}.`);
  };
  await run("init", "-q", "--template=");
  await run("fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, sha ?? ref ?? "HEAD");
  await run("checkout", "-q", "--detach", "FETCH_HEAD");
  const commit = await run("rev-parse", "HEAD");
  if (sha !== undefined && commit.toLowerCase() !== sha.toLowerCase())
    throw new UserFacingError(`${shownUrl(url)} gave the commit ${commit} instead of ${sha}.`);
  return commit;
}

function reasonOf(captured: Exclude<Awaited<ReturnType<typeof runCaptured>>, never>): string {
  switch (captured.kind) {
    case "ended":
      return captured.stderr.trim().split("\n").at(-1)?.slice(0, MAX_TOLD_CHARS).replace(/\.$/, "") || "git failed";
    case "timeout":
      return `it took longer than ${FETCH_MS / 1000} s`;
    case "too-large":
      return "git printed too much";
    case "not-started":
      return `git could not be started (${captured.reason})`;
  }
}

function shownUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}
