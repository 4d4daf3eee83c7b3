import { type Lazy, lazy } from "@quoll/async/lazy";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Environment } from "../../platform/env.ts";
import { maskKey } from "./check-credential.ts";
import type { CredentialEntry, CredentialFile } from "./credential-file.ts";
import type { FoundKeyring } from "./find-keyring.ts";
import type { KeyHelpers } from "./key-helper.ts";
import type { Keyring } from "./keyring.ts";

/** Number of keyring keys kept in memory. */
const MAX_KNOWN_KEYS = 32;

export type CredentialSource = "variable" | "keyring" | "file" | "helper";

/** Access to a provider, and its source. */
export type Credential = {
  readonly source: CredentialSource;
  /** The source: a variable's name, the keyring, a file's path, or a helper's command. */
  readonly from: string;
  /** The key; absent if only an endpoint was saved. */
  readonly key?: string;
  /** The saved endpoint, whatever the source of the key. */
  readonly endpoint?: string;
};

/** Like `Credential`, but printable. */
export type CredentialStatus = {
  readonly provider: string;
  readonly source: CredentialSource | "none";
  readonly from: string;
  /** The last characters of the key; absent if there is no key, or if it was not read (a helper is not run for this). */
  readonly key?: string;
  readonly endpoint?: string;
  /** Why saved data cannot be used. */
  readonly problem?: string;
};

/** Where data was saved; `note` says why it is not in the keyring. */
export type Saved = { readonly source: "keyring" | "file"; readonly from: string; readonly note?: string };

export type CredentialStoreOptions = {
  readonly file: CredentialFile;
  readonly env: Environment;
  /** The variables for a provider's key; the first variable that is set is used. */
  readonly variables: (provider: string) => readonly string[];
  readonly helpers: KeyHelpers;
  /** Looked up once, when needed. */
  readonly findKeyring: () => Promise<FoundKeyring>;
};

/**
 * Keys and endpoints by provider: from a variable, otherwise the keyring, otherwise Quoll's own file, otherwise a
 * helper.
 */
export class CredentialStore {
  readonly #options: CredentialStoreOptions;
  readonly #known = new Map<string, string>();
  readonly #findKeyring: Lazy<FoundKeyring>;

  constructor(options: CredentialStoreOptions) {
    this.#options = options;
    this.#findKeyring = lazy(options.findKeyring);
  }

