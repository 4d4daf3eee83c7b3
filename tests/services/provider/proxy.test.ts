import { describe, expect, test } from "bun:test";
import { fault, reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { nodeProxiedFetch } from "../../../src/platform/node-proxied-fetch.ts";
import { proxyFor } from "../../../src/platform/proxy-route.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { fetchThrough, proxySecrets } from "../../../src/services/provider/proxy.ts";
import { loopbackProxy } from "../../support/loopback-proxy.ts";

const HTTPS = "https://api.example.com";

describe("the proxy on the way", () => {
  test.each([
    [
      "the variable of the protocol",
      { HTTPS_PROXY: "http://a:1", ALL_PROXY: "http://b:1" },
      "HTTPS_PROXY",
      "http://a:1",
    ],
    ["its small spelling", { https_proxy: "http://a:1", HTTP_PROXY: "http://b:1" }, "https_proxy", "http://a:1"],
    ["the one for all", { HTTP_PROXY: "http://a:1", ALL_PROXY: "http://b:1" }, "ALL_PROXY", "http://b:1"],
    ["one without a protocol", { HTTPS_PROXY: " a:3128 " }, "HTTPS_PROXY", "http://a:3128"],
  ])("is named by %s", (_name, environment, variable, url) => {
    expect(proxyFor(HTTPS, environment)).toEqual({ host: new URL(url).host, variable, url });
  });

  test.each([
    ["*", true],
    ["example.com", true],
    [".example.com", true],
    ["*.example.com", true],
    ["other.com, API.example.com", true],
    ["api.example.com:443", true],
    ["api.example.com:8443", false],
    ["ample.com", false],
    ["", false],
    [",", false],
  ])("is left out where NO_PROXY is %p: %p", (NO_PROXY, isLeftOut) => {
    expect(proxyFor(HTTPS, { HTTPS_PROXY: "http://a:1", NO_PROXY }) === undefined).toBe(isLeftOut);
    expect(proxyFor(HTTPS, { HTTPS_PROXY: "http://a:1", no_proxy: NO_PROXY }) === undefined).toBe(isLeftOut);
  });

  test("of a cloud without an address of one's own is found by the cloud's host", async () => {
    const environment = { AWS_REGION: "eu-west-1", ALL_PROXY: "http://a:1" };
    const choice = (NO_PROXY: string) =>
      chooseProvider({ flag: "bedrock/x", setting: undefined }, { environment: { ...environment, NO_PROXY } });
    expect(await choice("")).toMatchObject({ endpoint: { proxy: { variable: "ALL_PROXY" } } });
    const direct = await choice("eu-west-1.amazonaws.com");
    expect("endpoint" in direct && direct.endpoint.proxy).toBeUndefined();
  });

  test.each([
    [
      "socks5://me:secret@a:1080",
      /^ALL_PROXY names a socks5 proxy \(a:1080\), but Quoll supports only http and https proxies/,
    ],
    ["http://", /^ALL_PROXY is not the address of a proxy/],
    ["http://a b", /^ALL_PROXY is not the address of a proxy/],
    ["http://me:secret%@a:1", /^ALL_PROXY: write a % in the user name or password as %25/],
  ])("%s is refused in one line", (ALL_PROXY, words) => {
    expect(() => fetchThrough(proxyFor(HTTPS, { ALL_PROXY }), undefined)).toThrow(words);
    expect(() => fetchThrough(proxyFor(HTTPS, { ALL_PROXY }), undefined)).not.toThrow(/secret/);
  });

  test("has a password that is not shown, in both its spellings", () => {
    expect(proxySecrets(proxyFor(HTTPS, { HTTPS_PROXY: "http://me:p%40ss@a:1" }))).toEqual(["p%40ss", "p@ss"]);
    expect(proxySecrets(proxyFor(HTTPS, { HTTPS_PROXY: "http://me:100%@a:1" }))).toEqual(["100%", "100%"]);
    expect(proxySecrets(proxyFor(HTTPS, { HTTPS_PROXY: "http://a:1" }))).toEqual([]);
  });
});

describe("Node's way through a proxy", () => {
  const through = (host: string, keys = "") => nodeProxiedFetch(fetch, `http://${keys}${host}`);
  const SENT = { method: "POST", headers: { "x-api-key": "k", "content-type": "application/json" }, body: "{}" };

  test("hands on the request and the answer, with name and password for the proxy alone", async () => {
    await using proxy = await loopbackProxy({ credentials: "me:p@ss" });
    await using twin = await startTwin({ scenario: [reply("Hi.")] });
    const answer = await through(proxy.host, "me:p%40ss@")(`${twin.url}/v1/messages`, SENT);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/json"]);
    expect(await answer.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(proxy.seen).toEqual([`POST ${twin.url}/v1/messages`]);
    expect(twin.requests[0]?.headers).toMatchObject({ "x-api-key": "k", host: new URL(twin.url).host });
    expect(twin.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  test("an aborted request ends with the reason of the abort", async () => {
    await using proxy = await loopbackProxy();
    await using twin = await startTwin({ scenario: [] });
    const reason = new Error("enough");
    const sent = through(proxy.host)(twin.url, { signal: AbortSignal.abort(reason) });
    expect(await sent.catch((error: unknown) => error)).toBe(reason);
  });

  test("an abort in the middle of an answer ends its reading and the connection", async () => {
    await using proxy = await loopbackProxy();
    await using twin = await startTwin({ scenario: [reply("Half an answer.", { fault: fault.stall(1) })] });
    const abort = new AbortController();
    const body = JSON.stringify({
      model: "claude-test",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "Hello." }],
    });
    const headers = { ...SENT.headers, "anthropic-version": "2023-06-01" };
    const sent = { method: "POST", headers, body, signal: abort.signal };
    const answer = await through(proxy.host)(`${twin.url}/v1/messages`, sent);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toStartWith("event: message_start");
    abort.abort();
    const ended = async () => {
      for (;;) if ((await reader?.read())?.done) return "done";
    };
    expect(await ended().catch(() => "broken")).toBe("broken");
    expect((await twin.answered(0)).endedAtMs).toBeNumber();
  });

  test("reports a proxy that requires credentials, and a missing proxy", async () => {
    await using proxy = await loopbackProxy({ credentials: "me:p@ss" });
    const refused = await through(proxy.host)(`${HTTPS}/v1/messages`, SENT).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "ERR_PROXY_TUNNEL", message: expect.stringMatching(/tunnel: 407/) });
    const gone = await through("127.0.0.1:9")(`${HTTPS}/v1/messages`, SENT).catch((error: unknown) => error);
    expect(gone).toMatchObject({ code: "ECONNREFUSED" });
  });
});
