import { type Message, toolUses } from "../../../contracts/message.ts";

/**
 * Some servers count the calls of each answer anew: an id that the conversation holds already gets a number behind it.
 * @returns a function that takes the id as it came and gives one that is new.
 */
export function freshIds(messages: readonly Message[]): (given: string) => string {
  const used = new Set(
    messages.flatMap((message) => (message.role === "assistant" ? toolUses(message) : [])).map(({ id }) => id),
  );
  return (given) => {
    const plain = given || "call";
    let id = plain;
    for (let count = 2; used.has(id); count += 1) id = `${plain}_${count}`;
    used.add(id);
    return id;
  };
}