  /**
   * @returns undefined if no source gives access.
   * @throws {UserFacingError} the saved data is unreadable, or the helper failed.
   */
  async lookup(provider: string): Promise<Credential | undefined> {
    const { file, helpers } = this.#options;
    const variable = this.#variableFor(provider);
    const entry = this.#entryFor(provider, variable !== undefined);
    const endpoint = endpointOf(entry);
    if (variable) return { source: "variable", from: variable.name, key: variable.value, ...endpoint };
    const saved = entry && (await this.#savedKey(provider, entry));
    if (saved) return { ...saved, ...endpoint };
    const key = await helpers.keyFor(provider);
    if (key !== undefined) return { source: "helper", from: helpers.commandFor(provider) ?? "", key, ...endpoint };
    return entry?.endpoint === undefined ? undefined : { source: "file", from: file.path, ...endpoint };
  }

  /**
   * Saves a key, an endpoint or both; the other value stays unchanged. Uses the keyring if there is one, otherwise the
   * file.
   * @throws {UserFacingError} saving failed.
   */
  async save(provider: string, given: { readonly key?: string; readonly endpoint?: string }): Promise<Saved> {
    const { file } = this.#options;
    const { key, endpoint } = given;
    // The file is read before the keyring is written, because an unusable file could not record the entry.
    file.read();
    const place = key === undefined ? undefined : await this.#intoKeyring(provider, key);
    await file.change(provider, (before) => ({
      ...(key === undefined && before),
      ...(key !== undefined && (place?.isThere ? { inKeyring: true as const } : { key })),
      ...((endpoint ?? before?.endpoint) !== undefined && { endpoint: endpoint ?? before?.endpoint }),
    }));
    this.#known.delete(provider);
    if (place?.isThere) return { source: "keyring", from: place.name };
    return { source: "file", from: file.path, ...(place?.note !== undefined && { note: place.note }) };
  }

  /** @returns false if nothing was saved. @throws {UserFacingError} at least a part could not be deleted. */
  async remove(provider: string): Promise<boolean> {
    const { file } = this.#options;
    const entry = this.#entryFor(provider, false);
    if (!entry) return false;
    this.#known.delete(provider);
    if (entry.inKeyring) {
      const keyring = await this.#keyringOrThrow();
      await keyring.erase(provider).catch((cause: unknown) => {
        throw new UserFacingError(`The key for ${provider} is still in ${keyring.name}: ${errorMessage(cause)}.`, 1, {
          cause,
        });
      });
    }
    await file.change(provider, () => undefined);
    return true;
  }

  /** The providers with saved data. @throws {UserFacingError} the file is unusable. */
  list(): readonly string[] {
    return Object.keys(this.#options.file.read()).sort();
  }

  /**
   * The source of access, without running a helper and without the network. The method never throws because of saved
   * data.
   */
  async status(provider: string): Promise<CredentialStatus> {
    const { helpers } = this.#options;
    const command = helpers.commandFor(provider);
    try {
      const variable = this.#variableFor(provider);
      const entry = this.#entryFor(provider, variable !== undefined);
      const endpoint = endpointOf(entry);
      if (variable)
        return { provider, source: "variable", from: variable.name, key: maskKey(variable.value), ...endpoint };
      const saved = entry && (await this.#savedKey(provider, entry));
      if (saved) return { provider, ...saved, key: maskKey(saved.key), ...endpoint };
      if (command !== undefined) return { provider, source: "helper", from: command, ...endpoint };
      const file = { source: "file", from: this.#options.file.path } as const;
      return { provider, ...(entry?.endpoint === undefined ? { source: "none", from: "" } : file), ...endpoint };
    } catch (error) {
      return { provider, source: "none", from: "", problem: errorMessage(error) };
    }
  }

  /** Called when the provider rejected its key: removes the key from memory, so that it is read again. */
  forget(provider: string): void {
    this.#known.delete(provider);
    this.#options.helpers.forget(provider);
  }

  #variableFor(provider: string): { readonly name: string; readonly value: string } | undefined {
    const { variables, env } = this.#options;
    for (const name of variables(provider)) {
      const value = env[name]?.trim();
      if (value) return { name, value };
    }
    return undefined;
  }

  /** @param isOptional True if there is another key: an unusable file is then not an error. */
  #entryFor(provider: string, isOptional: boolean): CredentialEntry | undefined {
    try {
      const entries = this.#options.file.read();
      return Object.hasOwn(entries, provider) ? entries[provider] : undefined;
    } catch (error) {
      if (isOptional) return undefined;
      throw error;
    }
  }

  async #savedKey(provider: string, entry: CredentialEntry) {
    if (entry.key !== undefined) return { source: "file", from: this.#options.file.path, key: entry.key } as const;
    if (!entry.inKeyring) return undefined;
    const keyring = await this.#keyringOrThrow();
    const key = this.#known.get(provider) ?? (await this.#readKeyring(keyring, provider));
    if (key === undefined) return undefined;
    this.#known.delete(provider);
    this.#known.set(provider, key);
    for (const oldest of [...this.#known.keys()].slice(0, -MAX_KNOWN_KEYS)) this.#known.delete(oldest);
    return { source: "keyring", from: keyring.name, key } as const;
  }

  #readKeyring(keyring: Keyring, provider: string): Promise<string | undefined> {
    return keyring.read(provider).catch((cause: unknown) => {
      throw new UserFacingError(
        `The key for ${provider} cannot be read from ${keyring.name} (${errorMessage(cause)}): unlock it, or set ${this.#options.variables(provider)[0] ?? "the provider's variable"}.`,
        1,
        { cause },
      );
    });
  }

  async #keyringOrThrow(): Promise<Keyring> {
    const keyring = await this.#findKeyring();
    if (keyring && keyring !== "silent") return keyring;
    throw new UserFacingError(
      "The key is saved in this machine's keyring, which does not respond: log in to your desktop session, or save the key again (quoll auth login <provider>).",
    );
  }

  /** Writes and reads back: a keyring that does not return the key is not used. */
  async #intoKeyring(provider: string, key: string) {
    const keyring = await this.#findKeyring();
    if (!keyring) return { isThere: false, name: "", note: "there is no keyring on this machine" };
    if (keyring === "silent")
      return { isThere: false, name: "", note: "the keyring of this machine does not respond; it may be locked" };
    const { name } = keyring;
    try {
      await keyring.write(provider, key);
      if ((await keyring.read(provider)) === key) return { isThere: true, name };
      return { isThere: false, name, note: `${name} did not return the key` };
    } catch (error) {
      return { isThere: false, name, note: errorMessage(error) };
    }
  }
}

function endpointOf(entry: CredentialEntry | undefined): Pick<Credential, "endpoint"> {
  return entry?.endpoint === undefined ? {} : { endpoint: entry.endpoint };
}
