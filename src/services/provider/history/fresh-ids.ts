import { type Message, toolUses } from "../../../contracts/message.ts";

/** The ids of a conversation as far as it was looked through; those of answers that were dropped since do no harm. */
type Known = { readonly ids: Set<string>; last: Message; count: number };

/** Of each conversation, by its first message. */
const conversations = new WeakMap<Message, Known>();

/**
 * Some servers count the calls of each answer anew: an id that the conversation holds already gets a number behind it.
 * @returns a function that takes the id as it came and gives one that is new.
 */
export function freshIds(messages: readonly Message[]): (given: string) => string {
  // Looked up at the first call of the answer: an answer without calls, and the request itself, need none.
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

/** A conversation that goes on is looked through from where it stood. */
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
