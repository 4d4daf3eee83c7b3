import { words } from "../../contracts/words.ts";
import type { Environment } from "../env.ts";
import { isCredential, isPassed } from "./credential-variables.ts";
import { nestTag, SPAWN_TAG_VARIABLE } from "./process-row.ts";

/** Names that make a shell read a file or run something before or beside its command. */
const STARTING_UP = new Set(["ENV", "SHELLOPTS", "PROMPT_COMMAND", "PS4"]);
/** Matches BASH_ENV, BASHOPTS, exported functions (BASH_FUNC_name%%) and similar names. */
const STARTING_UP_PREFIX = "BASH";
/** Names that change what a shell, a loader or a runtime executes, regardless of the command. */
const DANGEROUS = new Set(
  words("IFS CDPATH GLOBIGNORE EXECIGNORE FIGNORE POSIXLY_CORRECT NODE_OPTIONS BUN_OPTIONS GIT_CONFIG_PARAMETERS"),
);
/** Match the variables of the dynamic loader. */
const DANGEROUS_PREFIXES = ["LD_", "DYLD_"];

/**
 * No pagers, no prompts, no editors: a command that would wait for a person fails at once instead. Quoll removes
 * colours from the output instead of setting NO_COLOR, because NO_COLOR makes the tests of some projects fail.
 * CI=1 is set for every command, because it makes test watchers and interactive installers run once and end.
 */
const NON_INTERACTIVE: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  GH_PAGER: "cat",
  LESS: "-FRX",
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS: "false",
  GIT_ASKPASS: "false",
  DEBIAN_FRONTEND: "noninteractive",
  CI: "1",
  TERM: "dumb",
};
/** Settings of a repository that would run a program during a plain `git status` or `git log`. */
const GIT_OVERRIDES: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
];

export type ChildEnvironmentOptions = {
  /** The search path; relative entries are left out. */
  readonly path: string;
  /** The tag by which the started processes can be found later. */
  readonly tag: string;
  /**
   * Names of variables that commands get although they look like credentials; `*` stands for any text. None by
   * default.
   */
  readonly pass?: readonly string[];
};

/**
 * The environment of a command: the user's variables, without those that would change the command's meaning, without
 * those that look like credentials (`withheldVariables` names these), and with settings for non-interactive use.
 */
export function childEnvironment(
  base: Environment,
  { path, tag, pass = [] }: ChildEnvironmentOptions,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(withoutStartUp(base))) {
    if (changesMeaning(name)) continue;
    if (!isCredential(name, value) || isPassed(name, pass)) env[name] = value;
  }
  // The working folder is passed as its real path; with an inherited PWD, `cd ..` could lead to another folder.
  delete env["PWD"];
  delete env["OLDPWD"];
  delete env["FORCE_COLOR"];
  delete env["CLICOLOR_FORCE"];
  Object.assign(env, NON_INTERACTIVE);
  addGitOverrides(env);
  env["PATH"] = absoluteEntries(path).join(":");
  env[SPAWN_TAG_VARIABLE] = nestTag(base[SPAWN_TAG_VARIABLE], tag);
  return env;
}

/**
 * The variables of an environment in which a shell reads no start-up file and knows no functions before its command.
 * SHLVL is set, because a bash without it takes itself for a remote shell in some cases, also when a command starts it.
 */
export function withoutStartUp(base: Environment): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    const startsUp = STARTING_UP.has(name) || name.startsWith(STARTING_UP_PREFIX);
    if (value !== undefined && !startsUp) env[name] = value;
  }
  env["SHLVL"] = Number(env["SHLVL"]) >= 1 ? (env["SHLVL"] ?? "1") : "1";
  return env;
}

/** The absolute entries of a search path, which mean the same in every folder. */
export function absoluteEntries(path: string): readonly string[] {
  return path.split(":").filter((entry) => entry.startsWith("/"));
}

function changesMeaning(name: string): boolean {
  return DANGEROUS.has(name) || DANGEROUS_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** Adds to the user's own GIT_CONFIG_KEY_n, if there are any (git-config(1), ENVIRONMENT). */
function addGitOverrides(env: Record<string, string>): void {
  const given = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  let count = Number.isInteger(given) && given > 0 ? given : 0;
  for (const [key, value] of GIT_OVERRIDES) {
    env[`GIT_CONFIG_KEY_${count}`] = key;
    env[`GIT_CONFIG_VALUE_${count}`] = value;
    count += 1;
  }
  env["GIT_CONFIG_COUNT"] = String(count);
}
