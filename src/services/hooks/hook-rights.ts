import type { HookOutcome } from "../../contracts/hook.ts";
import type { PermissionUpdate } from "../../contracts/permission-update.ts";

type Rights = { readonly onlyTightens?: boolean; readonly name?: string };

/**
 * Removes the permission changes that a hook may not make: the approval of a project or plugin shows a hook's command, not
 * the permissions that it would give, so such a hook only adds deny and ask rules.
 */
export function withinRights(outcome: HookOutcome, { onlyTightens = false, name = "A hook" }: Rights): HookOutcome {
  const { answer, systemMessage } = outcome;
  if (!onlyTightens || answer?.behavior !== "allow" || !answer.updates) return outcome;
  const { updates, ...rest } = answer;
  const kept = updates.filter(tightens);
  if (kept.length === updates.length) return outcome;
  const line = `${name} may not widen permissions; only hooks of your own settings may. Its change was ignored.`;
  return {
    ...outcome,
    answer: { ...rest, ...(kept.length > 0 && { updates: kept }) },
    systemMessage: systemMessage === undefined ? line : `${systemMessage}\n${line}`,
  };
}

function tightens(update: PermissionUpdate): boolean {
  if (update.kind === "rules") return update.change.kind === "add" && update.change.decision !== "allow";
  return update.kind === "unknown";
}
