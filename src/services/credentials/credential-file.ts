import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { waitForLock } from "../../platform/lock-file.ts";
import { readSecretFile, writeSecretFile } from "../../platform/secret-file.ts";

const MAX_BYTES = 1024 * 1024;
/** How long another Quoll process may hold the lock. */
const LOCK_WAIT_MS = 5_000;

export type CredentialEntry = {
  /** The key is here or in the keyring; neither for an endpoint alone. */
  readonly key?: string | undefined;
  readonly inKeyring?: true | undefined;
  readonly endpoint?: string | undefined;
};
export type CredentialEntries = Readonly<Record<string, CredentialEntry>>;

/**
 * `credentials.json` in Quoll's configuration folder (0600): keys if there is no keyring, and the list of providers
 * whose key is in the keyring. A file that others may read, or that is a link, is not used.
 */
export class CredentialFile {
  readonly path: string;
  /** The command that saves an entry again, for messages. */
  readonly #login: string;

  constructor(path: string, login = "quoll auth login <provider>") {
    this.path = path;
    this.#login = login;
  }

  /** @throws {UserFacingError} (exit 2) the file is unsafe, unreadable or in another format. */
  read(): CredentialEntries {
    let text: string | undefined;
    try {
      text = readSecretFile(this.path, MAX_BYTES);
    } catch (cause) {
      throw new UserFacingError(`Quoll does not use ${this.path}: ${errorMessage(cause)}.`, 2, { cause });
    }
    if (text === undefined) return {};
    const entries = entriesIn(parsedJson(text));
    if (entries) return entries;
    throw new UserFacingError(`${this.path} cannot be parsed: delete it, and log in again (${this.#login}).`, 2);
  }

  /**
   * Changes one provider's entry; a result of undefined removes the entry. The file is replaced atomically, under a
   * lock.
   * @throws {UserFacingError} as `read`; also if the file cannot be locked or written: then nothing is changed.
   */
  async change(provider: string, make: (before: CredentialEntry | undefined) => CredentialEntry | undefined) {
    const lock = await this.#lock();
    try {
      const { [provider]: before, ...others } = this.read();
      const after = make(before);
      if (after === undefined && before === undefined) return;
      const providers = after === undefined ? others : { ...others, [provider]: after };
      writeSecretFile(this.path, `${JSON.stringify({ version: 1, providers }, null, 2)}\n`);
    } catch (cause) {
      if (cause instanceof UserFacingError) throw cause;
      throw this.#unwritten(cause);
    } finally {
      lock.release();
    }
  }

  async #lock() {
    const attempt = await waitForLock(`${this.path}.lock`, LOCK_WAIT_MS).catch((cause: unknown) => {
      throw this.#unwritten(cause);
    });
    if ("lock" in attempt) return attempt.lock;
    const who = attempt.holder ? `pid ${attempt.holder.pid} on ${attempt.holder.host}` : "another program";
    throw new UserFacingError(`${this.path} is being changed by ${who}: nothing was changed. Try again.`);
  }

  #unwritten(cause: unknown): UserFacingError {
    return new UserFacingError(`${this.path} could not be written (${errorMessage(cause)}): nothing was changed.`, 1, {
      cause,
    });
  }
}

/** Written without zod, which would be loaded at each start. @returns undefined for another format. */
function entriesIn(json: unknown): CredentialEntries | undefined {
  if (!isJsonObject(json) || json["version"] !== 1 || !isJsonObject(json["providers"])) return undefined;
  const { providers } = json;
  return Object.values(providers).every(isEntry) ? (providers as CredentialEntries) : undefined;
}

function isEntry(json: unknown): json is CredentialEntry {
  if (!isJsonObject(json)) return false;
  const { key, inKeyring, endpoint } = json;
  const isTextOrAbsent = [key, endpoint].every((field) => field === undefined || typeof field === "string");
  return isTextOrAbsent && (inKeyring === undefined || inKeyring === true);
}
