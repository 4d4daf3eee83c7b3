import { describe, expect, test } from "bun:test";
import { failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin, type TwinOptions } from "@quoll/model-twin/server";
import type { Message } from "../../../../src/contracts/message.ts";
import { cloudProvider } from "../../../../src/services/provider/anthropic/cloud-provider.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { readEndpoint } from "../../../../src/services/provider/endpoint.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import {
  asked,
  doneOf,
  eventsOf,
  kinds,
  MODEL,
  never,
  reading,
  result,
  retries,
  throughTime,
  user,
} from "./support.ts";

const BEDROCK_MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const KEY = "cloud-test-secret";

const CLOUDS = {
  bedrock: { model: BEDROCK_MODEL, path: "", environment: { AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: KEY } },
  vertex: {
    model: MODEL,
    path: "/v1",
    environment: { ANTHROPIC_VERTEX_PROJECT_ID: "project-1", CLOUD_ML_REGION: "us-east5", VERTEX_TOKEN: KEY },
  },
} as const;
type Cloud = keyof typeof CLOUDS;

async function providerAt(
  cloud: Cloud,
  url: string,
  environment: Readonly<Record<string, string>> = CLOUDS[cloud].environment,
) {
  const entry = { baseUrl: `${url}${CLOUDS[cloud].path}`, ...(cloud === "vertex" && { apiKeyEnv: "VERTEX_TOKEN" }) };
  const endpoint = await readEndpoint({ name: cloud, entry, environment, credentials: undefined });
  const clock = fakeClock();
  return { provider: cloudProvider({ endpoint, catalog: modelCatalog(), clock, random: () => 0.5 }), clock };
}

async function played(
  cloud: Cloud,
  scenario: TwinOptions["scenario"],
  request = asked(undefined, { model: CLOUDS[cloud].model }),
  options: Partial<TwinOptions> = {},
) {
  await using twin = await startTwin({ scenario, ...options });
  const { provider, clock } = await providerAt(cloud, twin.url);
  const read = reading(provider.stream(request, never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, requests: [...twin.requests] };
}

describe.each(["bedrock", "vertex"] as const)("Claude on %s", (cloud) => {
  const { model } = CLOUDS[cloud];

  test("answers as anywhere, under the cloud's own path and key", async () => {
    const content = [thinking("Hm. ü😀"), text("Yes."), toolUse("Read", { file_path: "a" }, "t1")];
    const { events, error, requests } = await played(cloud, [reply(content, { deltaChars: 3, cutBytes: { seed: 3 } })]);
    expect([error, requests.map(({ rejected }) => rejected)]).toEqual([undefined, [[]]]);
    const { path, headers } = requests[0]!;
    expect(headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(decodeURIComponent(path)).toBe(
      cloud === "bedrock"
        ? `/model/${BEDROCK_MODEL}/invoke-with-response-stream`
        : `/v1/projects/project-1/locations/us-east5/publishers/anthropic/models/${MODEL}:streamRawPredict`,
    );
    expect(doneOf(events)).toMatchObject({
      provider: cloud,
      content: [
        { type: "thinking", thinking: "Hm. ü😀", signature: expect.any(String) as never },
        { type: "text", text: "Yes." },
        { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
      ],
      stopReason: "tool_use",
    });
  });

  test("takes back its thinking, and that of Anthropic itself", async () => {
    const scenario = [reply([thinking("Hm."), toolUse("Read", {}, "t1")]), reply("Done.")];
    await using twin = await startTwin({ scenario });
    const { provider } = await providerAt(cloud, twin.url);
    const history: Message[] = [user("Go.")];
    const message = doneOf(await eventsOf(provider.stream(asked(history, { model }), never())));
    history.push({ ...message, id: "a1", provider: "anthropic" }, user(result("t1", "A")));
    await eventsOf(provider.stream(asked(history, { model }), never()));
    expect(twin.requests.map(({ rejected, bodyText }) => [rejected, bodyText.includes('"thinking":"Hm."')])).toEqual([
      [[], false],
      [[], true],
    ]);
  });

  test.each([
    ["429", fault.rateLimited()],
    ["an overload", fault.overloaded()],
    ["500", fault.serverError()],
    ["a connection that is hung up", fault.hangUp()],
    ["an error in the stream", fault.errorEvent(1)],
    ["a cut", fault.cut({ deltas: 1 })],
    ["an end without its last event", fault.noStop(1)],
  ] as const)("is asked again after %s", async (_name, failure) => {
    const { events, error } = await played(cloud, [
      reply("Hello, world", { deltaChars: 4, fault: failure }),
      reply("Hi."),
    ]);
    expect(error).toBeUndefined();
    expect(retries(events)).toHaveLength(1);
    expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
  });

  test("refuses a key with one line that names what to set, and never the key", async () => {
    const { error, requests } = await played(cloud, [failing(fault.status(403, { message: `no ${KEY}` }))]);
    expect(requests).toHaveLength(1);
    expect(error).toMatchObject({ name: "ProviderError", status: 403 });
    expect((error as Error).message).not.toContain(KEY);
  });

  test("is aborted at any event", async () => {
    const { events: whole } = await played(cloud, [reply("Hello, world", { deltaChars: 4 })]);
    for (let index = 0; index < whole.length - 1; index += 1) {
      await using twin = await startTwin({ scenario: [reply("Hello, world", { deltaChars: 4 })] });
      const { provider } = await providerAt(cloud, twin.url);
      const controller = new AbortController();
      let count = 0;
      const thrown = await (async () => {
        for await (const _event of provider.stream(asked(undefined, { model }), controller.signal)) {
          if (count === index) controller.abort("enough");
          count += 1;
        }
      })().catch((error: unknown) => error);
      expect([count, thrown]).toEqual([index + 1, "enough"]);
      await twin.answered(0);
    }
  });
});

test("Bedrock signs with the AWS credentials of the environment where there is no key", async () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret-example" };
  const saved = { id: process.env["AWS_ACCESS_KEY_ID"], secret: process.env["AWS_SECRET_ACCESS_KEY"] };
  process.env["AWS_ACCESS_KEY_ID"] = credentials.accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = credentials.secretAccessKey;
  try {
    await using twin = await startTwin({ scenario: [reply("Hi.")], bedrock: { credentials, region: "eu-west-1" } });
    const { provider } = await providerAt("bedrock", twin.url, { AWS_REGION: "eu-west-1" });
    const events = await eventsOf(provider.stream(asked(undefined, { model: BEDROCK_MODEL }), never()));
    expect(kinds(events).at(-1)).toBe("done");
    expect(twin.requests[0]?.headers["authorization"]).toStartWith("AWS4-HMAC-SHA256");
  } finally {
    for (const [name, value] of [
      ["AWS_ACCESS_KEY_ID", saved.id],
      ["AWS_SECRET_ACCESS_KEY", saved.secret],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test("Vertex counts tokens, Bedrock doesn't", async () => {
  await using twin = await startTwin({ scenario: [] });
  const count = async (cloud: Cloud) =>
    (await providerAt(cloud, twin.url)).provider.countTokens?.(
      asked(undefined, { model: CLOUDS[cloud].model }),
      never(),
    );
  expect(await count("bedrock")).toBeUndefined();
  expect(await count("vertex")).toBeGreaterThan(0);
});
