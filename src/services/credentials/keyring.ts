import type { Captured } from "../../platform/processes/run-captured.ts";

/** Somebody may have to unlock it. */
export const KEYRING_CALL_MS = 30_000;

/** The operating system's own store of secrets. */
export interface Keyring {
  /** For people: `the keyring (secret-tool)`. */
  readonly name: string;
  /** @returns undefined when it holds none. @throws {Error} one line: it is locked, or doesn't answer. */
  read(provider: string): Promise<string | undefined>;
  /** @throws {Error} as `read`. */
  write(provider: string, key: string): Promise<void>;
  /** Also when it holds none. @throws {Error} as `read`. */
  erase(provider: string): Promise<void>;
}

/** Runs the keyring's own program. What is secret goes in by `input` alone. */
export type KeyringProgram = (args: readonly string[], input?: string) => Promise<Captured>;

/** What went wrong with a call, in a few words; the program's own words are cut to one line. */
export function failureOf(captured: Captured): string {
  switch (captured.kind) {
    case "timeout":
      return `no answer within ${KEYRING_CALL_MS / 1_000} s; is it locked?`;
    case "too-large":
      return "more output than a key has";
    case "not-started":
      return captured.reason;
    case "ended":
      return captured.stderr.trim().split("\n")[0]?.slice(0, 200) || `exit code ${captured.exitCode ?? "of a signal"}`;
  }
}
