import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import { SPAWN_TAG_VARIABLE } from "./process-row.ts";
import { type Spawn, startTimeOf } from "./process-table.ts";

/** Linux takes at most 128 KiB in one argument (MAX_ARG_STRLEN). */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

export type Exit = { readonly exitCode: number | undefined; readonly signal: string | undefined };

export type SpawnRequest = {
  /** Absolute path of the program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment, including Quoll's tag; the program inherits nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** The value of this spawn's tag, as it stands (last) in `env`. */
  readonly tag: string;
  /** True if the process is a sandbox's own wrapper (see `Spawn`). */
  readonly isWrapper?: boolean;
  /** Absolute; must not exist unless `output` is its descriptor. Made 0600, its folder 0700. */
  readonly outputPath: string;
  /** The descriptor of an output file that was made for this program. */
  readonly output?: number | undefined;
};

export type Running = Spawn & {
  /** Resolves when the process itself has ended, even if its children still run. Never rejects. */
  readonly exited: Promise<Exit>;
};

/**
 * Starts a program in a separate session and process group, with stdin closed. Its stdout and stderr *are* the output
 * file, in the order in which they are written: there is no pipe of Quoll that a grandchild could hold open. The
 * runtime itself starts the program, because a command waits for this start, and a library's bookkeeping for unused
 * pipes takes a millisecond.
 * @throws {ToolFailedError} the program can't be started: missing, not permitted, folder gone, argument too long.
 */
export function spawnToFile(request: SpawnRequest): Running {
  const { file, args, cwd, env, tag, isWrapper = false } = request;
  if (!env[SPAWN_TAG_VARIABLE]?.endsWith(tag)) throw new Error("The environment of a spawn must carry its tag.");
  for (const argument of args) refuseLongArgument(argument);
  const output = request.output ?? makeOutput(request.outputPath);
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", output, output] });
    const exited = exitOf(child);
    if (child.pid === undefined) throw new ToolFailedError(`${file} could not be started in ${cwd}.`);
    return { pid: child.pid, startTime: startTimeOf(child.pid), tag, isWrapper, exited };
  } catch (error) {
    throw spawnError(error, file, cwd);
  } finally {
    if (request.output === undefined) closeSync(output);
  }
}

function makeOutput(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, "ax", 0o600);
}

/** Never rejects: a program that could not be started has neither an exit code nor a signal. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined }));
    child.once("error", () => resolve({ exitCode: undefined, signal: undefined }));
  });
}

function refuseLongArgument(argument: string): void {
  const bytes = Buffer.byteLength(argument);
  if (bytes > MAX_ARGUMENT_BYTES)
    throw new ToolFailedError(
      `The command is ${bytes} bytes long; the system takes at most ${MAX_ARGUMENT_BYTES}. Write the text to a file first and let the command read it.`,
    );
  if (argument.includes("\0"))
    throw new ToolFailedError("The command holds a NUL character, which no program can be given.");
}

function spawnError(error: unknown, file: string, cwd: string): Error {
  if (error instanceof ToolFailedError) return error;
  const code = errorCode(error) ?? errorMessage(error);
  return new ToolFailedError(`${file} could not be started in ${cwd} (${code}).`, { cause: error });
}
