import { describe, expect, test } from "bun:test";
import { failing, fault, type Reply, reply } from "@quoll/model-twin/scenario";
import { startTwin, type TwinOptions } from "@quoll/model-twin/server";
import { redirectOf } from "@quoll/model-twin/wires/gemini/grounding";
import type { Message } from "../../src/contracts/message.ts";
import type { ProviderEvent, ProviderSearch } from "../../src/contracts/provider.ts";
import type { ProviderSettings } from "../../src/contracts/provider-settings.ts";
import type { WebSearchReport } from "../../src/contracts/web.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { createProvider } from "../../src/services/provider/create-provider.ts";
import { readEndpoint } from "../../src/services/provider/endpoint.ts";
import { eachOrDeep } from "../support/deep.ts";

type Wire = {
  readonly provider: string;
  readonly model: string;
  readonly path: string;
  readonly key: string;
  readonly entry?: Partial<ProviderSettings>;
  readonly twin?: Omit<TwinOptions, "scenario">;
};

const WIRES = {
  anthropic: { provider: "anthropic", model: "claude-haiku-4-5", path: "", key: "ANTHROPIC_API_KEY" },
  vertex: {
    provider: "vertex",
    model: "claude-sonnet-5-5",
    path: "/v1",
    key: "VERTEX_TOKEN",
    entry: { apiKeyEnv: "VERTEX_TOKEN" },
  },
  openai: { provider: "openai", model: "gpt-5", path: "/v1", key: "OPENAI_API_KEY" },
  "openai-chat": { provider: "openai", model: "gpt-5", path: "/v1", key: "OPENAI_API_KEY", entry: { api: "chat" } },
  google: { provider: "google", model: "gemini-3-pro-preview", path: "/v1beta", key: "GEMINI_API_KEY" },
  xai: {
    provider: "xai",
    model: "grok-4.6",
    path: "/v1",
    key: "XAI_API_KEY",
    twin: { openai: { responses: { search: "xai" } } },
  },
  openrouter: {
    provider: "openrouter",
    model: "openai/gpt-5",
    path: "/api/v1",
    key: "OPENROUTER_API_KEY",
    twin: { openai: { refuseUnknownFields: false, chat: { search: "openrouter", reasoningField: "reasoning" } } },
  },
} as const satisfies Readonly<Record<string, Wire>>;
type Name = keyof typeof WIRES;
const NAMES = Object.keys(WIRES) as readonly Name[];

const PAGES = [
  { url: "https://bun.sh/blog/bun-v1.4", title: "Bun 1.4", age: "2 weeks ago", text: "Bun 1.4 adds workers." },
  { url: "https://example.org/ü", title: "Über Bun", text: "Another excerpt." },
];
const TEXT = "Grüße: Bun 1.4 adds workers. Nothing else is known.";
const SEARCH: Reply["search"] = {
  query: "bun 1.4 release",
  results: PAGES,
  cites: [{ text: "Bun 1.4 adds workers.", results: [0] }],
};

async function searching(name: Name, replies: readonly Reply[], more: Partial<ProviderSearch> = {}) {
  const { provider, model, path, key, entry, twin: options }: Wire = WIRES[name];
  const twin = await startTwin({ scenario: replies, ...options });
  const settings = { ...entry, baseUrl: `${twin.url}${path}`, webSearch: true } as ProviderSettings;
  const endpoint = await readEndpoint({
    name: provider,
    entry: settings,
    environment: {
      ...{ [key]: "conformance-key", ANTHROPIC_VERTEX_PROJECT_ID: "project-1", CLOUD_ML_REGION: "us-east5" },
    },
    credentials: undefined,
  });
  const catalog = modelCatalog();
  await catalog.load(model, provider);
  const made = await createProvider({ endpoint, model, provider, fallback: false } as never, {
    ...{ catalog, clock: systemClock, random: () => 0 },
  });
  const reports: WebSearchReport[] = [];
  const events: ProviderEvent[] = [];
  const question: Message = { role: "user", id: "u", content: [{ type: "text", text: "The query: bun 1.4 release" }] };
  const webSearch = { query: "bun 1.4 release", found: (report: WebSearchReport) => reports.push(report), ...more };
  const request = { model, system: "Search.", messages: [question], tools: [], maxTokens: 1_000, webSearch };
  try {
    for await (const event of made.stream(request, new AbortController().signal)) events.push(event);
  } finally {
    await twin[Symbol.asyncDispose]();
  }
  const done = events.findLast((event) => event.type === "done");
  if (done?.type !== "done") throw new Error("There is no answer.");
  const { usage } = done.message;
  const bodies = twin.requests.map(({ body }) => body as Readonly<Record<string, unknown>>);
  return {
    made,
    report: reports.at(-1),
    reports,
    usage,
    bodies,
    twin,
    costUsd: usage.costUsd ?? (await catalog.cost(model, usage)),
  };
}

