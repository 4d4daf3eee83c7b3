import { UserFacingError } from "../../../contracts/errors.ts";

export type BypassFacts = {
  /** The user id of this process; undefined on systems without user ids. */
  readonly uid: number | undefined;
  /** The variable IS_SANDBOX. */
  readonly isSandbox: string | undefined;
  /** True if a settings file sets `disableBypassPermissionsMode`. */
  readonly disabled: boolean;
};

/**
 * Checks that mode bypassPermissions may be used: never if settings forbid it, and as root only if IS_SANDBOX=1 marks
 * the machine as disposable.
 * @throws {UserFacingError} (exit 2) the mode is not allowed.
 */
export function checkBypass({ uid, isSandbox, disabled }: BypassFacts): void {
  if (disabled) {
    throw new UserFacingError("Settings forbid mode bypassPermissions (disableBypassPermissionsMode).", 2);
  }
  if (uid === 0 && isSandbox !== "1") {
    throw new UserFacingError(
      "Mode bypassPermissions is not allowed as root: use another user, or set IS_SANDBOX=1 on a disposable machine.",
      2,
    );
  }
}
