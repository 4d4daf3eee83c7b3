import { UserFacingError } from "../../contracts/errors.ts";

export type BypassFacts = {
  /** Of this process; undefined where there are none. */
  readonly uid: number | undefined;
  /** The variable IS_SANDBOX. */
  readonly isSandbox: string | undefined;
  /** A settings file says `disableBypassPermissionsMode`. */
  readonly disabled: boolean;
};

/**
 * Whether the mode bypassPermissions may be used at all: never where settings forbid it, and as root only on a machine that
 * says it is disposable.
 * @throws {UserFacingError} (exit 2) it may not.
 */
export function checkBypass({ uid, isSandbox, disabled }: BypassFacts): void {
  if (disabled) {
    throw new UserFacingError("The mode bypassPermissions is forbidden by settings (disableBypassPermissionsMode).", 2);
  }
  if (uid === 0 && isSandbox !== "1") {
    throw new UserFacingError(
      "The mode bypassPermissions is refused as root: use another user, or set IS_SANDBOX=1 on a disposable machine.",
      2,
    );
  }
}
