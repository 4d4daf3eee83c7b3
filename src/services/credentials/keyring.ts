import type { Captured } from "../../platform/processes/run-captured.ts";

/** A person may have to unlock the keyring. */
export const KEYRING_CALL_MS = 30_000;

/** The operating system's secret store. */
export interface Keyring {
  /** The keyring's name for people: `the keyring (secret-tool)`. */
  readonly name: string;
  /**
   * @returns undefined if the keyring has no key.
   * @throws {Error} one line: the keyring is locked or does not respond.
   */
  read(provider: string): Promise<string | undefined>;
  /** @throws {Error} as `read`. */
  write(provider: string, key: string): Promise<void>;
  /** Deletes a provider's key; does nothing if there is none. @throws {Error} as `read`. */
  erase(provider: string): Promise<void>;
}

/** Runs the keyring's program. Secrets are passed only through `input`. */
export type KeyringProgram = (args: readonly string[], input?: string) => Promise<Captured>;

/** The error of a call, in a few words; the program's own message is cut to one line. */
export function failureOf(captured: Captured): string {
  switch (captured.kind) {
    case "timeout":
      return `no answer within ${KEYRING_CALL_MS / 1_000} s; it may be locked`;
    case "too-large":
      return "too much output for a key";
    case "not-started":
      return captured.reason;
    case "ended":
      return captured.stderr.trim().split("\n")[0]?.slice(0, 200) || `exit code ${captured.exitCode ?? "of a signal"}`;
  }
}
