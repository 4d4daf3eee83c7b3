const OPEN = "<think>";
const CLOSE = "</think>";

export type TaggedPiece = { readonly kind: "text" | "thinking"; readonly text: string };

const NONE: readonly TaggedPiece[] = [];

/**
 * Tells thinking from words where a server leaves it in the text: an answer that begins with `<think>` thinks up to `</think>`
 * (DeepSeek R1 and Qwen, as they come out of their templates). Tags may be cut anywhere; further on in a text they are words.
 */
export class ThinkTags {
  #state: "before" | "inside" | "behind" | "over" = "before";
  /** What may be the beginning of a tag, and white space at its edges. */
  #held = "";
  #hasThought = false;

  /** Whether all that comes is words. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  split(text: string): readonly TaggedPiece[] {
    this.#held += text;
    switch (this.#state) {
      case "before":
        return this.#before();
      case "inside":
        return this.#inside();
      case "behind":
        return this.#behind();
      case "over":
        return this.#words();
    }
  }

  /** The text is over: what was held is what it is. */
  end(): readonly TaggedPiece[] {
    const isThinking = this.#state === "inside";
    const text = isThinking ? this.#held.trimEnd() : this.#state === "behind" ? "" : this.#held;
    this.#held = "";
    this.#state = "over";
    return text === "" ? NONE : [{ kind: isThinking ? "thinking" : "text", text }];
  }

  #before(): readonly TaggedPiece[] {
    const text = this.#held.trimStart();
    if (text.length < OPEN.length && OPEN.startsWith(text)) return NONE;
    if (!text.startsWith(OPEN)) return this.#words();
    this.#state = "inside";
    this.#held = text.slice(OPEN.length);
    return this.#inside();
  }

  #inside(): readonly TaggedPiece[] {
    if (!this.#hasThought) this.#held = this.#held.trimStart();
    const at = this.#held.indexOf(CLOSE);
    const end = at === -1 ? sureLength(this.#held) : this.#held.slice(0, at).trimEnd().length;
    const thinking = this.#held.slice(0, end);
    this.#held = this.#held.slice(at === -1 ? end : at + CLOSE.length);
    this.#hasThought ||= thinking !== "";
    const piece: readonly TaggedPiece[] = thinking === "" ? NONE : [{ kind: "thinking", text: thinking }];
    if (at === -1) return piece;
    this.#state = "behind";
    return [...piece, ...this.#behind()];
  }

  #behind(): readonly TaggedPiece[] {
    this.#held = this.#held.trimStart();
    return this.#held === "" ? NONE : this.#words();
  }

  #words(): readonly TaggedPiece[] {
    const text = this.#held;
    this.#held = "";
    this.#state = "over";
    return text === "" ? NONE : [{ kind: "text", text }];
  }
}

/** How much of a thought can't be part of the closing tag, or of the white space before it. */
function sureLength(text: string): number {
  let at = text.length;
  for (let length = Math.min(text.length, CLOSE.length - 1); length > 0; length -= 1) {
    if (!text.endsWith(CLOSE.slice(0, length))) continue;
    at -= length;
    break;
  }
  return text.slice(0, at).trimEnd().length;
}
