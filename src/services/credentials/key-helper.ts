import { UserFacingError } from "../../contracts/errors.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { Environment } from "../../platform/env.ts";
import { type Captured, runCaptured } from "../../platform/processes/run-captured.ts";
import { checkKey } from "./check-credential.ts";

/** How long a helper may take: somebody may have to unlock a store of passwords. */
export const HELPER_TIMEOUT_MS = 30_000;
/** How long a key that a helper printed is used. */
export const HELPER_TTL_MS = 300_000;
const MAX_BYTES = 64 * 1024;
const MAX_TOLD_CHARS = 200;
/** Long, with letters and digits, and no path. */
const MAYBE_KEY = /(?=[\w+=.-]*\d)(?=[\w+=.-]*[A-Za-z])[\w+=.-]{16,}/g;
const SHELL = "/bin/sh";
/** Tells the command which provider's key is wanted. */
const PROVIDER_VARIABLE = "QUOLL_PROVIDER";

export type KeyHelperOptions = {
  /** Commands by provider, from the user's own settings alone. */
  readonly commands: Readonly<Record<string, string>>;
  readonly env: Environment;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly ttlMs?: number;
  readonly timeoutMs?: number;
};

type Cached = { readonly key: string; readonly untilMs: number };

/** Runs the user's own commands that print keys; each key is used for a while. */
export class KeyHelpers {
  readonly #options: KeyHelperOptions;
  /** One entry a command at most. */
  readonly #cached = new Map<string, Cached>();
  readonly #running = new Map<string, Promise<string>>();

  constructor(options: KeyHelperOptions) {
    this.#options = options;
  }

  /** The command for a provider, as it was written. */
  commandFor(provider: string): string | undefined {
    const { commands } = this.#options;
    return Object.hasOwn(commands, provider) ? commands[provider] : undefined;
  }

  /**
   * The key of a provider that has a helper; whoever asks while it runs gets the same answer.
   * @throws {UserFacingError} one line: the command failed, took too long, or printed no key. What it printed is not repeated.
   */
  async keyFor(provider: string): Promise<string | undefined> {
    const command = this.commandFor(provider);
    if (command === undefined) return undefined;
    const cached = this.#cached.get(provider);
    if (cached && this.#options.clock.monotonicMs() < cached.untilMs) return cached.key;
    const running = this.#running.get(provider) ?? this.#start(provider, command);
    return running;
  }

  /** The next request runs the command again: the provider refused the key. */
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
    const whole = { ...env, [PROVIDER_VARIABLE]: provider };
    const given = Object.fromEntries(
      Object.entries(whole).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const captured = await runCaptured({
      file: SHELL,
      args: ["-c", command],
      cwd: "/",
      env: given,
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
    const what = output.trim() === "" ? "nothing" : "something that is no key: it must print the key alone";
    throw new UserFacingError(`The key helper for ${provider} printed ${what}.`, 1, { cause });
  }
}

/** A start of it, without what may be a key. */
function told(text: string): string {
  return text.replace(MAYBE_KEY, "…").slice(0, MAX_TOLD_CHARS);
}

function problem(captured: Captured, timeoutMs: number): string {
  switch (captured.kind) {
    case "timeout":
      return `no answer within ${timeoutMs / 1_000} s`;
    case "too-large":
      return "it printed more than a key has";
    case "not-started":
      return captured.reason;
    case "ended": {
      const complaint = told(captured.stderr.trim().split("\n")[0] ?? "");
      const code = captured.exitCode === undefined ? "ended by a signal" : `exit code ${captured.exitCode}`;
      return complaint === "" ? code : `${code}: ${complaint}`;
    }
  }
}
