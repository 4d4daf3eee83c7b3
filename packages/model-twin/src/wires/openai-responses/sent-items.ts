import { createHmac } from "node:crypto";
import { Remembered } from "../remembered.ts";
import type { FunctionCall, Item, MessageItem, Reasoning } from "./request.ts";

/** Not a secret: it only ties a seal to its text, so that every twin recognises what any twin sealed. */
const SEALING_KEY = "model-twin";
const SEAL = /^twin\.([\w-]*)\.([\w-]*)\.([\w-]+)$/;
/** The number of kept conversations, because they are large. */
const MAX_CONVERSATIONS = 8;
/** The separator between the parts of a summary that was split into paragraphs. */
export const PARAGRAPH_BREAK = "\n\n";

const hash = (content: string) => createHmac("sha256", SEALING_KEY).update(content).digest("base64url");
const encode = (text: string) => Buffer.from(text, "utf8").toString("base64url");
const decode = (text: string) => Buffer.from(text, "base64url").toString("utf8");

/**
 * The encrypted content of a thought, always the same for the same item and text. The content holds both, but no
 * client should read it.
 */
export function sealReasoning(id: string, thinking: string): string {
  const content = `${encode(id)}.${encode(thinking)}`;
  return `twin.${content}.${hash(content)}`;
}

/** The content sealed by a twin; undefined for anything else. */
function openSeal(sealed: string): { readonly id: string; readonly thinking: string } | undefined {
  const [, id = "", thinking = "", seal] = SEAL.exec(sealed) ?? [];
  return seal === hash(`${id}.${thinking}`) ? { id: decode(id), thinking: decode(thinking) } : undefined;
}

export type SentItem = (Reasoning | MessageItem | FunctionCall) & { readonly id: string };

/** One answer, and whether its reasoning must come back with its calls. */
export type SentResponse = {
  readonly items: readonly SentItem[];
  readonly isEncrypted: boolean;
  readonly isStored: boolean;
};

/** The part of a reasoning item that must come back unchanged; its id may be omitted. */
const identityOf = ({ encrypted_content: sealed, id, summary }: Reasoning): string =>
  JSON.stringify([sealed, id, summary.map(({ text }) => text)]);

/** The identity of a reasoning item. */
export const reasoningKey = ({ encrypted_content: sealed, id }: Reasoning): string => sealed ?? id ?? "";

/** The answers that this server has sent, to check the parts that come back. */
export class SentItems {
  readonly #byId = new Remembered<SentItem>();
  readonly #reasoning = new Remembered<true>();
  readonly #byCall = new Remembered<SentResponse>();
  readonly #conversations = new Remembered<readonly Item[]>(MAX_CONVERSATIONS);

  /** @param history the input so far, which a later request continues by the response's id. */
  remember(id: string, response: SentResponse, history: readonly Item[]): void {
    for (const item of response.items) {
      if (response.isStored) this.#byId.set(item.id, item);
      if (item.type === "reasoning") {
        const { id: _id, ...nameless } = item;
        for (const form of [item, nameless]) this.#reasoning.set(identityOf(form), true);
      }
      if (item.type === "function_call") this.#byCall.set(item.call_id, response);
    }
    if (response.isStored) this.#conversations.set(id, [...history, ...response.items]);
  }

  /** An item that the server keeps. */
  stored(id: string): SentItem | undefined {
    return this.#byId.get(id);
  }

  /** Everything up to and with a response that the server keeps. */
  conversation(responseId: string): readonly Item[] | undefined {
    return this.#conversations.get(responseId);
  }

  /** The answer in which a function was called. */
  responseOfCall(callId: string): SentResponse | undefined {
    return this.#byCall.get(callId);
  }

  /**
   * True if encrypted reasoning is unchanged since a twin sent it. Only the twin that sent it knows content that
   * the scenario sealed.
   */
  isGenuine(reasoning: Reasoning): boolean {
    const sealed = reasoning.encrypted_content;
    if (!sealed) return true;
    if (this.#reasoning.get(identityOf(reasoning))) return true;
    const opened = openSeal(sealed);
    const summary = reasoning.summary.map(({ text }) => text).join(PARAGRAPH_BREAK);
    if (!opened || (reasoning.id !== undefined && reasoning.id !== opened.id)) return false;
    return reasoning.summary.length === 0 || summary === opened.thinking;
  }
}
