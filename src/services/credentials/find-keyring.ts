import type { Environment } from "../../platform/env.ts";
import { desktopPath } from "../../platform/processes/desktop-program.ts";
import { findProgram } from "../../platform/processes/find-program.ts";
import { type Captured, runCaptured } from "../../platform/processes/run-captured.ts";
import { failureOf, KEYRING_CALL_MS, type Keyring, type KeyringProgram } from "./keyring.ts";

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

const SERVICE = "quoll";
/** errSecItemNotFound, the exit code of security(1). */
const NOT_FOUND = 44;
/** security(1) cuts longer input lines off; each character of a key takes two characters. */
const MAX_KEY_CHARS = 1_800;

/**
 * The macOS keychain through security(1). Other programs could see an argument, so the key is written in the interactive mode,
 * which reads commands from stdin, in hexadecimal, which needs no quoting.
 */
const macosKeychain = {
  async answers(run: KeyringProgram): Promise<boolean> {
    const captured = await run(["find-generic-password", "-s", SERVICE, "-a", "-"]);
    return captured.kind === "ended" && (captured.exitCode === 0 || captured.exitCode === NOT_FOUND);
  },

  open(run: KeyringProgram, configFolder: string): Keyring {
    const account = (provider: string) => `${provider} ${configFolder}`;
    return {
      name: "the keychain",
      async read(provider) {
        const captured = await run(["find-generic-password", "-s", SERVICE, "-a", account(provider), "-w"]);
        if (isMissingItem(captured)) return undefined;
        return succeeded("security", captured).stdout.replace(/\n$/, "") || undefined;
      },
      async write(provider, key) {
        if (key.length > MAX_KEY_CHARS) throw new Error(`the key is longer than ${MAX_KEY_CHARS} characters`);
        const hex = Buffer.from(key).toString("hex");
        const name = account(provider).replace(/["\\]/g, "\\$&");
        succeeded("security", await run(["-i"], `add-generic-password -U -s ${SERVICE} -a "${name}" -X ${hex}\n`));
      },
      async erase(provider) {
        const captured = await run(["delete-generic-password", "-s", SERVICE, "-a", account(provider)]);
        if (!isMissingItem(captured)) succeeded("security", captured);
      },
    };
  },
};

/** A lookup of a key that does not exist. */
const PROBE = ["lookup", "service", SERVICE, "provider", "-", "config", "-"] as const;

/**
 * The Secret Service of a Linux desktop (GNOME Keyring, KWallet, KeePassXC) through secret-tool(1): `store` reads the secret from
 * stdin, `lookup` prints it, and a missing secret is exit code 1 without output.
 */
const secretService = {
  async answers(run: KeyringProgram): Promise<boolean> {
    const captured = await run(PROBE);
    return captured.kind === "ended" && (captured.exitCode === 0 || isMissingSecret(captured));
  },

  open(run: KeyringProgram, configFolder: string): Keyring {
    const attributes = (provider: string) => ["service", SERVICE, "provider", provider, "config", configFolder];
    return {
      name: "the keyring (secret-tool)",
      async read(provider) {
        const captured = await run(["lookup", ...attributes(provider)]);
        if (isMissingSecret(captured)) return undefined;
        return succeeded("secret-tool", captured).stdout.replace(/\n$/, "") || undefined;
      },
      async write(provider, key) {
        succeeded("secret-tool", await run(["store", `--label=Quoll: ${provider}`, ...attributes(provider)], key));
      },
      async erase(provider) {
        const captured = await run(["clear", ...attributes(provider)]);
        if (!isMissingSecret(captured)) succeeded("secret-tool", captured);
      },
    };
  },
};

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

function isMissingItem(captured: Captured): boolean {
  return captured.kind === "ended" && captured.exitCode === NOT_FOUND;
}

function isMissingSecret(captured: Captured): boolean {
  return captured.kind === "ended" && captured.exitCode === 1 && captured.stderr.trim() === "";
}

function succeeded(program: string, captured: Captured): Extract<Captured, { kind: "ended" }> {
  if (captured.kind === "ended" && captured.exitCode === 0) return captured;
  throw new Error(`${program}: ${failureOf(captured)}`);
}
