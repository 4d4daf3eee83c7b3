import type { ConfinedStart, ProgramStart } from "../../contracts/ports.ts";
import { bubblewrapArguments } from "./bubblewrap-arguments.ts";
import type { Mechanism } from "./detect.ts";
import { innerEnvironment } from "./inner-environment.ts";
import { LANDLOCK_COMMAND, type LandlockPlan } from "./io/landlock/landlock-plan.ts";
import type { PrivateFolders } from "./io/private-folders.ts";
import { landlockRules } from "./landlock-rules.ts";
import type { SandboxPolicy } from "./policy.ts";
import type { OpenNetwork } from "./program-networks.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

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
