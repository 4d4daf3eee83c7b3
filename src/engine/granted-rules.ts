import type { PermissionEngine } from "../contracts/permission.ts";

/** The allow rules that apply until the session ends: from the person's answers and accepted plans. */
export function grantedRules(permissions: Pick<PermissionEngine, "describe">): readonly string[] {
  const isGrant = ({ decision, layer, note }: ReturnType<PermissionEngine["describe"]>[number]) =>
    decision === "allow" && layer === "session" && note === undefined;
  return permissions.describe().flatMap((one) => (isGrant(one) ? [one.rule] : []));
}
