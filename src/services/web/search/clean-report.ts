import { oneLine } from "@quoll/terminal-text/one-line";
import type { WebResult, WebSearchAnswer, WebSearchQuery, WebSearchReport } from "../../../contracts/web.ts";
import { GOOGLE_REDIRECTS } from "../io/resolve-redirects.ts";
import { visible } from "../visible-text.ts";

/** The most results in one answer. */
export const MAX_RESULTS = 20;
const MAX_TITLE_CHARS = 200;
const MAX_AGE_CHARS = 40;
const MAX_URL_CHARS = 2_000;
/** The longest excerpt of one result. */
export const MAX_SNIPPET_CHARS = 600;
/** The longest text of the model that searched. */
export const MAX_TEXT_CHARS = 12_000;

export type CleanReport = Omit<WebSearchAnswer, "by" | "model">;

/** A report without escape sequences, without addresses that are no web pages, and with only the hosts that were asked for. */
export function cleanReport(report: WebSearchReport, query: WebSearchQuery): CleanReport {
  const clean = report.results.flatMap((result, index) => {
    const cleaned = cleanResult(result);
    return cleaned ? [{ ...cleaned, number: index + 1 }] : [];
  });
  const fitting = clean.filter(({ url, title }) => isWanted(url, title, query));
  const leftOut = clean.length - fitting.length;
  return {
    ...report,
    results: fitting.slice(0, MAX_RESULTS),
    // Its words may come from a host that was not wanted.
    text: leftOut > 0 ? "" : shortened(visible(report.text), MAX_TEXT_CHARS),
    ...(report.fault !== undefined && { fault: oneLine(visible(report.fault), 300) }),
    leftOut,
  };
}

function cleanResult({ title, url, age, snippet }: WebResult): WebResult | undefined {
  const href = URL.canParse(url) ? new URL(url).href : "";
  if (!/^https?:/.test(href) || href.length > MAX_URL_CHARS) return undefined;
  const told = (text: string, max: number) => shortened(visible(text).replace(/\s+/g, " ").trim(), max);
  const [words, when] = [told(snippet ?? "", MAX_SNIPPET_CHARS), told(day(age ?? ""), MAX_AGE_CHARS)];
  return {
    title: told(title, MAX_TITLE_CHARS),
    url: href,
    ...(when !== "" && { age: when }),
    ...(words !== "" && { snippet: words }),
  };
}

/** The day of a point in time: `2026-11-02T09:00:00Z` → `2026-11-02`. */
function day(age: string): string {
  return /^\d{4}-\d\d-\d\d(?=T)/.exec(age)?.[0] ?? age;
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

function isWanted(url: string, title: string, { allowedDomains, blockedDomains }: WebSearchQuery): boolean {
  // Google's own address, which could not be resolved: the title is the host of the page.
  const host = url.startsWith(GOOGLE_REDIRECTS) ? title.toLowerCase() : new URL(url).hostname;
  const isIn = (domains: readonly string[]) => domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  if (allowedDomains) return isIn(allowedDomains);
  return blockedDomains ? !isIn(blockedDomains) : true;
}
