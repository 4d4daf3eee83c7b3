import type { Environment } from "../../platform/env.ts";
import { desktopPath } from "../../platform/processes/desktop-program.ts";
import { findProgram } from "../../platform/processes/find-program.ts";
import { runCaptured } from "../../platform/processes/run-captured.ts";
import { KEYRING_CALL_MS, type Keyring, type KeyringProgram } from "./keyring.ts";
import { macosKeychain } from "./macos-keychain.ts";
import { secretService } from "./secret-service.ts";

/** The time limit of a keyring call that needs no input from a person. */
const PROBE_MS = 3_000;
const MAX_BYTES = 64 * 1024;

export type KeyringEnvironment = {
  readonly os: string;
  readonly env: Environment;
  /** Keeps the keys of different configuration folders apart. */
  readonly configFolder: string;
};

/**
 * `silent`: the program exists but does not respond, because the keyring is locked or there is no desktop session.
 * Undefined if there is no keyring.
 */
export type FoundKeyring = Keyring | "silent" | undefined;

/** The keyring of this machine. Never throws. */
export async function findKeyring(environment: KeyringEnvironment): Promise<FoundKeyring> {
  const isMac = environment.os === "darwin";
  if (!isMac && environment.os !== "linux") return undefined;
  const file = findProgram(isMac ? "security" : "secret-tool", desktopPath(environment.env["PATH"] ?? ""));
  if (file === undefined) return undefined;
  const program =
    (timeoutMs: number): KeyringProgram =>
    (args, input) =>
      runCaptured({
        file,
        args,
        cwd: "/",
        env: programEnvironment(environment.env),
        timeoutMs,
        maxBytes: MAX_BYTES,
        ...(input !== undefined && { input }),
      });
  const kind = isMac ? macosKeychain : secretService;
  const answers = await kind.answers(program(PROBE_MS)).catch(() => false);
  return answers ? kind.open(program(KEYRING_CALL_MS), environment.configFolder) : "silent";
}

/** The variables that the program needs: for the user's session and its bus, and for a screen to ask on. */
const PASSED_ON = [
  ...["HOME", "USER", "LOGNAME", "PATH", "TMPDIR", "LANG", "LC_ALL"],
  ...["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
];

function programEnvironment(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
