import type { Message } from "../contracts/message.ts";
import type { Entry } from "../contracts/session.ts";
import { blocksTokens } from "../contracts/token-estimate.ts";
import type { ToolRecord } from "../contracts/tool-offer.ts";

type Noted = Extract<Entry, { kind: "tools" | "user" }>;

/** Collects the notes and records about tools in a conversation. */
export class ToolNotes {
  #record: ToolRecord | undefined;
  /** Names of deferred tools, by the message that announced them. */
  #announced = new Map<string, { readonly names: readonly string[]; readonly tokens: number }>();
  #names: ReadonlySet<string> | undefined;

  /** The tool array of the last request. */
  get record(): ToolRecord | undefined {
    return this.#record;
  }

  /** Names of deferred tools that a message in the model's view announces. */
  get announced(): ReadonlySet<string> {
    this.#names ??= new Set([...this.#announced.values()].flatMap(({ names }) => names));
    return this.#names;
  }

  /** Estimated tokens of the announcing messages. */
  get announcedTokens(): number {
    return [...this.#announced.values()].reduce((sum, { tokens }) => sum + tokens, 0);
  }

  add(entry: Noted): void {
    if (entry.kind === "tools") {
      this.#record = entry;
      return;
    }
    if (!entry.announced) return;
    const { id, content } = entry.message;
    this.#announced.set(id, { names: entry.announced, tokens: blocksTokens(content) });
    this.#names = undefined;
  }

  /** Called when only these messages remain in the model's view. */
  keep(messages: readonly Message[]): void {
    if (this.#announced.size === 0) return;
    const ids = new Set(messages.map(({ id }) => id));
    this.#announced = new Map([...this.#announced].filter(([id]) => ids.has(id)));
    this.#names = undefined;
  }

  clear(): void {
    this.#record = undefined;
    this.#announced.clear();
    this.#names = undefined;
  }
}
