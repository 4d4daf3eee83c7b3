import { writeSync } from "node:fs";
import { release, type } from "node:os";
import { revealText } from "@quoll/terminal-text/plain-text";
import { wordRows } from "@quoll/terminal-text/word-rows";

/** Facts about this process and its machine. */
export type Host = {
  /** For example `linux x64`. */
  readonly platform: string;
  readonly os: string;
  /** Undefined on systems without user ids. */
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

/** `Bun 1.4.5`, `Bun 1.4.5, executable` or `Node 24.1.0`. */
export function runtimeName(): string {
  const { bun, node } = process.versions;
  if (bun === undefined) return `Node ${node}`;
  return (process.argv[1] ?? "").startsWith(EMBEDDED) ? `Bun ${bun}, executable` : `Bun ${bun}`;
}

/** Node never reads a module twice. */
export function canReadModulesAgain(): boolean {
  return "bun" in process.versions;
}

/** The operating system's own name and release: `Linux 6.8.0`. */
export function systemName(): string {
  return `${type()} ${release()}`;
}

/** The path prefix of files inside a compiled program. */
const EMBEDDED = "/$bunfs/";
/**
 * Without these flags, Bun reads `.env`, `bunfig.toml` and tsconfig from its working folder, and a tsconfig can name
 * code to run.
 */
export const BUN_FLAGS = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];

/** Program and first arguments that start Quoll itself again, from any folder. */
export function selfCommand(): readonly string[] {
  const script = process.argv[1] ?? "";
  if (script.startsWith(EMBEDDED)) return [process.execPath];
  return [process.execPath, ...("bun" in process.versions ? BUN_FLAGS : []), script];
}

/** Writes a line about a problem to stderr, with Quoll's name before it. */
export function printProblem(line: string): void {
  printError(`quoll: ${line}`);
}

/**
 * Writes a line to stderr synchronously. Control characters are shown: the line may hold text of files or hooks. On a
 * terminal the line is broken at blanks; a file or a pipe gets it whole.
 */
export function printError(line: string): void {
  try {
    const shown = revealText(line);
    const { isTTY, columns = 0 } = process.stderr;
    const rows = isTTY && columns > 0 ? shown.split("\n").flatMap((one) => wordRows(one, columns)) : [shown];
    writeSync(2, `${rows.join("\n")}\n`);
  } catch {
    // stderr is closed, so the error can't be reported.
  }
}
