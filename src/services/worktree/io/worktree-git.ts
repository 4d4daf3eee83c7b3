import { join } from "node:path";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { Environment } from "../../../platform/env.ts";
import {
  type GitSetting,
  gitEnvironment,
  HARMLESS_SETTINGS,
  HARMLESS_VARIABLES,
  SETTINGS_VARIABLES,
} from "../../../platform/git/harmless-git.ts";
import type { Repository } from "../../../platform/git/repository.ts";
import { type CapturedRun, runCaptured } from "../../../platform/processes/run-captured.ts";

/** A checkout of a large repository takes minutes on a slow disk. */
const TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
const MAX_TOLD_CHARS = 300;

/** Filters are handled separately. */
const OVERRIDES: readonly GitSetting[] = [
  ...HARMLESS_SETTINGS,
  ["submodule.recurse", "false"],
  ["status.showUntrackedFiles", "all"],
  ["advice.detachedHead", "false"],
];

export type GitSettings = {
  /** Absolute path of git. */
  readonly program: string;
  readonly environment: Environment;
  /** False: filters that the repository itself defines don't run (gitattributes(5), "filter"). */
  readonly isTrusted: boolean;
};

export type GitAnswer = { readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string };

/** Runs git on one work tree, without hooks, network and other programs that an untrusted repository names. */
export class WorktreeGit {
  readonly #settings: GitSettings;
  readonly #at: Pick<Repository, "top" | "gitFolder">;
  #overrides: readonly GitSetting[] | undefined;

  constructor(settings: GitSettings, at: Pick<Repository, "top" | "gitFolder">) {
    this.#settings = settings;
    this.#at = at;
  }

  /** The same git on another work tree of the repository. */
  at(top: string, gitFolder: string): WorktreeGit {
    return new WorktreeGit(this.#settings, { top, gitFolder });
  }

  /**
   * @returns its output.
   * @throws {UserFacingError} git failed, with its last line; the abort reason when `signal` aborts.
   */
  async run(args: readonly string[], signal: AbortSignal): Promise<string> {
    const answer = await this.ask(args, signal);
    this.#assertDone(args, answer);
    return answer.stdout;
  }

  /** The same with the bytes of its output, which may be texts in several encodings. */
  async runForBytes(args: readonly string[], signal: AbortSignal): Promise<Buffer> {
    this.#overrides ??= await this.#allOverrides(signal);
    const pieces: Buffer[] = [];
    const printed = (piece: Buffer) => void pieces.push(piece);
    this.#assertDone(args, await this.#start(args, this.#overrides, signal, { printed }));
    return Buffer.concat(pieces);
  }

  #assertDone(args: readonly string[], { exitCode, stderr }: GitAnswer): void {
    if (exitCode === 0) return;
    const said = stderr.trim().split("\n").at(-1)?.slice(0, MAX_TOLD_CHARS).replace(/\.$/, "");
    throw new UserFacingError(`git ${args[0] ?? ""} failed in ${this.#at.top}: ${said || `exit code ${exitCode}`}.`);
  }

  /** Also answers when git fails. @throws {UserFacingError} git could not run to its end. */
  async ask(args: readonly string[], signal: AbortSignal, input?: string): Promise<GitAnswer> {
    this.#overrides ??= await this.#allOverrides(signal);
    return this.#start(args, this.#overrides, signal, input === undefined ? {} : { input });
  }

  async #allOverrides(signal: AbortSignal): Promise<readonly GitSetting[]> {
    if (this.#settings.isTrusted) return OVERRIDES;
    const args = ["config", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter\\."];
    const { exitCode, stdout, stderr } = await this.#start(args, OVERRIDES, signal);
    // 1: there are none.
    if (exitCode !== 0 && exitCode !== 1)
      throw new UserFacingError(`git can't read the settings of ${this.#at.top}: ${stderr.trim()}.`);
    const parts = stdout.split("\0");
    const own = parts.filter((_, at) => at % 2 === 1 && /^(?:local|worktree)$/.test(parts[at - 1] ?? ""));
    return [...OVERRIDES, ...own.map((key) => [key, key.endsWith(".required") ? "false" : ""] as const)];
  }

  async #start(
    args: readonly string[],
    overrides: readonly GitSetting[],
    signal: AbortSignal,
    streams: Pick<CapturedRun, "input" | "printed"> = {},
  ): Promise<GitAnswer> {
    const { program, environment } = this.#settings;
    const { top, gitFolder } = this.#at;
    const ended = await runCaptured(
      {
        file: program,
        args,
        cwd: top,
        env: environmentOf(environment, { top, gitFolder }, overrides),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        ...streams,
      },
      signal,
    );
    switch (ended.kind) {
      case "ended":
        return ended;
      case "timeout":
        throw new UserFacingError(`git ${args[0] ?? ""} took longer than ${TIMEOUT_MS / 60_000} minutes in ${top}.`);
      case "too-large":
        throw new UserFacingError(`git ${args[0] ?? ""} printed too much in ${top}.`);
      case "not-started":
        throw new UserFacingError(`git could not be started in ${top} (${ended.reason}).`);
    }
  }
}

function environmentOf(
  environment: Environment,
  { top, gitFolder }: Pick<Repository, "top" | "gitFolder">,
  settings: readonly GitSetting[],
): Record<string, string> {
  const env = gitEnvironment(environment, { fixed: HARMLESS_VARIABLES, passedOn: SETTINGS_VARIABLES, settings });
  env["GIT_DIR"] = gitFolder;
  // A bare repository has no work tree.
  if (gitFolder !== top) env["GIT_WORK_TREE"] = top;
  return env;
}

/** Files that exist in git's own folder while an operation waits to be continued. */
export const UNFINISHED = [
  "rebase-merge",
  "rebase-apply",
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "BISECT_LOG",
].map((name) => ({ name, in: (gitFolder: string) => join(gitFolder, name) }));
