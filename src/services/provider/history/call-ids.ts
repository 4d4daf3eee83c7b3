import { type Message, toolUses } from "../../../contracts/message.ts";

/** A vendor's rules for the ids of tool calls. */
export type CallIdRules = {
  /** Maximum length. */
  readonly maxChars: number;
  /** True if ids have exactly `maxChars` letters and digits (Mistral). */
  readonly isExact?: boolean;
};

const PLAIN = /^[a-zA-Z0-9_-]+$/;
const ALPHANUMERIC = /^[a-zA-Z0-9]+$/;

/**
 * Gives each call of a history an id that the vendor accepts and that is unique in the request. A valid id is kept. The
 * same history always gets the same ids, so that a prompt cache stays valid.
 */
export function callIds({ maxChars, isExact = false }: CallIdRules): (given: string) => string {
  const used = new Set<string>();
  let count = 0;
  const fits = (id: string) =>
    isExact ? id.length === maxChars && ALPHANUMERIC.test(id) : id.length <= maxChars && PLAIN.test(id);
  const made = (number: number) => (isExact ? `c${String(number).padStart(maxChars - 1, "0")}` : `call_${number}`);
  return (given) => {
    count += 1;
    let id = given;
    for (let number = count; !fits(id) || used.has(id); number += 1) id = made(number);
    used.add(id);
    return id;
  };
}

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
    used ??= new Set(
      messages.flatMap((message) => (message.role === "assistant" ? toolUses(message) : [])).map(({ id }) => id),
    );
    const plain = given || "call";
    let id = plain;
    for (let count = 2; used.has(id) || own.has(id); count += 1) id = `${plain}_${count}`;
    own.add(id);
    return id;
  };
}
