import type { DecidedBy } from "../../contracts/decided-by.ts";
import { decidedByHook, type PermissionAnswer } from "../../contracts/hook.ts";
import type { JsonObject } from "../../contracts/message.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { PermissionUpdate } from "../../contracts/permission-update.ts";
import type { AskedCall, Permit } from "./question/asked-call.ts";

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
