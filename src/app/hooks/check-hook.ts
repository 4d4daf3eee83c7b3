import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { type CheckHook, isBackground } from "../../services/hooks/settings-hooks.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";

/** Events whose hooks can refuse something before it happens. At other events, a changed hook only does not run. */
const GUARDING: ReadonlySet<string> = new Set([
  "PreToolUse",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "TaskCreated",
  "ConfigChange",
]);

type CheckParts = {
  readonly place: Pick<ProjectEnvironment, "changesOfHook" | "approveHook">;
  /** True if a person at the keyboard can approve content. */
  readonly canApprove: boolean;
  /** Asks about changed content of the project, once for each content. */
  approve(item: Approvable, signal: AbortSignal): Promise<void>;
};

/**
 * Checks hooks before each run. A hook whose files have changed since the person approved them does not run, and
 * refuses what it guards until the person approves the files: a change must not turn a guard off.
 */
export function hookChecker({ place, canApprove, approve }: CheckParts): CheckHook {
  const asking = new Map<DeclaredHook, Promise<boolean>>();
  const approved = (declared: DeclaredHook, signal: AbortSignal) => {
    const known = asking.get(declared);
    if (known) return known;
    const asked = place.approveHook(declared, (item) => approve(item, signal)).finally(() => asking.delete(declared));
    asking.set(declared, asked);
    return asked;
  };
  return async (declared, signal) => {
    const { event, hook } = declared;
    const changed = place.changesOfHook(declared);
    if (!changed) return undefined;
    if (await approved(declared, signal)) return undefined;
    signal.throwIfAborted();
    const reason = changedReason(declared, changed);
    if (!GUARDING.has(event) || isBackground(hook)) throw new Error(reason.failure);
    return refusal(event, reason.refusal, canApprove ? "deny" : "ask");
  };
}

/** Without a person who could approve the hook, whoever answers for permission decides about a call. */
function refusal(event: string, reason: string, verdict: "deny" | "ask"): JsonObject {
  if (event !== "PreToolUse") return { decision: "block", reason };
  return { hookSpecificOutput: { permissionDecision: verdict, permissionDecisionReason: reason } };
}

function changedReason(declared: DeclaredHook, files: readonly string[]) {
  const what = files.length === 0 ? "a file that it names" : files.join(", ");
  const since = `${what} changed since the user approved it`;
  const { plugin } = declared;
  const remedy = plugin
    ? `quoll plugin install ${plugin.name} restores the plugin`
    : "Quoll asks again at the next start";
  return {
    failure: `${since}, so it did not run; the user is told about it at the next start`,
    // Shown cut at 120 characters; that a hook refused the call stands before it.
    refusal: `${since}; ${remedy}`,
  };
}
