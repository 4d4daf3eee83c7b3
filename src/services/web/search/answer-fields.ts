import { isJsonObject } from "../../../contracts/message.ts";
import type { WebResult, WebSearchQuery } from "../../../contracts/web.ts";

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

export function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The results of a list; undefined if it is no list. */
export function resultsOf(list: unknown, read: (item: unknown) => WebResult): readonly WebResult[] | undefined {
  return Array.isArray(list) ? list.map(read) : undefined;
}

/** The results of a list whose titles and excerpts are HTML. @param fields The names of the fields of an item. */
export function htmlResults(list: unknown, fields: { readonly age: readonly string[]; readonly snippet: string }) {
  return resultsOf(list, (item) =>
    resultOf({
      title: plainText(fieldOf(item, "title")),
      url: fieldOf(item, "url"),
      age: fields.age.map((name) => fieldOf(item, name)).find((age) => age !== undefined && age !== null),
      snippet: plainText(fieldOf(item, fields.snippet)),
    }),
  );
}

/** A result without the fields that are empty. */
export function resultOf(found: { title: unknown; url: unknown; age?: unknown; snippet?: unknown }): WebResult {
  const [age, snippet] = [textOf(found.age), textOf(found.snippet)];
  return {
    title: textOf(found.title),
    url: textOf(found.url),
    ...(age !== "" && { age }),
    ...(snippet !== "" && { snippet }),
  };
}

/** Text of a page from a piece of HTML, such as `a &amp; <b>b</b>`. */
function plainText(html: unknown): string {
  return textOf(html)
    .replace(/<\/?[a-z][^<>]{0,200}>/gi, "")
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (all, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    });
}

/** The query with the operators that most search engines know, for a service without fields for hosts. */
export function withOperators({ query, allowedDomains = [], blockedDomains = [] }: WebSearchQuery): string {
  const allowed = allowedDomains.map((domain) => `site:${domain}`).join(" OR ");
  const blocked = blockedDomains.map((domain) => `-site:${domain}`);
  return [query, allowedDomains.length > 1 ? `(${allowed})` : allowed, ...blocked]
    .filter((part) => part !== "")
    .join(" ");
}
