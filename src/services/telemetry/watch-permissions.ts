import type { PermissionEngine, PermissionRequest, Verdict } from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";

/** The source of a decision. `policy`: a rule or a mode. `nobody`: the call needed an answer and no person was there. */
export type Decider = "user" | "hook" | "judge" | "nobody" | "policy";

/** @param by the text for people in grants and denials. */
export function deciderOf(by: string, unanswered = false): Decider {
  if (unanswered) return "nobody";
  if (by.startsWith("the user's answer")) return "user";
  if (by.startsWith("a hook")) return "hook";
  return by.startsWith("the judge") ? "judge" : "policy";
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
