import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { atMost } from "@quoll/async/at-most";
import { lazy } from "@quoll/async/lazy";
import type { Clock } from "../../contracts/ports.ts";
import type { Environment } from "../env.ts";
import { childEnvironment } from "./child-environment.ts";
import { spawnToFile } from "./spawn-to-file.ts";
import { stopSpawn } from "./stop-ladder.ts";

const SHELL_TIMEOUT_MS = 5_000;
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";
/** Shells that take `-lic` and print a quoted `$PATH` joined by colons. */
const KNOWN_SHELLS = new Set(["bash", "zsh", "fish", "ksh", "dash", "sh"]);

export type UserPathDeps = {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly timeoutMs?: number;
  /** Ends a login shell that has not answered yet, when the session ends. */
  readonly signal?: AbortSignal;
};

/**
 * The search path of commands and MCP servers: first the entries that Quoll was started with, in their order (set by a
 * virtual environment, nvm, direnv or a container), then the entries that only the user's login shell has. The login
 * shell is asked once, at the first call; its aliases, functions and other variables are not used. If it fails or times
 * out, nothing is appended.
 */
export function createUserPath(deps: UserPathDeps): () => Promise<string> {
  return lazy(async () => joinedPath(deps.environment["PATH"], await askShell(deps)));
}

function joinedPath(inherited: string | undefined, login: string | undefined): string {
  if (!inherited) return login ?? FALLBACK_PATH;
  const own = inherited.split(":");
  const known = new Set(own);
  const added = (login ?? "").split(":").filter((entry) => entry !== "" && !known.has(entry));
  return [...own, ...new Set(added)].join(":");
}

async function askShell({
  environment,
  clock,
  timeoutMs = SHELL_TIMEOUT_MS,
  signal,
}: UserPathDeps): Promise<string | undefined> {
  const shell = environment["SHELL"];
  if (signal?.aborted) return undefined;
  if (shell === undefined || !isAbsolute(shell) || !KNOWN_SHELLS.has(basename(shell))) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "quoll-path-"));
  const tag = crypto.randomUUID();
  const mark = `quoll-${crypto.randomUUID()}`;
  const outputPath = join(folder, "out");
  try {
    const running = spawnToFile({
      file: shell,
      args: ["-lic", `printf '%s' '${mark}<' "$PATH" '>${mark}'`],
      cwd: "/",
      env: childEnvironment(environment, { path: environment["PATH"] || FALLBACK_PATH, tag }),
      tag,
      outputPath,
    });
    await atMost(running.exited, timeoutMs, { clock, signal });
    const output = readFileSync(outputPath, "utf8");
    // End the processes that the start-up files left behind: only this shell used them.
    await stopSpawn(running, clock, { interruptMs: 0, terminateMs: 100 });
    const path = new RegExp(`${mark}<([^\\n]*)>${mark}`).exec(output)?.[1];
    return path?.includes("/") ? path : undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
