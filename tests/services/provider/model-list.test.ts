// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of the settings, not of this program.
import { expect, test } from "bun:test";
import type { ProviderSettings } from "../../../src/contracts/provider-settings.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../src/services/provider/create-provider.ts";
import { type Endpoint, readEndpoint } from "../../../src/services/provider/endpoint.ts";
import { reason } from "../../../src/services/provider/first-with-access.ts";
import { askModels } from "../../../src/services/provider/model-list.ts";
import { answeringServer } from "../../support/answering-server.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { asked, eventsOf, never } from "./anthropic/support.ts";

const KEY = "test-key-1";
const ENVIRONMENT = { OWN_KEY: KEY, OWN_TOKEN: "test-token-1" };

const ask = (endpoint: Endpoint) => askModels(endpoint, AbortSignal.timeout(25_000));
const endpointOf = (entry: ProviderSettings, environment: Record<string, string> = ENVIRONMENT) =>
  readEndpoint({ name: "own", entry, environment, credentials: undefined });
const typed = (type: Endpoint["type"], url: string) => endpointOf({ type, baseUrl: url, apiKeyEnv: "OWN_KEY" });

test.each<[type: Endpoint["type"], path: string]>([
  ["anthropic", "/v1/models?limit=1000"],
  ["openai", "/models"],
  ["openai-compatible", "/models"],
  ["google", "/models?pageSize=1000"],
])("an endpoint of type %s is asked at the address of its API's list", async (type, path) => {
  await using there = answeringServer(() => Response.json({ data: [{ id: "m" }, { id: 7 }] }));
  expect(await ask(await typed(type, there.url))).toMatchObject({ kind: "answered", status: 200 });
  expect(there.seen.map((request) => request.path)).toEqual([path]);
});

test("models of chat are listed with the limits that the server gives, and no others", async () => {
  const data = [
    { id: "qwen3:8b", max_model_len: 65_536 },
    { id: "nomic-embed-text" },
    { id: "whisper-1" },
    { id: "x", type: "embeddings" },
  ];
  await using there = answeringServer(() => Response.json({ object: "list", data }));
  expect(await ask(await typed("openai-compatible", there.url))).toEqual({
    kind: "answered",
    status: 200,
    models: [{ id: "qwen3:8b", limits: { contextWindow: 65_536 }, owner: undefined }],
  });
});

test("the models of a Gemini API are those that answer prompts", async () => {
  const models = [
    {
      name: "models/gemini-3.8-flash",
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    },
    { name: "models/aqa", supportedGenerationMethods: ["generateAnswer"] },
  ];
  await using there = answeringServer(() => Response.json({ models }));
  const limits = { contextWindow: 1_048_576, maxOutputTokens: 65_536 };
  expect(await ask(await typed("google", there.url))).toMatchObject({ models: [{ id: "gemini-3.8-flash", limits }] });
});

/** The headers by which a gateway knows a person. */
const ACCESS = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "x-gateway-key", "x-team"];
const accessIn = (headers: Headers) =>
  Object.fromEntries(ACCESS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));

const OWN_HEADERS: readonly (readonly [case_: string, entry: ProviderSettings])[] = [
  ["a key", { apiKeyEnv: "OWN_KEY" }],
  ["a key and a header", { apiKeyEnv: "OWN_KEY", headers: { "X-Team": "blue" } }],
  ["a key and another Authorization", { apiKeyEnv: "OWN_KEY", headers: { Authorization: "Bearer other" } }],
  ["a key and another authorization", { apiKeyEnv: "OWN_KEY", headers: { authorization: "Bearer other" } }],
  ["a key in a variable of a header", { apiKeyEnv: "OWN_KEY", headers: { "x-gateway-key": "Bearer ${OWN_TOKEN}" } }],
];
const TYPES = ["anthropic", "openai", "openai-compatible", "google"] as const;

