import type { DecidedBy } from "../../contracts/decided-by.ts";
import type { PermissionEngine, PermissionRequest, Verdict } from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";

/** The source of a decision. `policy`: a rule or a mode. `nobody`: the call needed an answer and no person was there. */
export type Decider = "user" | "hook" | "judge" | "nobody" | "policy";

export function deciderOf({ kind }: DecidedBy, unanswered = false): Decider {
  if (unanswered) return "nobody";
  if (kind === "person") return "user";
  return kind === "hook" || kind === "judge" ? kind : "policy";
}

/**
 * Returns the same engine; `told` receives each verdict and its duration, including questions. `told` must not throw.
 */
export function watchPermissions(
  engine: PermissionEngine,
  now: () => number,
  told: (request: PermissionRequest, verdict: Verdict, waitedMs: number) => void,
): PermissionEngine {
  return {
    get mode() {
      return engine.mode;
    },
    set mode(mode: PermissionMode) {
      engine.mode = mode;
    },
    authorize: async (request, signal) => {
      const startedAt = now();
      const verdict = await engine.authorize(request, signal);
      told(request, verdict, now() - startedAt);
      return verdict;
    },
    hiddenTools: (names) => engine.hiddenTools(names),
    matches: (rule, request) => engine.matches(rule, request),
    describe: () => engine.describe(),
  };
}
