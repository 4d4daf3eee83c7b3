/** A vendor's rules for the ids of tool calls. */
export type CallIdRules = {
  /** Maximum length. */
  readonly maxChars: number;
  /** True if ids have exactly `maxChars` letters and digits (Mistral). */
  readonly isExact?: boolean;
};

const PLAIN = /^[a-zA-Z0-9_-]+$/;
const ALPHANUMERIC = /^[a-zA-Z0-9]+$/;

/**
 * Gives each call of a history an id that the vendor accepts and that is unique in the request. A valid id is kept. The
 * same history always gets the same ids, so that a prompt cache stays valid.
 */
export class CallIds {
  readonly #rules: CallIdRules;
  readonly #used = new Set<string>();
  #count = 0;

  constructor(rules: CallIdRules) {
    this.#rules = rules;
  }

  next(given: string): string {
    this.#count += 1;
    let id = given;
    for (let number = this.#count; !this.#fits(id) || this.#used.has(id); number += 1) id = this.#made(number);
    this.#used.add(id);
    return id;
  }

  #fits(id: string): boolean {
    const { maxChars, isExact = false } = this.#rules;
    return isExact ? id.length === maxChars && ALPHANUMERIC.test(id) : id.length <= maxChars && PLAIN.test(id);
  }

  #made(number: number): string {
    const { maxChars, isExact = false } = this.#rules;
    return isExact ? `c${String(number).padStart(maxChars - 1, "0")}` : `call_${number}`;
  }
}
