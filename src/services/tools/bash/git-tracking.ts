import { resolve } from "node:path";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import {
  type BranchChange,
  changeBranchConfig,
  type GitConfig,
  readGitConfig,
} from "../../../platform/git/branch-config.ts";
import { findRef } from "../../../platform/git/find-ref.ts";
import { type ConfigFile, findConfigFile } from "../../../platform/git/held-config.ts";
import { findRepository } from "../../../platform/git/repository.ts";
import { findProgram } from "../../../platform/processes/find-program.ts";
import { type BranchIntent, gitConfigUse } from "./git-branch-intents.ts";

type Planned = { readonly file: ConfigFile; readonly existed: boolean; readonly intent: BranchIntent };

/** The tracking changes that a command's words request, and the state before the command. */
export type TrackingPlan = readonly Planned[];

export type TrackingContext = {
  readonly cwd: string;
  readonly workspace: Pick<Workspace, "contains">;
  /** The command's search path and home. */
  readonly env: Readonly<Record<string, string>>;
};

/** git's errors about settings that it cannot write: one per setting, or one for all settings of a deleted branch. */
const COMPLAINT = /^error: could not (?:write|lock) config file .*\n?/gm;
const ADDITION = /^(?:error: unable to write upstream branch configuration|warning: Update of config-file failed)\n?/gm;
/** git-check-ref-format(1). */
const NEVER_IN_NAME = /[\p{Cc}\s~^:?*[\\]|\.\.|@\{|^[-/]|\/$|\/\/|(?:^|\/)\.|\.lock(?:\/|$)|\.$/u;
const MAX_NAME_CHARS = 200;

/** Call this before a confined command runs. @returns undefined if its words request no tracking change. */
export function planTracking(commands: readonly SimpleCommand[], context: TrackingContext): TrackingPlan | undefined {
  const uses = commands.map(gitConfigUse).filter((use) => use !== undefined);
  const planned = uses.flatMap(({ folder, intents }) => {
    const repository = intents.length === 0 ? undefined : findRepository(resolve(context.cwd, folder ?? "."));
    if (!repository || !context.workspace.contains(repository.commonFolder)) return [];
    const file = findConfigFile(repository.commonFolder);
    if (!file) return [];
    return intents
      .filter(({ branch }) => isName(branch))
      .map((intent) => ({ file, existed: hasBranch(file.commonDir, intent.branch), intent }));
  });
  return planned.length === 0 ? undefined : planned;
}

/**
 * Writes the settings that git could not write: `branch.<name>.remote`, `.merge` and `.rebase` of branches that the command created or deleted,
 * as git itself would have done.
 * @returns the number of git's errors that this resolves (`withoutComplaints`).
 */
export async function settleTracking(
  plan: TrackingPlan,
  context: TrackingContext,
  signal: AbortSignal,
): Promise<number> {
  const git = findGit(context);
  if (git === undefined) return 0;
  let answered = 0;
  for (const file of new Map(plan.map((one) => [one.file.commonDir, one.file])).values()) {
    const config: GitConfig = { git, env: context.env, file };
    const settings = await readGitConfig(config, "^(branch|remote|checkout)\\.", signal);
    if (!settings) continue;
    const found = plan
      .filter((one) => one.file.commonDir === file.commonDir)
      .map((one) => ({ ...one, change: changeFor(one, settings) }));
    const changes = found.flatMap(({ change }) => change ?? []);
    const isDone = changes.length > 0 && (await changeBranchConfig(config, changes, signal));
    const made = new Set(changes.map(({ branch }) => branch));
    const complaints = found.map(({ intent, change }) => {
      if (intent.kind === "delete") return change || made.has(intent.branch) ? 1 : 0;
      return Object.keys(change?.values ?? {}).length;
    });
    if (isDone) answered += complaints.reduce((sum, count) => sum + count, 0);
  }
  return answered;
}

/** The output without the resolved errors of git about its settings. */
export function withoutComplaints(text: string, answered: number): string {
  let [left, more] = [answered, answered];
  return text
    .replace(COMPLAINT, (line) => (left-- > 0 ? "" : line))
    .replace(ADDITION, (line) => (more-- > 0 ? "" : line));
}

type Settings = ReadonlyMap<string, readonly string[]>;

/** @returns undefined if git would have changed nothing, or if the case is not supported here. */
function changeFor({ file, existed, intent }: Planned, settings: Settings): BranchChange | undefined {
  const { commonDir } = file;
  const { branch } = intent;
  const isThere = hasBranch(commonDir, branch);
  if (intent.kind === "delete") return existed && !isThere ? { branch, values: undefined } : undefined;
  if (!isThere || (existed && !intent.resets)) return undefined;
  const upstream = upstreamOf(commonDir, intent, settings);
  if (!upstream) return undefined;
  if (existed && findRef(commonDir, `refs/heads/${branch}`) !== upstream.commit) return undefined;
  const auto = last(settings, "branch.autosetupmerge") ?? "true";
  const isLocal = upstream.remote === ".";
  const isWanted =
    intent.isExplicit ||
    auto === "always" ||
    (auto === "simple" ? upstream.name === branch && !isLocal : auto !== "false" && auto !== "inherit" && !isLocal);
  if (!isWanted) return undefined;
  const rebase = last(settings, "branch.autosetuprebase") ?? "never";
  const rebases = rebase === "always" || rebase === (isLocal ? "local" : "remote");
  const { remote, name } = upstream;
  return { branch, values: { remote, merge: `refs/heads/${name}`, ...(rebases && { rebase: "true" }) } };
}

type Upstream = { readonly remote: string; readonly name: string; readonly commit: string };

/** The branch that another branch's starting point names; for a remote, only if it is fetched in the usual way. */
function upstreamOf(
  commonDir: string,
  { branch, start }: Extract<BranchIntent, { kind: "track" }>,
  settings: Settings,
): Upstream | undefined {
  const remotes = [...settings.keys()].flatMap((key) => /^remote\.(.+)\.fetch$/.exec(key)?.[1] ?? []);
  const usual = remotes.filter((remote) => isUsual(remote, settings));
  const of = (remote: string, name: string): readonly Upstream[] => {
    const commit = isName(name) ? findRef(commonDir, `refs/remotes/${remote}/${name}`) : undefined;
    return commit === undefined ? [] : [{ remote, name, commit }];
  };
  if (start === undefined) {
    const found = usual.flatMap((remote) => of(remote, branch));
    const chosen = last(settings, "checkout.defaultremote");
    return found.length === 1 ? found[0] : found.find(({ remote }) => remote === chosen);
  }
  const short = start.replace(/^(?:refs\/)?remotes\//, "");
  const local = isName(short) ? findRef(commonDir, `refs/heads/${short}`) : undefined;
  if (local !== undefined) return { remote: ".", name: short, commit: local };
  const found = usual
    .filter((remote) => short.startsWith(`${remote}/`))
    .flatMap((remote) => of(remote, short.slice(remote.length + 1)));
  return found.length === 1 ? found[0] : undefined;
}

function isUsual(remote: string, settings: Settings): boolean {
  const specs = settings.get(`remote.${remote}.fetch`) ?? [];
  return specs.length === 1 && specs[0] === `+refs/heads/*:refs/remotes/${remote}/*`;
}

function last(settings: Settings, key: string): string | undefined {
  return settings.get(key)?.at(-1);
}

function isName(name: string): boolean {
  return name !== "" && name.length <= MAX_NAME_CHARS && name !== "HEAD" && !NEVER_IN_NAME.test(name);
}

function hasBranch(commonDir: string, branch: string): boolean {
  return findRef(commonDir, `refs/heads/${branch}`) !== undefined;
}

/** The system's own git, or the first git that nothing in the workspace could have placed there. */
export function findGit({ workspace, env }: Pick<TrackingContext, "workspace" | "env">): string | undefined {
  for (const folder of ["/usr/bin", "/bin", "/usr/local/bin", ...(env["PATH"] ?? "").split(":")]) {
    const found = findProgram("git", folder);
    if (found !== undefined && !workspace.contains(found)) return found;
  }
  return undefined;
}
