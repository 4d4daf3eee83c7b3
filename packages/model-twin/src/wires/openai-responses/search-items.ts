import type { ReplySearch } from "../../scenario.ts";

export type Annotation = {
  readonly type: "url_citation";
  readonly start_index: number;
  readonly end_index: number;
  readonly url: string;
  readonly title: string;
};

/** A search that the server ran. Source: OpenAI's guide "Web search". */
export type SearchCall = {
  readonly type: "web_search_call";
  readonly id: string;
  readonly status: "completed" | "failed";
  readonly action: {
    readonly type: "search";
    readonly query: string;
    readonly queries?: readonly string[];
    readonly sources?: readonly { readonly type: "url"; readonly url: string }[];
  };
};

/** @param showsSources True if the request's `include` asks for the pages that were seen. */
export function searchCall({ query, results, error }: ReplySearch, id: string, showsSources: boolean): SearchCall {
  const sources = results.map(({ url }) => ({ type: "url" as const, url }));
  const action = { type: "search" as const, query, queries: [query], ...(showsSources && { sources }) };
  return { type: "web_search_call", id, status: error ? "failed" : "completed", action };
}

/** A text with a link behind each cited part, and the annotations of the links. xAI names the links by numbers. */
export function citedText(text: string, { results, cites = [] }: ReplySearch, form: "openai" | "xai") {
  const annotations: Annotation[] = [];
  let done = "";
  let rest = text;
  for (const { text: words, results: indexes } of cites) {
    const at = rest.indexOf(words);
    if (at < 0) continue;
    done += rest.slice(0, at + words.length);
    rest = rest.slice(at + words.length);
    for (const index of indexes) {
      const page = results[index];
      if (!page) continue;
      const number = String(index + 1);
      const url = form === "xai" ? page.url : `${page.url}?utm_source=openai`;
      const link = form === "xai" ? `[[${number}]](${url})` : ` ([${new URL(url).host}](${url}))`;
      const title = form === "xai" ? number : page.title;
      annotations.push({
        type: "url_citation",
        start_index: done.length,
        end_index: done.length + link.length,
        url,
        title,
      });
      done += link;
    }
  }
  return { text: done + rest, annotations };
}

/** Source: xAI's documentation, "Cost Tracking" and "Tools". */
export function searchUsage() {
  return {
    num_sources_used: 0,
    num_server_side_tools_used: 1,
    server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 0, code_interpreter_calls: 0 },
    cost_in_usd_ticks: 75_000_000,
  };
}
