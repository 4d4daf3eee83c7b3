import type { KeyEvent } from "../input/decode-keys.ts";

/**
 * Joins the keys of a paste: an Enter with text after it in one piece of input was pasted, because nobody types so fast.
 * The lines of a paste become one text, which the person can send.
 */
export function pastedKeys(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const isEnter = (event: KeyEvent | undefined) => event?.type === "key" && event.name === "enter";
  const first = events.findIndex((event) => isEnter(event));
  const isPaste = first >= 0 && events.slice(first).some((event) => event.type === "text");
  if (!isPaste) return events;
  const text = events.map((event) => (event.type === "key" ? (isEnter(event) ? "\n" : "") : event.text)).join("");
  return [{ type: "text", text: text.replace(/\n$/, "") }];
}
