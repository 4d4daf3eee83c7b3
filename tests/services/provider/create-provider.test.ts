import { expect, test } from "bun:test";
import { fault, reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { Settings } from "../../../src/contracts/settings.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../src/services/provider/create-provider.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { asked, doneOf, eventsOf, never } from "./anthropic/support.ts";

type Case = {
  readonly flag: string;
  readonly environment?: Record<string, string>;
  readonly providers?: NonNullable<Settings["providers"]>;
};

/** From what a person types to an answer. */
async function answered({ flag, environment = {}, providers = {} }: Case) {
  const choice = await chooseProvider({ flag, setting: undefined }, { environment, providers });
  const provider = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
  const { model, content } = doneOf(
    await eventsOf(provider.stream(asked(undefined, { model: choice.model }), never())),
  );
  return { name: provider.name, model, content };
}

const anywhere = (url: string): readonly (readonly [path: string, given: Case])[] => [
  ["/v1/messages", { flag: "sonnet", environment: { ANTHROPIC_BASE_URL: url } }],
  ["/v1/responses", { flag: "gpt-6-sol", environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "k" } }],
  ["/v1/chat/completions", { flag: "openai/gpt-6-sol", providers: { openai: { baseUrl: `${url}/v1`, api: "chat" } } }],
  [
    "/v1beta/models/gemini-3.8-flash:streamGenerateContent",
    { flag: "gemini-3.8-flash", environment: { GEMINI_BASE_URL: `${url}/v1beta`, GEMINI_API_KEY: "k" } },
  ],
  ["/v1/chat/completions", { flag: "ollama:qwen3", environment: { OLLAMA_HOST: url } }],
  [
    "/v1/chat/completions",
    { flag: "openrouter/openai/gpt-6-sol", providers: { openrouter: { baseUrl: `${url}/v1` } } },
  ],
  ["/v1/chat/completions", { flag: "mine/model", providers: { mine: { baseUrl: `${url}/v1` } } }],
  ["/v1/messages", { flag: "mine/model", providers: { mine: { type: "anthropic", baseUrl: url } } }],
  [
    "/model/anthropic.claude-x/invoke-with-response-stream",
    {
      flag: "bedrock/anthropic.claude-x",
      environment: { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "k" },
      providers: { bedrock: { baseUrl: url } },
    },
  ],
];

test.each(anywhere("").map(([path, { flag }], index) => [flag, path, index] as const))(
  "a model named %s is answered at %s",
  async (_flag, path, index) => {
    await using twin = await startTwin({ scenario: [reply("Hi.")], openai: { requireKey: false } });
    const [, given] = anywhere(twin.url)[index]!;
    const { content } = await answered(given);
    expect(content).toEqual([{ type: "text", text: "Hi." }]);
    // Ollama is also asked for the window with which it loaded the model.
    const sent = twin.requests.filter(({ path: asked }) => asked !== "/api/ps");
    expect(sent.map(({ path: asked, rejected }) => [asked, rejected])).toEqual([[path, []]]);
  },
);

test("every vendor's headers of one's own go along", async () => {
  await using twin = await startTwin({ scenario: () => reply("Hi."), openai: { requireKey: false } });
  const headers = { "x-team": "blue" };
  for (const providers of [
    { mine: { baseUrl: `${twin.url}/v1`, headers } },
    { mine: { type: "anthropic", baseUrl: twin.url, headers } },
    { mine: { type: "google", baseUrl: `${twin.url}/v1beta`, headers } },
    { mine: { type: "openai", baseUrl: `${twin.url}/v1`, headers } },
  ] as const) {
    await answered({ flag: "mine/model", providers });
  }
  expect(twin.requests.map(({ headers: sent }) => sent["x-team"])).toEqual(["blue", "blue", "blue", "blue"]);
});

test("the offline engine is a provider as any other", async () => {
  const choice = await chooseProvider({ flag: "offline", setting: undefined }, { environment: {} });
  const provider = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
  expect(provider.name).toBe("offline");
});

const IDLE = { streamIdleSeconds: 6 };
const quiet = (url: string): readonly Case[] => [
  { flag: "mine/model", providers: { mine: { ...IDLE, type: "anthropic", baseUrl: url } } },
  { flag: "mine/model", providers: { mine: { ...IDLE, baseUrl: `${url}/v1` } } },
  {
    flag: "bedrock/anthropic.claude-x",
    environment: { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "k" },
    providers: { bedrock: { ...IDLE, baseUrl: url } },
  },
];
test.each(quiet("").map(({ flag }, index) => [flag, index] as const))(
  "%s is asked again after as much silence as its settings say (%i)",
  async (_flag, index) => {
    const scenario = [reply("Half of it.", { fault: fault.stall(1) }), reply("Whole.")];
    await using twin = await startTwin({ scenario, openai: { requireKey: false } });
    const { flag, environment = {}, providers = {} } = quiet(twin.url)[index]!;
    const choice = await chooseProvider({ flag, setting: undefined }, { environment, providers });
    const clock = fakeClock();
    const provider = await createProvider(choice, { catalog: modelCatalog(), clock, random: () => 0.5 });
    const told: string[] = [];
    for await (const event of provider.stream(asked(undefined, { model: choice.model }), never())) {
      if (event.type === "text_delta" && told.length === 0) {
        told.push("half");
        setImmediate(() => void clock.advance(6_000));
      }
      if (event.type === "retry") {
        told.push(event.message);
        // The wait begins when this event was taken.
        setImmediate(() => void clock.advance(event.delayMs));
      }
      if (event.type === "done") told.push("done");
    }
    expect(told).toEqual(["half", "The model sent nothing for 6 s.", "done"]);
  },
);
