import type { Captured } from "../../platform/processes/run-captured.ts";
import { failureOf, type Keyring, type KeyringProgram } from "./keyring.ts";

const SERVICE = "quoll";
/** A lookup of a key that does not exist. */
const PROBE = ["lookup", "service", SERVICE, "provider", "-", "config", "-"] as const;

/**
 * The Secret Service of a Linux desktop (GNOME Keyring, KWallet, KeePassXC) through secret-tool(1): `store` reads the secret from
 * stdin, `lookup` prints it, and a missing secret is exit code 1 without output.
 */
export const secretService = {
  async answers(run: KeyringProgram): Promise<boolean> {
    const captured = await run(PROBE);
    return captured.kind === "ended" && (captured.exitCode === 0 || isMissing(captured));
  },

  open(run: KeyringProgram, configFolder: string): Keyring {
    const attributes = (provider: string) => ["service", SERVICE, "provider", provider, "config", configFolder];
    return {
      name: "the keyring (secret-tool)",
      async read(provider) {
        const captured = await run(["lookup", ...attributes(provider)]);
        if (isMissing(captured)) return undefined;
        return succeeded(captured).stdout.replace(/\n$/, "") || undefined;
      },
      async write(provider, key) {
        succeeded(await run(["store", `--label=Quoll: ${provider}`, ...attributes(provider)], key));
      },
      async erase(provider) {
        const captured = await run(["clear", ...attributes(provider)]);
        if (!isMissing(captured)) succeeded(captured);
      },
    };
  },
};

function isMissing(captured: Captured): boolean {
  return captured.kind === "ended" && captured.exitCode === 1 && captured.stderr.trim() === "";
}

function succeeded(captured: Captured): Extract<Captured, { kind: "ended" }> {
  if (captured.kind === "ended" && captured.exitCode === 0) return captured;
  throw new Error(`secret-tool: ${failureOf(captured)}`);
}
