/** A key that can be asked for anew when a server refuses it: helpers print keys that don't live long. */
export class HeldKey {
  readonly #renew: (() => Promise<string | undefined>) | undefined;
  #key: string | undefined;

  constructor(key: string | undefined, renew: (() => Promise<string | undefined>) | undefined) {
    this.#key = key;
    this.#renew = renew;
  }

  get value(): string | undefined {
    return this.#key;
  }

  /** @returns whether there is another key now. */
  async renewed(): Promise<boolean> {
    const key = await this.#renew?.();
    if (key === undefined || key === this.#key) return false;
    this.#key = key;
    return true;
  }
}