describe("each provider's own search", () => {
  test.each(NAMES)(
    "%s: gives pages, what was read in them with its sources, and the number of searches",
    async (name) => {
      const { report, usage, twin } = await searching(name, [reply(TEXT, { search: SEARCH })]);
      expect(twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
      expect(report?.searches).toBe(1);
      expect(usage.webSearches).toBe(1);
      const urls = PAGES.map(({ url }) => (name === "google" ? redirectOf(url) : url));
      expect(report?.results.map(({ url }) => url)).toEqual(urls);
      expect(report?.fault).toBeUndefined();
      expect(report?.text).toStartWith("Grüße: Bun 1.4 adds workers.");
      expect(report?.text).toContain("Nothing else is known.");
      const first = report?.text.slice("Grüße: Bun 1.4 adds workers.".length).split("Nothing")[0];
      const link = {
        openai: "([bun.sh](https://bun.sh/blog/bun-v1.4?utm_source=openai))",
        xai: "[[1]](https://bun.sh/blog/bun-v1.4)",
      };
      const family = name === "openai-chat" ? "openai" : name;
      expect(first?.trim()).toBe(family === "openai" || family === "xai" ? link[family] : "[1]");
    },
  );

  test("Anthropic names the age of a page and quotes it; OpenRouter gives excerpts; OpenAI only titles of cited pages", async () => {
    const found = async (name: Name) => (await searching(name, [reply(TEXT, { search: SEARCH })])).report?.results;
    expect(await found("anthropic")).toEqual([
      { url: PAGES[0]?.url ?? "", title: "Bun 1.4", age: "2 weeks ago", snippet: "Bun 1.4 adds workers." },
      { url: PAGES[1]?.url ?? "", title: "Über Bun" },
    ]);
    expect(await found("openrouter")).toEqual([
      { url: PAGES[0]?.url ?? "", title: "Bun 1.4", snippet: "Bun 1.4 adds workers." },
      { url: PAGES[1]?.url ?? "", title: "Über Bun", snippet: "Another excerpt." },
    ]);
    expect((await found("openai"))?.map(({ title }) => title)).toEqual(["Bun 1.4", ""]);
    expect((await found("google"))?.map(({ title }) => title)).toEqual(["bun.sh", "example.org"]);
  });
});

describe("a request with a search", () => {
  const allowed = { allowedDomains: ["bun.sh", "example.org"] };
  const blocked = { blockedDomains: ["reddit.com"] };
  const sent = async (name: Name, more: Partial<ProviderSearch>) =>
    (await searching(name, [reply(TEXT, { search: SEARCH })], more)).bodies[0];

  test("names its domains in the vendor's own fields", async () => {
    const tools = async (name: Name, more: Partial<ProviderSearch>) => (await sent(name, more))?.["tools"];
    const claude = { type: "web_search_20250305", name: "web_search", max_uses: 1 };
    expect(await tools("anthropic", allowed)).toEqual([{ ...claude, allowed_domains: allowed.allowedDomains }]);
    expect(await tools("anthropic", blocked)).toEqual([{ ...claude, blocked_domains: blocked.blockedDomains }]);
    expect(await tools("openai", allowed)).toEqual([
      { type: "web_search", filters: { allowed_domains: allowed.allowedDomains } },
    ]);
    expect(await tools("xai", blocked)).toEqual([
      { type: "web_search", filters: { excluded_domains: blocked.blockedDomains } },
    ]);
    expect(await tools("google", allowed)).toEqual([{ googleSearch: {} }]);
    expect(await tools("openrouter", blocked)).toMatchObject([
      { type: "openrouter:web_search", parameters: { excluded_domains: blocked.blockedDomains } },
    ]);
  });

  test("leaves out a list that is longer than xAI takes", async () => {
    const many = Array.from({ length: 6 }, (_, at) => `site${at}.example`);
    expect((await sent("xai", { allowedDomains: many }))?.["tools"]).toEqual([{ type: "web_search" }]);
  });

  test("of OpenAI and xAI goes to Responses, whatever API the conversation uses, and OpenAI's is limited to one search", async () => {
    for (const name of ["openai", "openai-chat", "xai"] as const) {
      const { twin } = await searching(name, [reply(TEXT, { search: SEARCH })]);
      expect([name, twin.requests.map(({ path }) => path)]).toEqual([name, ["/v1/responses"]]);
    }
    expect(await sent("openai", {})).toMatchObject({ max_tool_calls: 1, tool_choice: { type: "web_search" } });
    expect(await sent("xai", {})).not.toHaveProperty("include");
  });
});

test("searches are paid for beside the tokens, by the price list or by what the server says", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  const cost = async (name: Name) => (await searching(name, [reply(TEXT, { search: SEARCH, usage })])).costUsd;
  expect(await cost("anthropic")).toBeCloseTo(1.01, 3);
  expect(await cost("openai")).toBeCloseTo(1.25 + 0.01, 3);
  expect(await cost("xai")).toBeCloseTo(0.0075, 6);
  expect(await cost("openrouter")).toBeCloseTo(0.0125, 6);
});

