import { type Message, toolUses } from "../../../contracts/message.ts";

/** The known ids of a conversation; ids of answers that were dropped since do no harm. */
type Known = { readonly ids: Set<string>; last: Message; count: number };

/** The ids of each conversation. The key is the conversation's first message. */
const conversations = new WeakMap<Message, Known>();

/**
 * Needed because some servers restart the numbering of calls in each answer. An id that the conversation already
 * contains gets a number as a suffix.
 * @returns a function that maps the server's id to a new one.
 */
export function freshIds(messages: readonly Message[]): (given: string) => string {
  // Computed at the answer's first call: an answer without calls does not need the ids.
  let used: ReadonlySet<string> | undefined;
  const own = new Set<string>();
  return (given) => {
    used ??= idsIn(messages);
    const plain = given || "call";
    let id = plain;
    for (let count = 2; used.has(id) || own.has(id); count += 1) id = `${plain}_${count}`;
    own.add(id);
    return id;
  };
}

/** Continues the search of a longer conversation from the last position. */
function idsIn(messages: readonly Message[]): ReadonlySet<string> {
  const [first] = messages;
  const last = messages.at(-1);
  if (!first || !last) return new Set();
  const known = conversations.get(first) ?? { ids: new Set(), last: first, count: 0 };
  const start = messages[known.count - 1] === known.last ? known.count : 0;
  for (const message of messages.slice(start))
    if (message.role === "assistant") for (const { id } of toolUses(message)) known.ids.add(id);
  known.last = last;
  known.count = messages.length;
  conversations.set(first, known);
  return known.ids;
}
