import { describe, expect, test } from "bun:test";
import type { RequestListener } from "node:http";
import type { SearchServiceName } from "../../../../src/contracts/search-services.ts";
import { SEARCH_SERVICES } from "../../../../src/contracts/search-services.ts";
import type { WebSearchQuery } from "../../../../src/contracts/web.ts";
import { askService, MAX_ANSWER_BYTES } from "../../../../src/services/web/io/ask-service.ts";
import { SERVICES } from "../../../../src/services/web/search/services.ts";
import { loopbackProxy } from "../../../support/loopback-proxy.ts";
import { webServer } from "../../../support/web-server.ts";

const KEY = "service-key-0123456789";

/** One answer of each service, as its documentation shows it. */
const ANSWERS: Readonly<Record<SearchServiceName, unknown>> = {
  brave: {
    type: "search",
    query: { original: "bun" },
    web: {
      type: "search",
      results: [
        {
          title: "Bun &amp; friends",
          url: "https://bun.sh/",
          description: "A <strong>fast</strong> runtime &#x27;all in one&#39;",
          age: "2 days ago",
          page_age: "2026-11-27T10:00:00",
        },
      ],
    },
  },
  tavily: {
    query: "bun",
    answer: null,
    results: [
      {
        title: "Bun & friends",
        url: "https://bun.sh/",
        content: "A fast runtime 'all in one'",
        score: 0.9,
        published_date: "2 days ago",
      },
    ],
    response_time: 1.2,
  },
  exa: {
    requestId: "r",
    results: [
      {
        id: "https://bun.sh/",
        title: "Bun & friends",
        url: "https://bun.sh/",
        publishedDate: "2 days ago",
        highlights: ["A fast runtime 'all in one'"],
      },
    ],
    costDollars: { total: 0.007 },
  },
  kagi: {
    meta: { trace: "t", ms: 12 },
    data: {
      search: [
        {
          url: "https://bun.sh/",
          title: "Bun &amp; friends",
          snippet: "A fast runtime &#39;all in one&#39;",
          time: "2 days ago",
        },
      ],
    },
  },
  searxng: {
    query: "bun",
    number_of_results: 0,
    results: [
      {
        url: "https://bun.sh/",
        title: "Bun & friends",
        content: "A fast runtime 'all in one'",
        publishedDate: "2 days ago",
        engine: "duckduckgo",
      },
    ],
    answers: [],
    suggestions: [],
  },
};

const FOUND = [
  { title: "Bun & friends", url: "https://bun.sh/", age: "2 days ago", snippet: "A fast runtime 'all in one'" },
];

type Asked = {
  readonly query?: Partial<WebSearchQuery>;
  readonly timeoutMs?: number;
  readonly env?: Record<string, string>;
};

async function asking(name: SearchServiceName, answer: RequestListener, { query, timeoutMs, env = {} }: Asked = {}) {
  const bodies: string[] = [];
  await using server = await webServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      answer(request, response);
    });
  });
  const access = {
    service: SERVICES[name],
    baseUrl: `http://127.0.0.1:${server.port}`,
    key: SERVICES[name].needsKey ? KEY : "",
    remedy: "set THE_KEY",
    environment: env,
    userAgent: "Quoll/test",
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const signal = new AbortController().signal;
  const got = await askService({ query: "bun", ...query }, access, signal).catch((error: unknown) => error as Error);
  const [request] = server.requests;
  return { got, request, body: bodies[0] ?? "", fault: got instanceof Error ? got.message : "" };
}