test("a failed search of the server is told as a sentence, and an answer without a search as none", async () => {
  const failed = await searching("anthropic", [
    reply("It failed.", { search: { ...SEARCH, results: [], error: "unavailable" } } as never),
  ]);
  expect(failed.report).toMatchObject({ results: [], fault: expect.stringContaining("not available") });
  const openai = await searching("openai", [
    reply("It failed.", { search: { ...SEARCH, error: "unavailable" } } as never),
  ]);
  expect(openai.report?.fault).toContain("failed");
  for (const name of NAMES) {
    const { report, usage } = await searching(name, [reply("From memory.")]);
    expect([name, report]).toEqual([name, { results: [], text: "From memory.", searches: 0 }]);
    expect(usage.webSearches).toBeUndefined();
  }
});

eachOrDeep(
  "%s: a search is tried again after an overload, and its results are those of the last try",
  (at) => NAMES[at] === "openai",
  NAMES,
  async (name) => {
    const { reports, report } = await searching(name, [
      failing(fault.overloaded()),
      reply(TEXT, { search: SEARCH, fault: fault.cut({ deltas: 2 }), deltaChars: 4 }),
      reply(TEXT, { search: SEARCH }),
    ]);
    expect(reports).toHaveLength(1);
    expect(report?.results).toHaveLength(2);
  },
  60_000,
);

test("only the vendors' own hosts have the search, unless the setting says so", async () => {
  const has = async (name: string, entry: ProviderSettings | undefined, environment = {}) => {
    const endpoint = await readEndpoint({
      name,
      entry,
      environment: { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", XAI_API_KEY: "c", ...environment },
      credentials: undefined,
    });
    return (
      await createProvider({ endpoint } as never, { catalog: modelCatalog(), clock: systemClock, random: () => 0 })
    ).searchesWeb;
  };
  const gateway = "https://gateway.example/v1";
  expect(await has("anthropic", undefined)).toBe(true);
  expect(await has("openai", undefined)).toBe(true);
  expect(await has("xai", undefined)).toBe(true);
  expect(await has("groq", undefined)).toBe(false);
  expect(await has("anthropic", undefined, { ANTHROPIC_BASE_URL: gateway })).toBe(false);
  expect(await has("openai", { baseUrl: gateway })).toBe(false);
  expect(await has("xai", { baseUrl: "https://api.x.ai/v1" })).toBe(true);
  expect(await has("xai", { baseUrl: "http://api.x.ai/v1" })).toBe(false);
  expect(await has("openai", { baseUrl: gateway, webSearch: true })).toBe(true);
  expect(await has("anthropic", { webSearch: false })).toBe(false);
  expect(await has("house", { baseUrl: gateway, webSearch: true })).toBe(false);
  expect(await has("bedrock", { webSearch: true }, { AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: "d" })).toBe(
    false,
  );
});
