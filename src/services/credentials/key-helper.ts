import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Environment } from "../../platform/env.ts";
import { withoutStartUp } from "../../platform/processes/child-environment.ts";
import { type Captured, runCaptured } from "../../platform/processes/run-captured.ts";
import { shellProgram } from "../../platform/processes/shell-program.ts";
import { checkKey } from "./check-credential.ts";

/** Time limit of a helper: a person may have to unlock a password manager. */
export const HELPER_TIMEOUT_MS = 30_000;
/** How long a helper's key is reused. */
export const HELPER_TTL_MS = 300_000;
const MAX_BYTES = 64 * 1024;
const MAX_TOLD_CHARS = 200;
/** Long, with letters and digits, and not a path. */
const MAYBE_KEY = /(?=[\w+=.-]*\d)(?=[\w+=.-]*[A-Za-z])[\w+=.-]{16,}/g;
const SHELL = "/bin/sh";
/** Tells the command which provider's key to print. */
const PROVIDER_VARIABLE = "QUOLL_PROVIDER";

export type KeyHelperOptions = {
  /** Commands by provider, only from the user's own settings. */
  readonly commands: Readonly<Record<string, string>>;
  readonly env: Environment;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly ttlMs?: number;
  readonly timeoutMs?: number;
};

type Cached = { readonly key: string; readonly untilMs: number };

/** Runs the user's own commands that print keys, and reuses each key for a while. */
export class KeyHelpers {
  readonly #options: KeyHelperOptions;
  /** A cache with at most one entry per command. */
  readonly #cached = new Map<string, Cached>();
  readonly #running = new Map<string, Promise<string>>();

  constructor(options: KeyHelperOptions) {
    this.#options = options;
  }

  /** The command for a provider, as written in the settings. */
  commandFor(provider: string): string | undefined {
    const { commands } = this.#options;
    return Object.hasOwn(commands, provider) ? commands[provider] : undefined;
  }

  /**
   * The key of a provider with a helper. Concurrent callers share one run.
   * @throws {UserFacingError} one line: the command failed, took too long, or printed no key. The message does not repeat its output.
   */
  async keyFor(provider: string): Promise<string | undefined> {
    const command = this.commandFor(provider);
    if (command === undefined) return undefined;
    const cached = this.#cached.get(provider);
    if (cached && this.#options.clock.monotonicMs() < cached.untilMs) return cached.key;
    const running = this.#running.get(provider) ?? this.#start(provider, command);
    return running;
  }

  /** The provider rejected the key: the next request runs the command again. */
  forget(provider: string): void {
    this.#cached.delete(provider);
  }

  #start(provider: string, command: string): Promise<string> {
    const running = this.#run(provider, command).finally(() => this.#running.delete(provider));
    this.#running.set(provider, running);
    return running;
  }

  async #run(provider: string, command: string): Promise<string> {
    const { env, clock, ttlMs = HELPER_TTL_MS, timeoutMs = HELPER_TIMEOUT_MS } = this.#options;
    const captured = await runCaptured({
      ...shellProgram(SHELL, command),
      cwd: "/",
      env: { ...withoutStartUp(env), [PROVIDER_VARIABLE]: provider },
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
    if (captured.kind !== "ended" || captured.exitCode !== 0) {
      throw new UserFacingError(
        `The key helper for ${provider} failed (${problem(captured, timeoutMs)}): ${told(command)}`,
      );
    }
    const key = helperKey(captured.stdout, provider);
    this.#cached.set(provider, { key, untilMs: clock.monotonicMs() + ttlMs });
    return key;
  }
}

function helperKey(output: string, provider: string): string {
  try {
    return checkKey(output);
  } catch (cause) {
    const what = output.trim() === "" ? "nothing" : "something that is not a key: it must print only the key";
    throw new UserFacingError(`The key helper for ${provider} printed ${what}.`, 1, { cause });
  }
}

/** The start of the command, without parts that may be a key. */
function told(text: string): string {
  return text.replace(MAYBE_KEY, "…").slice(0, MAX_TOLD_CHARS);
}

function problem(captured: Captured, timeoutMs: number): string {
  switch (captured.kind) {
    case "timeout":
      return `no answer within ${timeoutMs / 1_000} s`;
    case "too-large":
      return "it printed too much for a key";
    case "not-started":
      return captured.reason;
    case "ended": {
      const complaint = told(captured.stderr.trim().split("\n")[0] ?? "");
      const code = captured.exitCode === undefined ? "ended by a signal" : `exit code ${captured.exitCode}`;
      return complaint === "" ? code : `${code}: ${complaint}`;
    }
  }
}
