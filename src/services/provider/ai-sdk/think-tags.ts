const OPEN = "<think>";
const CLOSE = "</think>";
const FENCE = "```";
/** Long enough to see a code fence after its indentation. */
const MAX_LINE_START = 16;

/** `opened_before`: all text so far was thinking, because the server's template contains the opening tag. */
export type TaggedPiece =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "opened_before" };

const NONE: readonly TaggedPiece[] = [];

/**
 * Separates thinking from text for servers that send both in one text. An answer that begins with `<think>` is thinking
 * until `</think>` (DeepSeek R1 and Qwen, with their own templates). If the template opens the thinking, only a closing
 * tag arrives; inside code, quotation marks or after an opening tag, the closing tag is text. Tags may be split
 * anywhere; all other tags are text.
 */
export class ThinkTags {
  #state: "before" | "inside" | "behind" | "words" | "over" = "before";
  /** A possible start of a tag, and white space at its edges. */
  #held = "";
  #hasThought = false;
  readonly #context = new TagContext();

  /** True if all following input is text. */
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
      case "words":
        return this.#untilClose(false);
      case "over":
        return this.#words();
    }
  }

  /** The text has ended: held characters are text. */
  end(): readonly TaggedPiece[] {
    if (this.#state === "words") {
      const last = this.#untilClose(true);
      this.#state = "over";
      return last;
    }
    const isThinking = this.#state === "inside";
    const text = isThinking ? this.#held.trimEnd() : this.#state === "behind" ? "" : this.#held;
    this.#held = "";
    this.#state = "over";
    return text === "" ? NONE : [{ kind: isThinking ? "thinking" : "text", text }];
  }

  #before(): readonly TaggedPiece[] {
    const text = this.#held.trimStart();
    if (text.length < OPEN.length && OPEN.startsWith(text)) return NONE;
    if (!text.startsWith(OPEN)) {
      this.#state = "words";
      return this.#untilClose(false);
    }
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

  /** Text up to the next real closing tag. */
  #untilClose(isEnd: boolean): readonly TaggedPiece[] {
    const at = this.#held.indexOf(CLOSE);
    const end = at === -1 ? this.#held.length - (isEnd ? 0 : partialLength(this.#held, CLOSE)) : at;
    const words = this.#held.slice(0, end);
    this.#context.note(words);
    if (at === -1) {
      this.#held = this.#held.slice(end);
      return textPiece(words);
    }
    this.#held = this.#held.slice(at + CLOSE.length);
    if (this.#context.isQuoted) {
      this.#context.note(CLOSE);
      return [...textPiece(words + CLOSE), ...this.#untilClose(isEnd)];
    }
    this.#state = "behind";
    return [...textPiece(words), { kind: "opened_before" }, ...this.#behind()];
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

/**
 * The position of a closing tag in the text. Inside code, quotation marks or after an opening tag, it is text. Only the
 * beginning of each line is kept, regardless of its length.
 */
class TagContext {
  #start = "";
  #ticks = 0;
  #isFenced = false;
  #hasOpen = false;
  #last = "";

  note(text: string): void {
    this.#hasOpen ||= `${this.#last}${text}`.includes(OPEN);
    this.#last = `${this.#last}${text.slice(-OPEN.length)}`.slice(-OPEN.length);
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) this.#nextLine();
      this.#start += part.slice(0, Math.max(0, MAX_LINE_START - this.#start.length));
      this.#ticks += part.includes("`") ? part.split("`").length - 1 : 0;
    }
  }

  get isQuoted(): boolean {
    return this.#isFenced || this.#ticks % 2 === 1 || this.#hasOpen || /["'`]$/.test(this.#last);
  }

  #nextLine(): void {
    if (this.#start.trimStart().startsWith(FENCE)) this.#isFenced = !this.#isFenced;
    this.#start = "";
    this.#ticks = 0;
  }
}

/** The number of final characters that may be the start of a tag. */
function partialLength(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

function textPiece(text: string): readonly TaggedPiece[] {
  return text === "" ? NONE : [{ kind: "text", text }];
}

/** The number of characters of a thought that cannot be part of the closing tag or the white space before it. */
function sureLength(text: string): number {
  return text.slice(0, text.length - partialLength(text, CLOSE)).trimEnd().length;
}
