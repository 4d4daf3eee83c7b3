import { type ChildProcessByStdio, type StdioOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { errorCode, errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import { inputPipe } from "./input-pipe.ts";
import { SPAWN_TAG_VARIABLE } from "./process-row.ts";
import { type Spawn, startTimeOf } from "./process-table.ts";
import { type Exit, exitOf, type SpawnRequest } from "./spawn-to-file.ts";

/** `file` may also be a name, which is looked up in the search path of `env`. */
export type PipedRequest = Pick<SpawnRequest, "file" | "args" | "cwd" | "env" | "tag">;

/** A running program with pipes. */
export type PipedProcess = Spawn & {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the process itself has ended, even with children running or output unread. Never rejects. */
  readonly exited: Promise<Exit>;
};

/**
 * Starts a program in a separate session and process group, with its three standard streams as pipes.
 * @throws {ToolFailedError} the program can't be started: missing, not permitted, or its folder is gone.
 */
export async function spawnPiped({ file, args, cwd, env, tag }: PipedRequest): Promise<PipedProcess> {
  if (!env[SPAWN_TAG_VARIABLE]?.endsWith(tag)) throw new Error("The environment of a spawn must carry its tag.");
  let stdin: Writable | undefined;
  try {
    const { reader, writer } = await inputPipe();
    stdin = writer;
    const child = startReading(reader, { file, args, cwd, env });
    const exited = exitOf(child);
    const pid = await started(child);
    const { stdout, stderr } = child;
    return { pid, startTime: startTimeOf(pid), tag, stdin, stdout, stderr, exited };
  } catch (error) {
    stdin?.destroy();
    const code = errorCode(error) ?? errorMessage(error);
    throw new ToolFailedError(`${file} could not be started in ${cwd} (${code})`, { cause: error });
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts the program with the reading end of a pipe as its stdin, and closes the end here. */
function startReading(reader: number, { file, args, cwd, env }: Omit<PipedRequest, "tag">): Child {
  try {
    const stdio: StdioOptions = [reader, "pipe", "pipe"];
    return spawn(file, [...args], { cwd, env: { ...env }, detached: true, stdio }) as Child;
  } finally {
    closeSync(reader);
  }
}

function started(child: Child): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.once("spawn", () => {
      if (child.pid === undefined) reject(new Error("it has no process id"));
      else resolve(child.pid);
    });
  });
}
