import { type Message, toolUses } from "../../../contracts/message.ts";
import { field } from "../request/error-body.ts";

type Fetch = typeof globalThis.fetch;
type Content = { readonly role?: unknown; readonly parts: readonly unknown[] };

/** True if user text follows the results of calls. The AI SDK sends these as two contents of the same role. */
export function hasWordsBehindResults(messages: readonly Message[]): boolean {
  return messages.some((message, index) => {
    const before = messages[index - 1];
    if (message.role !== "user" || !before) return false;
    const hasWords = message.content.some(({ type }) => type !== "tool_result");
    const isBehind = before.role === "user" || toolUses(before).length > 0;
    return hasWords && isBehind;
  });
}

/** A `fetch` that joins neighbouring contents of the same role. Users report that Gemini has rejected them. */
export function mergingContents(fetch: Fetch): Fetch {
  const merging = (...[input, init]: Parameters<Fetch>) => {
    const body = typeof init?.body === "string" ? merged(init.body) : init?.body;
    return fetch(input, { ...init, ...(body !== undefined && { body }) });
  };
  return Object.assign(merging, { preconnect: fetch.preconnect });
}

function merged(text: string): string {
  const body: unknown = JSON.parse(text);
  const contents = field(body, "contents");
  if (!Array.isArray(contents)) return text;
  const joined: Content[] = [];
  for (const content of contents as readonly Content[]) {
    const last = joined.at(-1);
    if (last && last.role === content.role) joined.splice(-1, 1, { ...last, parts: [...last.parts, ...content.parts] });
    else joined.push(content);
  }
  return JSON.stringify({ ...(body as object), contents: joined });
}
