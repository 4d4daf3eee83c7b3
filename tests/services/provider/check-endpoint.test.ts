import { expect, test } from "bun:test";
import { checkEndpoint } from "../../../src/services/provider/check-endpoint.ts";
import { type Endpoint, readEndpoint } from "../../../src/services/provider/endpoint.ts";
import { answeringServer } from "../../support/answering-server.ts";

const KEY = "test-key-1";

const check = (endpoint: Endpoint) =>
  checkEndpoint(endpoint, { fetch: globalThis.fetch, signal: AbortSignal.timeout(5_000) });
const endpointOf = (type: Endpoint["type"], url: string) =>
  readEndpoint({
    name: `own-${type}`,
    entry: { type, baseUrl: url, apiKeyEnv: "OWN_KEY" },
    environment: { OWN_KEY: KEY },
    credentials: undefined,
  });

test.each<[type: Endpoint["type"], path: string, header: string, value: string]>([
  ["anthropic", "/v1/models?limit=1", "x-api-key", KEY],
  ["openai", "/models", "authorization", `Bearer ${KEY}`],
  ["openai-compatible", "/models", "authorization", `Bearer ${KEY}`],
  ["google", "/models?pageSize=1", "x-goog-api-key", KEY],
])("%s is asked for its models with its own header", async (type, path, header, value) => {
  await using there = answeringServer(() => Response.json({ data: [] }));
  expect(await check(await endpointOf(type, there.url))).toEqual({ kind: "answered", status: 200 });
  expect(there.seen.map((request) => [request.path, request.headers.get(header)])).toEqual([[path, value]]);
});

test("a redirect is not followed, so that another host never sees the key", async () => {
  await using elsewhere = answeringServer(() => Response.json({}));
  await using there = answeringServer(() => new Response(null, { status: 302, headers: { location: elsewhere.url } }));
  expect((await check(await endpointOf("openai", there.url))).kind).toBe("redirected");
  expect(elsewhere.seen).toEqual([]);
});

test("the check distinguishes a refused key from a missing server", async () => {
  await using there = answeringServer(() => new Response("no", { status: 401 }));
  expect(await check(await endpointOf("anthropic", there.url))).toEqual({ kind: "answered", status: 401 });
  const gone = answeringServer(() => new Response());
  await gone[Symbol.asyncDispose]();
  expect((await check(await endpointOf("openai", gone.url))).kind).toBe("unreachable");
});

test("a provider without a free request is not asked", async () => {
  const name = "bedrock";
  const endpoint = await readEndpoint({
    name,
    entry: undefined,
    environment: { AWS_REGION: "eu-west-1" },
    credentials: undefined,
  });
  expect(await check(endpoint)).toEqual({ kind: "unasked" });
});
