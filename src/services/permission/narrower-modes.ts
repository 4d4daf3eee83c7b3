import type { PermissionMode } from "../../contracts/permission-mode.ts";

/** The modes whose consent a call needs, the strictest first. */
export type ModesInForce = readonly [PermissionMode, ...PermissionMode[]];

/** The modes that each mode contains: the containing mode also allows every call that a contained mode allows. */
const WITHIN: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  bypassPermissions: ["bypassPermissions", "auto", "acceptEdits", "default", "dontAsk", "plan"],
  // Mode auto ignores wide rules; all other modes apply them.
  auto: ["auto", "plan"],
  acceptEdits: ["acceptEdits", "default", "dontAsk", "plan"],
  default: ["default", "dontAsk", "plan"],
  dontAsk: ["dontAsk"],
  plan: ["plan"],
};

const NARROWEST_FIRST = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"] as const;

/**
 * The modes that apply to a child agent: the wanted mode if the parent's modes contain it; the parent's modes if the
 * wanted mode contains one of them. If neither contains the other, both apply, and a call needs the consent of both.
 */
export function narrowerModes(parent: ModesInForce, wanted: PermissionMode): ModesInForce {
  if (parent.some((mode) => WITHIN[wanted].includes(mode))) return parent;
  const others = parent.filter((mode) => !WITHIN[mode].includes(wanted));
  const [first = wanted, ...rest] = NARROWEST_FIRST.filter((mode) => mode === wanted || others.includes(mode));
  return [first, ...rest];
}
