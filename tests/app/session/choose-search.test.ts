import { describe, expect, test } from "bun:test";
import { chooseSearch } from "../../../src/app/session/choose-search.ts";
import { serviceAccess } from "../../../src/app/session/search-access.ts";
import type { Settings } from "../../../src/contracts/settings.ts";

type WebSearch = NonNullable<Settings["webSearch"]>;
type Given = {
  readonly webSearch?: WebSearch;
  readonly searchesWeb?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly saved?: readonly string[];
};

const chosen = ({ webSearch, searchesWeb = false, env = {}, saved = [] }: Given) =>
  chooseSearch({
    settings: webSearch ? { webSearch } : {},
    provider: { searchesWeb },
    env,
    credentials: { list: async () => saved },
  });

describe("who answers WebSearch", () => {
  test("is whom the setting names, also where the provider could", async () => {
    expect(await chosen({ webSearch: { service: "kagi" }, searchesWeb: true })).toBe("kagi");
    expect(await chosen({ webSearch: { service: "provider" }, searchesWeb: true, env: { TAVILY_API_KEY: "k" } })).toBe(
      "provider",
    );
    expect(await chosen({ webSearch: { service: "provider" }, env: { TAVILY_API_KEY: "k" } })).toBeUndefined();
  });

  test("is the provider before any key of a service", async () => {
    expect(await chosen({ searchesWeb: true, env: { BRAVE_API_KEY: "k" }, saved: ["exa"] })).toBe("provider");
  });

  test("is a SearXNG of the person's own, then a service with a variable, then one with a saved key", async () => {
    const env = { EXA_API_KEY: "k", TAVILY_API_KEY: " " };
    expect(await chosen({ webSearch: { baseUrl: "https://s.example" }, env })).toBe("searxng");
    expect(await chosen({ env, saved: ["brave"] })).toBe("exa");
    expect(await chosen({ saved: ["anthropic", "kagi"] })).toBe("kagi");
    expect(await chosen({ env: { BRAVE_SEARCH_API_KEY: "k" } })).toBe("brave");
  });

  test("is nobody without any of them, and with an unreadable file of keys", async () => {
    expect(await chosen({})).toBeUndefined();
    const credentials = { list: () => Promise.reject(new Error("damaged")) };
    expect(await chooseSearch({ settings: {}, provider: {}, env: {}, credentials })).toBeUndefined();
  });
});

describe("the access to a service", () => {
  type Found = { readonly key?: string; readonly endpoint?: string };
  const opened = (name: Parameters<typeof serviceAccess>[0], webSearch?: WebSearch, found?: Found) =>
    serviceAccess(name, {
      environment: { env: {}, settings: webSearch ? { webSearch } : {} } as never,
      credentials: { lookup: async () => found },
      version: "1",
    });

  test("has the service's own address, a saved one, or that of the settings", async () => {
    const url = async (...given: Parameters<typeof opened>) => (await opened(...given)).baseUrl;
    expect(await url("brave", undefined, { key: "k" })).toBe("https://api.search.brave.com");
    expect(await url("brave", undefined, { key: "k", endpoint: "https://b.example/" })).toBe("https://b.example");
    expect(await url("brave", { service: "brave", baseUrl: "https://c.example" }, { key: "k" })).toBe(
      "https://c.example",
    );
    expect(await url("searxng", { baseUrl: "https://s.example/" })).toBe("https://s.example");
  });

  test("never sends a key of one service to the address of another", async () => {
    const access = await opened("brave", { baseUrl: "https://s.example" }, { key: "k" });
    expect(access.baseUrl).toBe("https://api.search.brave.com");
  });

  test("that lacks a key or an address says how to add it", async () => {
    await expect(opened("tavily")).rejects.toThrow(/TAVILY_API_KEY.*quoll auth login tavily/);
    await expect(opened("searxng")).rejects.toThrow("webSearch.baseUrl");
  });
});