test.each(TYPES.flatMap((type) => OWN_HEADERS.map(([name, entry]) => [type, name, entry] as const)))(
  "an endpoint of type %s with %s gets the same headers for its list as for an answer",
  async (type, _name, entry) => {
    await using there = answeringServer(() => Response.json({ data: [] }));
    const whole = { ...entry, type, baseUrl: there.url };
    await ask(await endpointOf(whole));
    const providers = { own: whole };
    const choice = await chooseProvider({ flag: "own/m", setting: undefined }, { environment: ENVIRONMENT, providers });
    const provider = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
    await eventsOf(provider.stream(asked(undefined, { model: choice.model }), never())).catch(() => undefined);
    const [list, answer] = there.seen;
    expect(accessIn(list!.headers)).toEqual(accessIn(answer!.headers));
    expect(Object.keys(accessIn(list!.headers)).length).toBeGreaterThan(0);
  },
);

test("a gateway that gets its key in a header gets no Authorization", async () => {
  await using there = answeringServer(() => Response.json({ data: [] }));
  const own = { type: "anthropic" as const, baseUrl: there.url, headers: { "x-api-key": "${OWN_KEY}" } };
  await ask(await endpointOf(own));
  const choice = await chooseProvider(
    { flag: "own/m", setting: undefined },
    { environment: ENVIRONMENT, providers: { own } },
  );
  const provider = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
  await eventsOf(provider.stream(asked(undefined, { model: choice.model }), never())).catch(() => undefined);
  expect(there.seen.map(({ headers }) => accessIn(headers))).toEqual([{ "x-api-key": KEY }, { "x-api-key": KEY }]);
});

test("a variable of a header that is not set is named, and its default is used where there is one", async () => {
  const headers = { "x-team": "${TEAM:-blue}", "x-gateway-key": "${GATEWAY_KEY}" };
  const entry = { baseUrl: "https://llm.example.com/v1", headers };
  const without = await endpointOf(entry, {});
  expect([without.isOpen, without.keyFrom]).toEqual([false, "GATEWAY_KEY"]);
  const with_ = await endpointOf(entry, { GATEWAY_KEY: "gk" });
  expect([with_.isOpen, with_.headers]).toEqual([true, { "x-team": "blue", "x-gateway-key": "gk" }]);
});

test("a redirect is not followed, so that another host never sees the key", async () => {
  await using elsewhere = answeringServer(() => Response.json({}));
  await using there = answeringServer(() => new Response(null, { status: 302, headers: { location: elsewhere.url } }));
  expect((await ask(await typed("openai", there.url))).kind).toBe("redirected");
  expect(elsewhere.seen).toEqual([]);
});

test("a refused key, a page and a missing server are told apart", async () => {
  await using refusing = answeringServer(() => new Response("no", { status: 401 }));
  expect(await ask(await typed("anthropic", refusing.url))).toEqual({
    kind: "answered",
    status: 401,
    models: undefined,
  });
  await using page = answeringServer(() => new Response("<h1>Hello</h1>"));
  expect(await ask(await typed("openai", page.url))).toEqual({ kind: "answered", status: 200, models: undefined });
  const gone = answeringServer(() => new Response());
  await gone[Symbol.asyncDispose]();
  const closed = await ask(await typed("openai", gone.url));
  expect(closed).toMatchObject({ kind: "unreachable", message: expect.not.stringContaining("computer") });
});

test("a list that never ends is left at a limit, and the connection is closed", async () => {
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(piece), cancel: () => close() });
  await using there = answeringServer(() => new Response(endless()));
  expect(await ask(await typed("openai", there.url))).toEqual({ kind: "answered", status: 200, models: undefined });
  await closed;
});

test("a provider without a free request is not asked", async () => {
  const name = "bedrock";
  const environment = { AWS_REGION: "eu-west-1" };
  const endpoint = await readEndpoint({ name, entry: undefined, environment, credentials: undefined });
  expect(await ask(endpoint)).toEqual({ kind: "unasked" });
});

test("the reason for a missing list says whether the key is wrong or not set", async () => {
  const list = { kind: "answered", status: 401, models: undefined } as const;
  const entry = { baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: "OWN_KEY" };
  expect([reason(await endpointOf(entry), list), reason(await endpointOf(entry, {}), list)]).toEqual([
    "127.0.0.1:1 refuses the key (401, OWN_KEY)",
    "127.0.0.1:1 wants a key (401): set OWN_KEY",
  ]);
});
