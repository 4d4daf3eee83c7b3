import type { DecidedBy } from "../../contracts/decided-by.ts";
import { decidedByHook, type PermissionAnswer } from "../../contracts/hook.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { PermissionUpdate } from "../../contracts/permission-update.ts";
import type { PermissionService } from "./permission-deps.ts";
import type { AskedCall, Permit } from "./question/call-questions.ts";

/** A PermissionRequest hook's decision about a call, which replaces a person's. */
export type HookDecision =
  | {
      readonly kind: "deny";
      readonly decidedBy: DecidedBy;
      readonly message: string;
      readonly endsTurn: boolean;
    }
  | {
      readonly kind: "allow";
      readonly permit: Permit;
      readonly updatedInput: JsonObject | undefined;
      readonly updates: readonly PermissionUpdate[];
    };

/**
 * The decision of a hook that answers instead of a person; undefined if a person is still needed. A hook allows only a
 * call for which no rule decides, like an allow before the call.
 */
export function decisionOfHook(
  { request, evaluation }: AskedCall,
  answer: PermissionAnswer | undefined,
  mode: PermissionMode,
): HookDecision | undefined {
  if (answer?.behavior === "deny") {
    const message = `Refused by a hook of the user: ${answer.reason}`;
    return { kind: "deny", decidedBy: decidedByHook(answer), message, endsTurn: answer.endsTurn };
  }
  const mayAllow = evaluation.onlyLacksRule && mode !== "plan" && request.hook?.decision !== "ask";
  if (!answer || !mayAllow) return undefined;
  const { confinementAfterYes: confinement, opened, hasSandbox } = evaluation;
  const permit = { decidedBy: { kind: "hook" } as const, confinement, opened, hasSandbox };
  return { kind: "allow", permit, updatedInput: answer.updatedInput, updates: answer.updates ?? [] };
}

/** Modes that a hook may set: in each, a person or a rule still decides about some calls. */
const HOOK_MODES: ReadonlySet<PermissionMode> = new Set(["default", "acceptEdits", "plan", "dontAsk"]);

/** Changes the permissions until the session ends, as requested by a hook that answers instead of the person. */
export function applyHookUpdate(
  update: PermissionUpdate,
  permissions: Pick<PermissionService, "changeRules" | "mode">,
  notify: (line: string) => void,
): void {
  switch (update.kind) {
    case "rules": {
      const refused = permissions.changeRules(update.change, "a hook");
      if (refused.length > 0) notify(`Rules of a hook were refused, or do not exist: ${refused.join(", ")}.`);
      return;
    }
    case "mode":
      if (HOOK_MODES.has(update.mode)) permissions.mode = update.mode;
      else notify(`A hook can't set the mode ${update.mode}.`);
      return;
    case "unknown":
      notify(update.problem);
  }
}
