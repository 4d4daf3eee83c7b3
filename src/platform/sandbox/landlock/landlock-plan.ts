/**
 * What a path, and all below it, may be used for.
 * `list`: names are told, contents are not; `read`: also read and run; `write`: also changed, made and removed; `device`:
 * read, written and controlled.
 */
export type LandlockAccess = "list" | "read" | "write" | "device";

/** One right. Rights add up: what a folder has, all below it has. */
export type LandlockRule = { readonly path: string; readonly access: LandlockAccess };

/** All that is needed to run one program confined by Landlock; handed over as a JSON file. */
export type LandlockPlan = {
  readonly rules: readonly LandlockRule[];
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The name under which our own program is started again to confine itself and become another one. */
export const LANDLOCK_COMMAND = "__landlock";
/** With this instead of a plan's path it only says, by its exit code, whether it could. */
export const LANDLOCK_PROBE = "--probe";
/** The oldest version of the kernel's interface that is of use: it lets files be moved between folders. */
export const MIN_LANDLOCK_VERSION = 2;
