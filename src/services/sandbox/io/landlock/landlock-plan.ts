/**
 * The access to a path and everything below it. `list`: names are visible, contents are not; `read`: also read and
 * execute; `write`: also change, create and remove; `device`: read, write and control.
 */
export type LandlockAccess = "list" | "read" | "write" | "device";

/** One right. Rights are inherited by everything below a folder. */
export type LandlockRule = { readonly path: string; readonly access: LandlockAccess };

/** The plan to run one program under Landlock; passed as a JSON file. */
export type LandlockPlan = {
  readonly rules: readonly LandlockRule[];
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The subcommand that starts Quoll itself, which confines itself and executes the planned program. */
export const LANDLOCK_COMMAND = "__landlock";
/** Argument that only tests, by exit code, whether Landlock works. */
export const LANDLOCK_PROBE = "--probe";
/** The oldest useful version of the kernel interface: the first that allows moving files between folders. */
export const MIN_LANDLOCK_VERSION = 2;