const json =
  (body: unknown, status = 200, headers = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

describe.each(SEARCH_SERVICES)("%s", (name) => {
  test("gives title, address, age and excerpt of each result", async () => {
    const { got } = await asking(name, json(ANSWERS[name]));
    expect(got).toEqual({ results: FOUND, ...(name === "exa" && { costUsd: 0.007 }) });
  });

  test("gives no results as an empty list", async () => {
    const none: Readonly<Record<SearchServiceName, unknown>> = {
      ...{ brave: { type: "search", query: {} }, kagi: { meta: {}, data: {} } },
      ...{ tavily: { results: [] }, exa: { results: [] }, searxng: { results: [] } },
    };
    expect((await asking(name, json(none[name]))).got).toEqual({ results: [] });
  });

  test.each([
    [401, /401/],
    [429, /429.*in 7 s/],
    [500, /500.*later/],
    [503, /503.*later/],
    [418, /418/],
    [302, /302/],
  ])("tells in one line what status %i means, without the key", async (status, words) => {
    const { got, fault, request } = await asking(
      name,
      json({ detail: KEY }, status, { "retry-after": "7", location: "https://elsewhere.example/" }),
    );
    expect(got).toBeInstanceOf(Error);
    expect(fault).toMatch(words);
    expect(fault).not.toContain("\n");
    expect(fault).not.toContain(KEY);
    expect(request).toBeDefined();
  });

  test.each([
    ["not JSON", "<html>Sorry</html>"],
    ["cut JSON", '{"results": [{"title": "x"'],
    ["JSON of another form", '{"items": []}'],
    ["a list", "[]"],
    ["nothing", ""],
  ])("refuses an answer that is %s", async (_, text) => {
    const { fault } = await asking(name, (_request, response) => void response.end(text));
    expect(fault).toContain("form that Quoll does not know");
  });

  test("survives results of wrong types", async () => {
    const odd = [null, 7, "x", { title: 7, url: {}, description: [], content: null, highlights: "x", snippet: 1 }];
    const body = { type: "search", web: { results: odd }, results: odd, data: { search: odd } };
    const { got } = await asking(name, json(body));
    expect(got).toEqual({ results: odd.map(() => ({ title: "", url: "" })) });
  });
});

test("a key goes into the header of its service alone, and never into the address", async () => {
  const headers = { brave: "x-subscription-token", tavily: "authorization", exa: "x-api-key", kagi: "authorization" };
  for (const [name, header] of Object.entries(headers)) {
    const { request, body } = await asking(name as SearchServiceName, json(ANSWERS[name as SearchServiceName]));
    expect([name, request?.headers[header]]).toEqual([name, header === "authorization" ? `Bearer ${KEY}` : KEY]);
    expect(`${request?.url}${body}`).not.toContain(KEY);
    expect(request?.headers["cookie"]).toBeUndefined();
  }
  const { request } = await asking("searxng", json(ANSWERS.searxng));
  expect(request?.headers["authorization"]).toBeUndefined();
});

test("domains go into the fields of a service, or into operators of its query", async () => {
  const two = { allowedDomains: ["bun.sh", "nodejs.org"] };
  const one = { blockedDomains: ["reddit.com"] };
  const sent = async (name: SearchServiceName, query: Partial<WebSearchQuery>) => {
    const { request, body } = await asking(name, json(ANSWERS[name]), { query });
    return body === "" ? new URL(request?.url ?? "", "http://x").searchParams.get("q") : JSON.parse(body);
  };
  expect(await sent("brave", two)).toBe("bun (site:bun.sh OR site:nodejs.org)");
  expect(await sent("brave", one)).toBe("bun -site:reddit.com");
  expect(await sent("searxng", { allowedDomains: ["bun.sh"] })).toBe("bun site:bun.sh");
  expect(await sent("kagi", one)).toMatchObject({ query: "bun -site:reddit.com" });
  expect(await sent("tavily", two)).toMatchObject({ query: "bun", include_domains: two.allowedDomains });
  expect(await sent("tavily", one)).toMatchObject({ exclude_domains: one.blockedDomains });
  expect(await sent("exa", two)).toMatchObject({ includeDomains: two.allowedDomains });
  expect(await sent("exa", one)).toMatchObject({ excludeDomains: one.blockedDomains });
});

test("a service that does not answer in time is given up, before and in the middle of its answer", async () => {
  for (const begin of [false, true]) {
    const { fault } = await asking(
      "tavily",
      (_, response) => {
        if (begin) response.writeHead(200, { "content-type": "application/json" }).write('{"results": [');
      },
      { timeoutMs: 150 },
    );
    expect(fault).toContain("did not answer within 0.15 s");
  }
});

test("a body that never ends is refused at the limit", async () => {
  const piece = Buffer.alloc(512 * 1024, 32);
  const { fault } = await asking("brave", (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  });
  expect(fault).toContain(`${MAX_ANSWER_BYTES / 1024 / 1024} MB`);
  expect(fault).toStartWith("The answer of Brave Search ");
});

test("an abort ends the request with its own reason", async () => {
  const stop = new AbortController();
  await using server = await webServer(() => stop.abort(new Error("the person stopped it")));
  const access = {
    service: SERVICES.tavily,
    ...{ baseUrl: `http://127.0.0.1:${server.port}`, key: KEY, remedy: "", environment: {}, userAgent: "Quoll/test" },
  };
  await expect(askService({ query: "bun" }, access, stop.signal)).rejects.toThrow("the person stopped it");
});

test("statuses that mean something else at a service say what", async () => {
  const told = async (name: SearchServiceName, status: number) => (await asking(name, json({}, status))).fault;
  expect(await told("tavily", 432)).toContain("plan");
  expect(await told("searxng", 403)).toContain("search.formats");
  expect(await told("kagi", 402)).toContain("credit");
  expect(await told("brave", 401)).toContain("set THE_KEY");
});

test("a service that is not there is named with the reason", async () => {
  const access = {
    service: SERVICES.searxng,
    ...{ baseUrl: "http://127.0.0.1:1", key: "", remedy: "", environment: {}, userAgent: "Quoll/test" },
  };
  const fault = await askService({ query: "bun" }, access, new AbortController().signal).catch(String);
  expect(fault).toContain("SearXNG can't be reached");
});

test("a search goes through the proxy of the environment", async () => {
  await using proxy = await loopbackProxy();
  const { got } = await asking("tavily", json(ANSWERS.tavily), {
    env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
  });
  expect(got).toEqual({ results: FOUND });
  expect(proxy.seen).toEqual([expect.stringContaining("POST http://127.0.0.1:")]);
});
