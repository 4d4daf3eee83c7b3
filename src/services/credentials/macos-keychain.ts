import type { Captured } from "../../platform/processes/run-captured.ts";
import { failureOf, type Keyring, type KeyringProgram } from "./keyring.ts";

const SERVICE = "quoll";
/** errSecItemNotFound, the exit code of security(1). */
const NOT_FOUND = 44;
/** security(1) cuts longer input lines off; each character of a key takes two characters. */
const MAX_KEY_CHARS = 1_800;

/**
 * The macOS keychain through security(1). Other programs could see an argument, so the key is written in the interactive mode,
 * which reads commands from stdin, in hexadecimal, which needs no quoting.
 */
export const macosKeychain = {
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
        if (isMissing(captured)) return undefined;
        return succeeded(captured).stdout.replace(/\n$/, "") || undefined;
      },
      async write(provider, key) {
        if (key.length > MAX_KEY_CHARS) throw new Error(`the key is longer than ${MAX_KEY_CHARS} characters`);
        const hex = Buffer.from(key).toString("hex");
        const name = account(provider).replace(/["\\]/g, "\\$&");
        succeeded(await run(["-i"], `add-generic-password -U -s ${SERVICE} -a "${name}" -X ${hex}\n`));
      },
      async erase(provider) {
        const captured = await run(["delete-generic-password", "-s", SERVICE, "-a", account(provider)]);
        if (!isMissing(captured)) succeeded(captured);
      },
    };
  },
};

function isMissing(captured: Captured): boolean {
  return captured.kind === "ended" && captured.exitCode === NOT_FOUND;
}

function succeeded(captured: Captured): Extract<Captured, { kind: "ended" }> {
  if (captured.kind === "ended" && captured.exitCode === 0) return captured;
  throw new Error(`security: ${failureOf(captured)}`);
}
