/** Source: OpenAI's and Google's API references: letters, digits, `_` and `-`, at most 64 characters, a letter or `_` first. */
const MAX_NAME_CHARS = 64;

/**
 * Maps tool names to names that a vendor accepts, and back. Valid names stay; a changed name is unique.
 * Declared names come before names that a model invented.
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
    const plain = printableName(name);
    let sent = plain;
    for (let count = 2; this.#given.has(sent); count += 1) {
      const suffix = `_${count}`;
      sent = `${plain.slice(0, MAX_NAME_CHARS - suffix.length)}${suffix}`;
    }
    this.#sent.set(name, sent);
    this.#given.set(sent, name);
    return sent;
  }

  /** Quoll's name for a tool that a model calls; a name that was never sent is returned unchanged. */
  given(sent: string): string {
    return this.#given.get(sent) ?? sent;
  }
}

function printableName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_NAME_CHARS);
}
