import type { WebResult, WebSearchReport } from "../../../contracts/web.ts";

/** Collects what a provider's own search found, from the events of an answer as the server sent them. */
export interface SearchReader {
  read(event: unknown): void;
  /** What was found, after the last event. */
  report(): WebSearchReport;
}

/** A place in a text that a source supports, with offsets in UTF-16 code units. */
export type Citation = { readonly start: number; readonly end: number; readonly url: string };

/** The found pages in the order in which they were first named, each once. Their numbers begin at 1. */
export class SourceList {
  readonly #byUrl = new Map<string, WebResult>();

  add({ url, ...told }: WebResult): void {
    const key = plainUrl(url);
    if (key === "") return;
    const known = this.#byUrl.get(key);
    const snippet = [known?.snippet, told.snippet].filter((text, at, all) => text && all.indexOf(text) === at);
    this.#byUrl.set(key, {
      url: key,
      title: known?.title || told.title,
      ...((known?.age ?? told.age) && { age: known?.age ?? told.age }),
      ...(snippet.length > 0 && { snippet: snippet.join(" … ") }),
    });
  }

  /** The number of a page; 0 if it is not in the list. */
  numberOf(url: string): number {
    return [...this.#byUrl.keys()].indexOf(plainUrl(url)) + 1;
  }

  get results(): readonly WebResult[] {
    return [...this.#byUrl.values()];
  }
}

/** OpenAI marks the addresses that it cites. */
function plainUrl(url: string): string {
  return url.replace(/([?&])utm_source=openai(?=&|$)&?/, "$1").replace(/[?&]$/, "");
}

/** A text with the numbers of its sources, such as `[2]`; a place that is a link already stays as it is. */
export function cited(text: string, citations: readonly Citation[], sources: SourceList): string {
  const marks = new Map<number, Set<number>>();
  for (const { start, end, url } of citations) {
    const isPlace = start >= 0 && end > start && end <= text.length;
    const number = sources.numberOf(url);
    if (!isPlace || number === 0 || text.slice(start, end).includes("](")) continue;
    marks.set(end, (marks.get(end) ?? new Set()).add(number));
  }
  let marked = text;
  for (const [end, numbers] of [...marks].sort(([a], [b]) => b - a)) {
    const words = [...numbers].map((number) => `[${number}]`).join("");
    marked = `${marked.slice(0, end)} ${words}${marked.slice(end)}`;
  }
  return marked;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : -1;
}
