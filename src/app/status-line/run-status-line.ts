import type { JsonObject } from "../../contracts/message.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { StatusLineScreen } from "../../contracts/status-line.ts";
import type { Environment } from "../../platform/env.ts";
import { childEnvironment } from "../../platform/processes/child-environment.ts";
import { type Captured, type CapturedRun, runCaptured } from "../../platform/processes/run-captured.ts";
import { findShell, shellProgram } from "../../platform/processes/shell-program.ts";
import { stopSpawn } from "../../platform/processes/stop-ladder.ts";
import { createUserPath } from "../../platform/processes/user-path.ts";

/** A slower command is ended, and its output is dropped. */
export const TIME_LIMIT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_TOLD_CHARS = 200;
/** The group of a command is gone already: what left it is not given much time. */
const LADDER = { interruptMs: 0, terminateMs: 100 };
const FALLBACK_TERM = "xterm-256color";

/** `problem`: the reason why there is no output, as one phrase. */
export type CommandOutput = { readonly output: string } | { readonly problem: string };

export type CommandRun = {
  readonly command: string;
  readonly facts: JsonObject;
  readonly screen: StatusLineScreen;
  /** Absolute. */
  readonly cwd: string;
};

type Parts = {
  readonly environment: Environment;
  readonly passedVariables: readonly string[];
  readonly projectRoot: string;
  readonly clock: Clock;
  /** True for a file that must not be used as the shell, because it is in the project. */
  isInProject(file: string): boolean;
  /** Aborts when the session ends. */
  readonly ended: AbortSignal;
};

/** Runs status line commands in bash, with the facts on stdin. All processes of a command's group are gone afterwards; of a command that is ended, also those that left its group. */
export function commandRunner(parts: Parts): (run: CommandRun, signal: AbortSignal) => Promise<CommandOutput> {
  const { environment, passedVariables, projectRoot, clock, ended } = parts;
  const userPath = createUserPath({ environment, clock, signal: ended });
  const shell = findShell(environment["PATH"] ?? "", (file) => !parts.isInProject(file));
  return async ({ command, facts, screen, cwd }, signal) => {
    const path = await userPath();
    const tag = crypto.randomUUID();
    const inherited = childEnvironment(environment, { path, tag, pass: passedVariables });
    // Its output goes to the screen, unlike that of other commands.
    const { CI: _, ...others } = inherited;
    const { TERM: term = FALLBACK_TERM, COLORTERM: colors } = environment;
    const env = {
      ...others,
      TERM: term,
      ...(colors !== undefined && { COLORTERM: colors }),
      COLUMNS: String(screen.columns),
      LINES: String(screen.rows),
      CLAUDE_PROJECT_DIR: projectRoot,
      QUOLL_PROJECT_DIR: projectRoot,
    };
    const input = `${JSON.stringify(facts)}\n`;
    const limits = { timeoutMs: TIME_LIMIT_MS, maxBytes: MAX_OUTPUT_BYTES, dropsExcess: true } as const;
    const run = { ...shellProgram(shell, command), cwd, env, input, ...limits };
    const ended = await runWhole(run, { tag, clock, signal });
    if (ended.kind === "timeout") return { problem: `it took more than ${TIME_LIMIT_MS / 1_000} seconds` };
    if (ended.kind !== "ended") return { problem: "it could not be started" };
    if (ended.exitCode === 0) return { output: ended.stdout };
    const how = ended.exitCode === undefined ? "a signal ended it" : `exit code ${ended.exitCode}`;
    const said = ended.stderr.trim().split("\n").at(-1)?.slice(0, MAX_TOLD_CHARS) ?? "";
    return { problem: said === "" ? how : `${how}: ${said}` };
  };
}

type Ending = { readonly tag: string; readonly clock: Clock; readonly signal: AbortSignal };

/** Runs a command. If it is ended at its time limit or by `signal`, the processes that left its group are ended too. */
async function runWhole(run: CapturedRun, { tag, clock, signal }: Ending): Promise<Captured> {
  let pid: number | undefined;
  let result: Captured | undefined;
  const started = (own: number) => {
    pid = own;
  };
  try {
    result = await runCaptured({ ...run, started }, signal);
    return result;
  } finally {
    const isEnded = result === undefined || result.kind === "timeout";
    // Without its start time, only the tag tells which processes are its own.
    if (isEnded && pid !== undefined) await stopSpawn({ pid, tag, startTime: undefined }, clock, LADDER);
  }
}
