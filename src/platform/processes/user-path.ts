import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import type { Clock } from "../../contracts/ports.ts";
import type { Environment } from "../env.ts";
import { childEnvironment } from "./child-environment.ts";
import { spawnToFile } from "./spawn-to-file.ts";
import { stopSpawn } from "./stop-ladder.ts";

const SHELL_TIMEOUT_MS = 5_000;
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";
/** Shells that take `-lic` and print a quoted `$PATH` joined by colons. */
const KNOWN_SHELLS = new Set(["bash", "zsh", "fish", "ksh", "dash", "sh"]);

export type UserPathDeps = { readonly environment: Environment; readonly clock: Clock; readonly timeoutMs?: number };

/**
 * The search path that the user's own shell would have, asked of it once, at the first call, and kept. All else of that
 * shell (aliases, functions, variables) is left aside. A shell that fails or takes too long: the path we were started with.
 */
export function createUserPath(deps: UserPathDeps): () => Promise<string> {
  let answer: Promise<string> | undefined;
  return () => {
    answer ??= askShell(deps).then((path) => path ?? (deps.environment["PATH"] || FALLBACK_PATH));
    return answer;
  };
}

async function askShell({
  environment,
  clock,
  timeoutMs = SHELL_TIMEOUT_MS,
}: UserPathDeps): Promise<string | undefined> {
  const shell = environment["SHELL"];
  if (shell === undefined || !isAbsolute(shell) || !KNOWN_SHELLS.has(basename(shell))) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "quoll-path-"));
  const tag = randomUUID();
  const mark = `quoll-${randomUUID()}`;
  const outputPath = join(folder, "out");
  const timer = new AbortController();
  try {
    const running = spawnToFile({
      file: shell,
      args: ["-lic", `printf '%s' '${mark}<' "$PATH" '>${mark}'`],
      cwd: "/",
      env: childEnvironment(environment, { path: environment["PATH"] || FALLBACK_PATH, tag }),
      tag,
      outputPath,
    });
    const late = clock.sleep(timeoutMs, timer.signal).then(
      () => true,
      () => true,
    );
    await Promise.race([running.exited, late]);
    const output = readFileSync(outputPath, "utf8");
    // What its start-up files left behind serves nobody: only this one shell knew of it.
    await stopSpawn(running, clock, { interruptMs: 0, terminateMs: 100 });
    const path = new RegExp(`${mark}<([^\\n]*)>${mark}`).exec(output)?.[1];
    return path?.includes("/") ? path : undefined;
  } catch {
    return undefined;
  } finally {
    timer.abort(new Error("The shell has answered."));
    rmSync(folder, { recursive: true, force: true });
  }
}
