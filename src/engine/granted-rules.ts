import type { PermissionEngine } from "../contracts/permission.ts";

/** The allow rules that hold until the session ends: answers of the person's, and plans that they agreed to. */
export function grantedRules(permissions: Pick<PermissionEngine, "describe">): readonly string[] {
  const isGrant = ({ decision, layer, note }: ReturnType<PermissionEngine["describe"]>[number]) =>
    decision === "allow" && layer === "session" && note === undefined;
  return permissions.describe().flatMap((one) => (isGrant(one) ? [one.rule] : []));
}
