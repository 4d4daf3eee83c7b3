/** A key that can be looked up again when a server rejects it. Helpers print short-lived keys. */
export class RefreshableKey {
  readonly #renew: (() => Promise<string | undefined>) | undefined;
  #key: string | undefined;

  constructor(key: string | undefined, renew: (() => Promise<string | undefined>) | undefined) {
    this.#key = key;
    this.#renew = renew;
  }

  get value(): string | undefined {
    return this.#key;
  }

  /** @returns true if the key has changed. */
  async renewed(): Promise<boolean> {
    const key = await this.#renew?.();
    if (key === undefined || key === this.#key) return false;
    this.#key = key;
    return true;
  }
}

/** Messages of vendors about an invalid key, with a status that suggests another error. */
const BAD_KEY = /API_KEY_INVALID|invalid_api_key|API[ _]key not valid|(incorrect|invalid) API[ _]key/i;

/** True if a refusal says that the key is invalid. @param words The error's type, code and message. */
export function isAboutKey(status: number | undefined, words: string): boolean {
  return status === 401 || ((status === 400 || status === 403) && BAD_KEY.test(words));
}

/** True if another key could help: Google and AWS use 403 for an expired key and for a missing permission. */
export function mayBeTheKey(status: number | undefined, words: string): boolean {
  return status === 403 || isAboutKey(status, words);
}

const KEY_HEADER = /auth|key|token/i;

/** Whether one of the configured headers looks like the place of a key: `x-api-key`. */
export function carriesKey(headers: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(headers).some((name) => KEY_HEADER.test(name));
}
