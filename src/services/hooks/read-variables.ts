import { readSmallText } from "../../platform/private-file.ts";
import { runCaptured } from "../../platform/processes/run-captured.ts";
import { shellProgram } from "../../platform/processes/shell-program.ts";

const MAX_FILE_BYTES = 256 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** Runs the file with every assignment exported, and prints the resulting environment. */
const PRINT = 'set -a; . "$1" >/dev/null 2>&1; env -0';
/** Variables of the shell itself. */
const OWN = new Set(["_", "PWD", "OLDPWD", "SHLVL"]);

export type VariablesRequest = {
  /** The shell script that a hook wrote; it may be missing. */
  readonly file: string;
  /** The path of a POSIX shell. */
  readonly shell: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The variables that a hook's script sets or changes; empty if there is no script. @throws {Error} one phrase. */
export async function readVariables(
  { file, shell, cwd, env }: VariablesRequest,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const text = await readSmallText(file, MAX_FILE_BYTES);
  if (text === undefined || text.trim() === "") return {};
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES };
  const program = shellProgram(shell, PRINT);
  const args = [...program.args, shell, file];
  const ended = await runCaptured({ file: program.file, args, cwd, env, ...limits }, signal);
  if (ended.kind !== "ended" || ended.exitCode !== 0) throw new Error(`the variables in ${file} could not be read`);
  const pairs = ended.stdout.split("\0").flatMap((line) => {
    const at = line.indexOf("=");
    const name = line.slice(0, at);
    const value = line.slice(at + 1);
    return at < 1 || OWN.has(name) || env[name] === value ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}
