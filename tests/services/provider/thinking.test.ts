import { describe, expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin, type TwinOptions } from "@quoll/model-twin/server";
import { EFFORTS } from "../../../src/contracts/provider.ts";
import type { ModelSettings } from "../../../src/contracts/provider-settings.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../src/services/provider/create-provider.ts";
import { EFFORT_TOKENS, wantedEffort } from "../../../src/services/provider/thinking-effort.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { asked, never, reading } from "./anthropic/support.ts";

type Body = Readonly<Record<string, unknown>>;
type Models = Readonly<Record<string, ModelSettings>>;
type Options = {
  readonly twin?: Partial<TwinOptions>;
  readonly models?: Models;
  readonly quirks?: object;
  /** How many requests the server refuses before it takes one. */
  readonly refusals?: number;
};
type Wanted = Parameters<typeof asked>[1];

const MINE = { box: { baseUrl: "" }, openrouter: { baseUrl: "" }, google: { baseUrl: "" }, openai: { baseUrl: "" } };

/** The body that a model, named as people name it, is sent. */
async function sent(
  name: string,
  extra: Wanted,
  { twin: given, models, quirks, refusals = 0 }: Options = {},
): Promise<Body> {
  await using twin = await startTwin({ scenario: [reply("Hi.")], ...given });
  const url = (provider: string) => `${twin.url}${provider === "google" ? "/v1beta" : "/v1"}`;
  const providers = Object.fromEntries(
    Object.keys(MINE).map((one) => [one, { baseUrl: url(one), apiKeyEnv: "SOME_KEY", quirks }]),
  );
  const environment = { ANTHROPIC_BASE_URL: twin.url, SOME_KEY: "k" };
  const catalog = modelCatalog({ models });
  const choice = await chooseProvider({ flag: name, setting: undefined }, { environment, providers });
  const provider = await createProvider(choice, { catalog, clock: fakeClock(), random: () => 0.5 });
  const error = await reading(provider.stream(asked(undefined, { ...extra, model: choice.model }), never())).end;
  expect([error, twin.requests.flatMap(({ rejected }) => rejected).length]).toEqual([undefined, refusals]);
  return twin.requests.at(-1)?.body as Body;
}

describe("a number of tokens to think with", () => {
  const claude = async (extra: Wanted) =>
    (await sent("claude-sonnet-4-5", { maxTokens: 40_000, ...extra }))["thinking"];

  test("is the budget of a Claude that takes one, goes before the effort, and leaves room for the answer", async () => {
    expect(await claude({ thinking: 8_000 })).toEqual({ type: "enabled", budget_tokens: 8_000 });
    expect(await claude({ thinking: 8_000, effort: "low" })).toEqual({ type: "enabled", budget_tokens: 8_000 });
    expect(await claude({ thinking: 900_000 })).toEqual({ type: "enabled", budget_tokens: 40_000 - 1_024 });
  });

  test("is at least what the API takes, and none at all in an answer that is too short for it", async () => {
    expect(await claude({ thinking: 1 })).toEqual({ type: "enabled", budget_tokens: 1_024 });
    expect(await claude({ thinking: 5_000, maxTokens: 2_048 })).toEqual({ type: "enabled", budget_tokens: 1_024 });
    expect(await claude({ thinking: 5_000, maxTokens: 2_047 })).toBeUndefined();
  });

  test("of 0 is no thinking, on every wire", async () => {
    expect(await claude({ thinking: 0 })).toEqual({ type: "disabled" });
    expect((await sent("openai/gpt-5", { thinking: 0 }))["reasoning"]).toEqual({ effort: "minimal" });
    expect(generation(await sent("google/gemini-2.5-flash", { thinking: 0 }))).toEqual({ thinkingBudget: 0 });
  });

  test("is the nearest effort of a Claude that decides by itself, where none is chosen", async () => {
    const { thinking, output_config: output } = await sent("claude-opus-5-5", { thinking: 20_000 });
    expect([thinking, output]).toEqual([{ type: "adaptive" }, { effort: "high" }]);
    const chosen = await sent("claude-opus-5-5", { thinking: 20_000, effort: "low" });
    expect(chosen["output_config"]).toEqual({ effort: "low" });
  });

  const generation = ({ generationConfig }: Body) =>
    (generationConfig as { readonly thinkingConfig?: unknown } | undefined)?.thinkingConfig;
  test.each([
    ["gemini-2.5-pro", 1, 128],
    ["gemini-2.5-pro", 20_000, 20_000],
    ["gemini-2.5-pro", 100_000, 32_768],
    ["gemini-2.5-flash", 100_000, 24_576],
    ["gemini-2.5-flash-lite", 100, 512],
  ])("is the budget of %s: %d tokens as %d", async (model, tokens, budget) => {
    expect(generation(await sent(`google/${model}`, { thinking: tokens }))).toEqual({
      includeThoughts: true,
      thinkingBudget: budget,
    });
  });

  test("is a level of a Gemini that takes none", async () => {
    expect(generation(await sent("google/gemini-3-pro-preview", { thinking: 2_000 }))).toEqual({
      includeThoughts: true,
      thinkingLevel: "low",
    });
  });

  test("is an effort of OpenAI's models, and of servers that speak their language", async () => {
    expect((await sent("openai/gpt-5", { thinking: 4_000 }))["reasoning"]).toEqual({ effort: "low", summary: "auto" });
    expect((await sent("box/gpt-oss-120b", { thinking: 12_000 }))["reasoning_effort"]).toBe("medium");
    expect("reasoning_effort" in (await sent("box/codestral-latest", { thinking: 12_000 }))).toBe(false);
  });

  test("goes to a router and to servers that take it as it is", async () => {
    const router = { twin: { openai: { extraFields: ["reasoning"] } } };
    expect((await sent("openrouter/x/y", { thinking: 9_000 }, router))["reasoning"]).toEqual({ max_tokens: 9_000 });
    expect((await sent("openrouter/x/y", { effort: "low" }, router))["reasoning"]).toEqual({ effort: "low" });
    const server = {
      twin: { openai: { extraFields: ["thinking_budget"] } },
      quirks: { thinkingTokens: "thinking_budget" },
    };
    expect((await sent("box/qwen3-32b", { thinking: 9_000 }, server))["thinking_budget"]).toBe(9_000);
  });

  test("that a server doesn't know is left out from then on", async () => {
    const quirks = { thinkingTokens: "thinking_budget", effort: "none" };
    const body = await sent("box/qwen3-32b", { thinking: 9_000 }, { quirks, refusals: 1 });
    expect(Object.keys(body)).not.toContain("thinking_budget");
  });
});

