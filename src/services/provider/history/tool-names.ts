/** Source: OpenAI's and Google's API references: letters, digits, `_` and `-`, 64 characters at most, a letter or `_` first. */
const MAX_NAME_CHARS = 64;

/**
 * The names of tools as a vendor takes them, and back. Names that fit stay; a name that had to be changed is unique.
 * Declared names go before those that a model made up.
 */
export class ToolNames {
  readonly #sent = new Map<string, string>();
  readonly #given = new Map<string, string>();

  constructor(declared: readonly string[]) {
    for (const name of declared) this.sent(name);
  }

  /** The name to send. */
  sent(name: string): string {
    const known = this.#sent.get(name);
    if (known !== undefined) return known;
    const plain = plainName(name);
    let sent = plain;
    for (let count = 2; this.#given.has(sent); count += 1) {
      const suffix = `_${count}`;
      sent = `${plain.slice(0, MAX_NAME_CHARS - suffix.length)}${suffix}`;
    }
    this.#sent.set(name, sent);
    this.#given.set(sent, name);
    return sent;
  }

  /** Our name for one that a model calls; a name that was never sent is its own. */
  given(sent: string): string {
    return this.#given.get(sent) ?? sent;
  }
}

function plainName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_NAME_CHARS);
}
