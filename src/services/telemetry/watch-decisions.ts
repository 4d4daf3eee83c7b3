import type { DecidedBy } from "../../contracts/decided-by.ts";
import type { Authorize, PermissionRequest, Verdict } from "../../contracts/permission.ts";

/** The source of a decision. `policy`: a rule or a mode. `nobody`: the call needed an answer and no person was there. */
export type Decider = "user" | "hook" | "judge" | "nobody" | "policy";

export function deciderOf({ kind }: DecidedBy, unanswered = false): Decider {
  if (unanswered) return "nobody";
  if (kind === "person") return "user";
  return kind === "hook" || kind === "judge" ? kind : "policy";
}

/** Returns the same judge; `onVerdict` receives each verdict and its duration, including questions. `onVerdict` must not throw. */
export function watchDecisions(
  authorize: Authorize,
  now: () => number,
  onVerdict: (request: PermissionRequest, verdict: Verdict, waitedMs: number) => void,
): Authorize {
  return async (request, signal) => {
    const startedAt = now();
    const verdict = await authorize(request, signal);
    onVerdict(request, verdict, now() - startedAt);
    return verdict;
  };
}
