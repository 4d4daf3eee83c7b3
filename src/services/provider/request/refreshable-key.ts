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
