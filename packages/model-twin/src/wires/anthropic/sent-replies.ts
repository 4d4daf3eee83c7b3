import { createHmac } from "node:crypto";
import { Remembered } from "../remembered.ts";
import type { Block } from "./request.ts";

/** Not a secret: it only ties a signature to its text, so that every twin recognises what any twin signed. */
const SIGNING_KEY = "model-twin";

/** The signature of a thinking text, always the same for the same text. */
export function signThinking(thinking: string): string {
  return createHmac("sha256", SIGNING_KEY).update(thinking).digest("base64");
}

/** The key of a block of thinking, by everything that must come back unchanged; undefined for other blocks. */
export function thinkingKey(block: Block): string | undefined {
  if (block.type === "thinking") return JSON.stringify([block.signature, block.thinking]);
  return block.type === "redacted_thinking" ? JSON.stringify([block.data]) : undefined;
}

/** The answers that this server has sent, to check the parts that come back. */
export class SentReplies {
  readonly #byThinking = new Remembered<readonly Block[]>();
  readonly #byToolUse = new Remembered<readonly Block[]>();

  remember(content: readonly Block[]): void {
    for (const block of content) {
      const key = thinkingKey(block);
      if (key !== undefined) this.#byThinking.set(key, content);
      if (block.type === "tool_use") this.#byToolUse.set(block.id, content);
    }
  }

  /**
   * True if a block of thinking is unchanged since a twin sent it. Only the twin that sent a block knows a signature or
   * data from the scenario.
   */
  isGenuine(block: Block): boolean {
    const key = thinkingKey(block);
    if (key === undefined || this.#byThinking.get(key)) return true;
    return block.type === "thinking" && block.signature === signThinking(block.thinking);
  }

  /** The whole message in which a block of thinking was sent. */
  messageOfThinking(block: Block): readonly Block[] | undefined {
    const key = thinkingKey(block);
    return key === undefined ? undefined : this.#byThinking.get(key);
  }

  /** The whole message in which a tool was called. */
  messageOfToolUse(id: string): readonly Block[] | undefined {
    return this.#byToolUse.get(id);
  }
}
