import type { PermissionMode } from "../../contracts/permission-mode.ts";

/** A call needs the consent of each of these modes, the narrowest first. */
export type ModesInForce = readonly [PermissionMode, ...PermissionMode[]];

/** The modes that each mode contains: every call that such a mode lets run, the containing mode lets run too. */
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
 * The modes in force for a child agent: the wanted mode if the parent's modes contain it, the parent's if the wanted mode
 * contains one of them. Where neither contains the other, both hold, and a call needs the consent of both.
 */
export function narrowerModes(parent: ModesInForce, wanted: PermissionMode): ModesInForce {
  if (parent.some((mode) => WITHIN[wanted].includes(mode))) return parent;
  const others = parent.filter((mode) => !WITHIN[mode].includes(wanted));
  const [first = wanted, ...rest] = NARROWEST_FIRST.filter((mode) => mode === wanted || others.includes(mode));
  return [first, ...rest];
}
