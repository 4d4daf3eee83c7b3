import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";

const FIRST_BYTES = 16 * 1024;
/** UTF-8 bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
/** The written messages of each conversation. The key is the conversation's first message. */
const written = new WeakMap<MessageParam, WrittenMessages>();
/** Cached JSON of objects, for the life of the object. Sent objects are never changed, only replaced. */
const texts = new WeakMap<object, string>();
/** Maps a copy with a cache mark to the original. */
const unmarked = new WeakMap<object, object>();

/**
 * A copy of a block with a cache mark at its end. The JSON of the copy is the block's JSON, which was nearly always
 * sent before, with the mark after it.
 */
export function withMark<Item extends object>(
  item: Item,
  mark: CacheControlEphemeral,
): Item & { readonly cache_control: CacheControlEphemeral } {
  const marked = { ...item, cache_control: mark };
  // If the block has a mark elsewhere, the new mark replaces it in place.
  if (!("cache_control" in item)) unmarked.set(marked, item);
  return marked;
}

/** The serialised messages of a conversation's last request. The next request continues from the last. */
class WrittenMessages {
  #messages: readonly MessageParam[] = [];
  /** The end offset of each message. */
  #ends: number[] = [];
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** @returns a view that the next call changes. */
  write(messages: readonly MessageParam[]): Uint8Array {
    let count = 0;
    while (count < this.#ends.length && this.#messages[count] === messages[count]) count += 1;
    this.#ends.length = count;
    // Set before writing: if a message cannot be written, the buffer contains the messages before it.
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
 * The JSON of a body in UTF-8, identical to `JSON.stringify`. Each message, block and tool is serialised only
 * once, and for a continued conversation only the new part. Objects in a body must not be changed after
 * the first call.
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
