import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";

const FIRST_BYTES = 16 * 1024;
/** Of UTF-8, for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
/** Of each conversation, by its first message. */
const written = new WeakMap<MessageParam, WrittenMessages>();
/** What an object is as JSON, kept for as long as the object is: nothing that is sent is changed, it is replaced. */
const texts = new WeakMap<object, string>();
/** Of a copy that carries a cache mark: what it is a copy of. */
const unmarked = new WeakMap<object, object>();

/**
 * A copy of a block with a cache mark at its end. It is written as the block is, which nearly always was sent before, and the
 * mark behind it.
 */
export function withMark<Item extends object>(
  item: Item,
  mark: CacheControlEphemeral,
): Item & { readonly cache_control: CacheControlEphemeral } {
  const marked = { ...item, cache_control: mark };
  // Elsewhere than at the end the mark takes the place of one that is there.
  if (!("cache_control" in item)) unmarked.set(marked, item);
  return marked;
}

/** The messages of a conversation as they stand in its last request, one behind the other. The next one goes on from there. */
class WrittenMessages {
  #messages: readonly MessageParam[] = [];
  /** Where each ends. */
  #ends: number[] = [];
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** @returns a view that the next call changes. */
  write(messages: readonly MessageParam[]): Uint8Array {
    let count = 0;
    while (count < this.#ends.length && this.#messages[count] === messages[count]) count += 1;
    this.#ends.length = count;
    // Before they are written: where one can't be, those before it are what stands there.
    this.#messages = messages;
    for (const message of messages.slice(count)) this.#append(messageText(message));
    return this.#bytes.subarray(0, this.#ends.at(-1) ?? 0);
  }

  #append(text: string): void {
    const start = this.#ends.at(-1) ?? 0;
    const needed = start + 1 + text.length * MAX_BYTES_PER_UNIT;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    const comma = start > 0 ? this.#bytes.write(",", start) : 0;
    this.#ends.push(start + comma + this.#bytes.write(text, start + comma));
  }
}

/**
 * The JSON of a body in UTF-8: what `JSON.stringify` would write, but each message, each block and each tool is written only
 * the first time that it is seen, and of a conversation that goes on, only what is new. Nothing of a body must be changed after
 * it was given once.
 */
export function requestBytes(body: Partial<MessageCreateParamsStreaming>): Uint8Array {
  const parts: Uint8Array[] = [];
  let text = "{";
  for (const [name, value] of Object.entries(body)) {
    const json = name === "tools" ? toolTexts(body) : name === "messages" ? "[" : JSON.stringify(value);
    if (json === undefined) continue;
    text += `${text === "{" && parts.length === 0 ? "" : ","}${JSON.stringify(name)}:${json}`;
    if (name !== "messages") continue;
    parts.push(Buffer.from(text), writtenOf(body.messages ?? []));
    text = "]";
  }
  return Buffer.concat([...parts, Buffer.from(`${text}}`)]);
}

function writtenOf(messages: readonly MessageParam[]): Uint8Array {
  const [first] = messages;
  if (!first) return new Uint8Array();
  const known = written.get(first) ?? new WrittenMessages();
  written.set(first, known);
  return known.write(messages);
}

function toolTexts({ tools }: Partial<MessageCreateParamsStreaming>): string | undefined {
  return tools && `[${tools.map(itemText).join(",")}]`;
}

function messageText(message: MessageParam): string {
  const known = texts.get(message);
  if (known !== undefined) return known;
  const { role, content } = message;
  const inside = typeof content === "string" ? JSON.stringify(content) : `[${content.map(itemText).join(",")}]`;
  const text = `{"role":${JSON.stringify(role)},"content":${inside}}`;
  texts.set(message, text);
  return text;
}

function itemText(item: ContentBlockParam | object): string {
  const original = unmarked.get(item);
  if (original !== undefined && "cache_control" in item)
    return `${itemText(original).slice(0, -1)},"cache_control":${JSON.stringify(item.cache_control)}}`;
  const known = texts.get(item);
  if (known !== undefined) return known;
  const text = JSON.stringify(item);
  texts.set(item, text);
  return text;
}
