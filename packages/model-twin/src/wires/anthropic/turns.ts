import { at } from "../../shape.ts";
import type { Block, Message } from "./request.ts";

/** A block and its path in the request. */
export type Placed = { readonly block: Block; readonly where: string };

/** Neighbouring messages of one role, merged as the API merges them. `where` is the first message's path. */
export type Turn = { readonly role: Message["role"]; readonly where: string; readonly blocks: readonly Placed[] };

/** A message's blocks; a string is one text block, an empty string none. */
export function blocksOf({ content }: Message, where: string): readonly Placed[] {
  const place = at(where, "content");
  if (typeof content !== "string") return content.map((block, index) => ({ block, where: at(place, index) }));
  return content === "" ? [] : [{ block: { type: "text", text: content }, where: place }];
}

export function turnsOf(messages: readonly Message[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const where = at("messages", index);
    const blocks = blocksOf(message, where);
    const last = turns.at(-1);
    if (last?.role === message.role) turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role: message.role, where, blocks });
  }
  return turns;
}

/**
 * The assistant's turns of the tool loop that is still open at the end: the turns whose results were given without a
 * new prompt in between. Empty if the last block isn't a tool result.
 */
export function openLoop(turns: readonly Turn[]): readonly Turn[] {
  const loop: Turn[] = [];
  let index = turns.at(-1)?.role === "assistant" ? turns.length - 2 : turns.length - 1;
  while (index > 0 && turns[index]?.blocks.some(({ block }) => block.type === "tool_result")) {
    const asked = turns[index - 1];
    if (asked) loop.unshift(asked);
    index -= 2;
  }
  return loop;
}
