import { type Message, toolUses } from "../../../contracts/message.ts";

/**
 * Some servers count the calls of each answer anew: an id that the conversation holds already gets a number behind it.
 * @returns a function that takes the id as it came and gives one that is new.
 */
export function freshIds(messages: readonly Message[]): (given: string) => string {
  // Made at the first call of the answer: an answer without calls, and the request itself, need none.
  let used: Set<string> | undefined;
  return (given) => {
    used ??= idsIn(messages);
    const plain = given || "call";
    let id = plain;
    for (let count = 2; used.has(id); count += 1) id = `${plain}_${count}`;
    used.add(id);
    return id;
  };
}

function idsIn(messages: readonly Message[]): Set<string> {
  const used = new Set<string>();
  for (const message of messages)
    if (message.role === "assistant") for (const { id } of toolUses(message)) used.add(id);
  return used;
}
