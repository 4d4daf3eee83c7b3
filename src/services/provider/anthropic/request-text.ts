import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from "@anthropic-ai/sdk/resources/messages";

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

/**
 * The JSON of a body: what `JSON.stringify` would write, but each message, each block and each tool is written only the
 * first time that it is seen, and joined from then on. None must be changed after it was given once.
 */
export function requestText(body: Partial<MessageCreateParamsStreaming>): string {
  // One list, joined once: a long history is copied no more often than it must be.
  const parts: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const items = itemTexts(name, body);
    const text = items ? "[" : JSON.stringify(value);
    if (text === undefined) continue;
    parts.push(parts.length === 0 ? "{" : ",", JSON.stringify(name), ":", text);
    if (!items) continue;
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) parts.push(",");
      parts.push(items[at] ?? "");
    }
    parts.push("]");
  }
  return parts.length === 0 ? "{}" : parts.concat("}").join("");
}

/** The texts of a list whose items are kept. */
function itemTexts(name: string, { messages, tools }: Partial<MessageCreateParamsStreaming>) {
  if (name === "messages") return (messages ?? []).map(messageText);
  return name === "tools" ? tools?.map(itemText) : undefined;
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
