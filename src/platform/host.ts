import { writeSync } from "node:fs";

/** What is asked of the process and the machine that it runs on. */
export type Host = {
  /** For example `linux x64`. */
  readonly platform: string;
  readonly os: string;
  /** Undefined where there are no user ids. */
  readonly uid: number | undefined;
  readonly cwd: string;
};

/** @throws {Error} the current folder is gone. */
export function host(): Host {
  return {
    platform: `${process.platform} ${process.arch}`,
    os: process.platform,
    uid: process.getuid?.(),
    cwd: process.cwd(),
  };
}

/** Where a compiled program finds its own files. */
const EMBEDDED = "/$bunfs/";
/** Without these, Bun takes `.env`, `bunfig.toml` and tsconfig of the folder it starts in, and a tsconfig can name code. */
export const BUN_FLAGS = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];

/** Program and first arguments that start this very program once more, whatever folder it is started in. */
export function selfCommand(): readonly string[] {
  const script = process.argv[1] ?? "";
  if (script.startsWith(EMBEDDED)) return [process.execPath];
  return [process.execPath, ...("bun" in process.versions ? BUN_FLAGS : []), script];
}

/** Writes a line to stderr at once, whatever happens next. */
export function complain(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Nobody reads stderr: there is no one left to tell.
  }
}
