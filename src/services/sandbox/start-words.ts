import type { ConfinedStart, ProgramStart, SandboxKind } from "../../contracts/ports.ts";
import { BRIDGE_PORT, bubblewrapArguments } from "./bubblewrap-arguments.ts";
import type { Mechanism } from "./detect.ts";
import { LANDLOCK_COMMAND, type LandlockPlan } from "./io/landlock/landlock-plan.ts";
import type { PrivateFolders } from "./io/private-folders.ts";
import { landlockRules } from "./landlock-rules.ts";
import type { Mount, SandboxPolicy } from "./policy.ts";
import type { OpenNetwork } from "./program-networks.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { SOCKET_VARIABLES } from "./secret-paths.ts";

/** A program's file, arguments, folder and environment with which it starts confined. */
export type StartWords = Omit<ConfinedStart, "dispose" | "changes">;

export type StartWith = Pick<OpenNetwork, "entry"> & {
  readonly policy: SandboxPolicy;
  /** Environment variables that point to the writable caches. */
  readonly caches: Readonly<Record<string, string>>;
  readonly roots: readonly string[];
};

type StartParts = {
  readonly mechanism: Mechanism;
  readonly folders: Pick<PrivateFolders, "newFile">;
  readonly selfCommand: SandboxDeps["selfCommand"];
};

/** @param files Gets the files that the start needs, to be removed after the program's end. */
export function startWords(
  start: ProgramStart,
  { policy, caches, entry, roots }: StartWith,
  parts: StartParts,
  files: string[],
): StartWords {
  const { mechanism } = parts;
  const env = innerEnvironment(start.env, policy, mechanism.kind, caches);
  switch (mechanism.kind) {
    case "bubblewrap": {
      const args = bubblewrapArguments(policy, mechanism.variant, start);
      const [file, ...words] = entry ?? [mechanism.file];
      const reportingArgs = [...words, "--json-status-fd", "3", ...args];
      return { file, args: [...words, ...args], reportingArgs, cwd: start.cwd, env, isWrapped: true };
    }
    case "sandbox-exec": {
      const profile = seatbeltProfile(policy, roots);
      const args = ["-p", profile, start.file, ...start.args];
      return { file: mechanism.file, args, cwd: start.cwd, env, isWrapped: false };
    }
    case "landlock":
      return landlocked({ ...start, env }, policy, parts, files);
  }
}

/** Quoll's own program starts unconfined, so its working folder and environment must not come from the project. */
function landlocked(
  { file, args, cwd, env }: ProgramStart,
  policy: SandboxPolicy,
  { folders, selfCommand }: StartParts,
  files: string[],
): StartWords {
  const plan: LandlockPlan = { rules: landlockRules(policy), file, args, cwd, env };
  const path = folders.newFile(JSON.stringify(plan));
  files.push(path);
  const [self = "", ...words] = selfCommand;
  const tag = Object.entries(env).filter(([name]) => name === "QUOLL_SPAWN");
  return {
    file: self,
    args: [...words, LANDLOCK_COMMAND, path],
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(tag) },
    isWrapped: false,
  };
}

/** The variable that tells a program how it is confined. */
const SANDBOX_VARIABLE = "QUOLL_SANDBOX";

const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
/** Without a network, npm (also `npx` of a missing package) fails at once instead of trying for more than a minute. */
const AT_ONCE = { npm_config_fetch_retries: "0" };
const LOOPBACK = "localhost,127.0.0.1,::1";

/**
 * The environment of a confined program: a private temporary folder, no socket variables, and the proxy if there is
 * one.
 * @param caches Variables of the caches; they replace the program's own.
 */
export function innerEnvironment(
  env: Readonly<Record<string, string>>,
  policy: SandboxPolicy,
  kind: SandboxKind,
  caches: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const { network, temporaryInside: temporary } = policy;
  const kept = Object.entries(env).filter(
    ([name]) => !SOCKET_VARIABLES.includes(name) && !PROXY_NAMES.includes(name) && !/^no_proxy$/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    ...caches,
    ...(policy.mounts.some(hasStandIn) && minimalChecks(env)),
    TMPDIR: temporary,
    [SANDBOX_VARIABLE]: kind,
    ...(network
      ? proxyVariables(kind === "bubblewrap" ? BRIDGE_PORT : network.port, network.reachesHere === true)
      : AT_ONCE),
  };
}

function hasStandIn(mount: Mount): boolean {
  return mount.access === "hidden" && (mount.standIn !== undefined || mount.standIns !== undefined);
}

/** Git then compares a file's size and modification time, which a stand-in has, but not its inode. */
function minimalChecks(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "core.checkStat",
    [`GIT_CONFIG_VALUE_${count}`]: "minimal",
  };
}

function proxyVariables(port: number, reachesHere: boolean): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${port}`;
  return {
    ...Object.fromEntries(PROXY_NAMES.map((name) => [name, url])),
    // Yarn 2 and later read only their own variables.
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    NO_PROXY: reachesHere ? "" : LOOPBACK,
    no_proxy: reachesHere ? "" : LOOPBACK,
    // Node's fetch reads the proxy variables only when NODE_USE_ENV_PROXY is set.
    NODE_USE_ENV_PROXY: "1",
  };
}