describe("an effort", () => {
  test("is one that the model knows: the next below, else the lowest", () => {
    expect(wantedEffort({ effort: "max" }, ["low", "medium", "high"])).toBe("high");
    expect(wantedEffort({ effort: "medium" }, ["low", "high"])).toBe("low");
    expect(wantedEffort({ effort: "low" }, ["high"])).toBe("high");
    expect(wantedEffort({ effort: "low" }, [])).toBeUndefined();
    expect(wantedEffort({ effort: "max" }, undefined)).toBe("max");
    expect(wantedEffort({}, ["low"])).toBeUndefined();
    expect(wantedEffort({ thinking: true }, ["low"])).toBeUndefined();
  });

  test("comes from a number and leads to it", () => {
    for (const effort of EFFORTS) expect(wantedEffort({ thinking: EFFORT_TOKENS[effort] }, EFFORTS)).toBe(effort);
    expect(EFFORTS.map((effort) => EFFORT_TOKENS[effort])).toEqual([4_096, 12_288, 24_576, 40_960, 63_000]);
  });

  test.each([
    ["claude-opus-5-5", "xhigh"],
    ["claude-opus-4-7", "xhigh"],
    ["claude-opus-4-6", "high"],
    ["openai/gpt-5.4", "xhigh"],
    ["openai/gpt-5.1", "high"],
  ])("xhigh of %s is sent as %s", async (model, effort) => {
    expect(JSON.stringify(await sent(model, { effort: "xhigh" }))).toContain(`"effort":"${effort}"`);
  });
});

describe("settings that know better", () => {
  test("decide how a model of one's own is told to think", async () => {
    const models: Models = { "my-claude": { thinking: true, thinkingStyle: "budget" } };
    expect((await sent("my-claude", { thinking: 3_000, maxTokens: 9_000 }, { models }))["thinking"]).toEqual({
      type: "enabled",
      budget_tokens: 3_000,
    });
    const unknown = await sent("my-claude", { thinking: 3_000 });
    expect("thinking" in unknown).toBe(false);
  });

  test("take thinking and efforts away from a model that the table has", async () => {
    const none = await sent(
      "claude-opus-5-5",
      { thinking: true, effort: "high" },
      {
        models: { "claude-opus-5-5": { thinking: false, efforts: [] } },
      },
    );
    expect([none["thinking"], none["output_config"]]).toEqual([undefined, undefined]);
    const models: Models = { "claude-opus-5-5": { efforts: ["low", "medium"] } };
    expect((await sent("claude-opus-5-5", { effort: "max" }, { models }))["output_config"]).toEqual({
      effort: "medium",
    });
  });
});
