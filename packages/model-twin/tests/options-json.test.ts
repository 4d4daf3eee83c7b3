import { describe, expect, test } from "bun:test";
import { parseOptions, type WireOptions } from "../src/options-json.ts";
import { ScenarioError } from "../src/scenario-json.ts";

test("every option of the wires survives JSON", () => {
  const options = {
    apiKey: "k",
    models: ["a"],
    contextWindowTokens: 100,
    promptCache: true,
    openai: {
      apiKey: "o",
      requireKey: false,
      models: ["b"],
      reasoningModels: ["b"],
      contextWindowTokens: 50,
      refuseUnknownFields: false,
      extraFields: ["thinking"],
      missingFields: ["seed"],
      chat: {
        reasoningField: "none",
        returnedReasoning: "required",
        roles: "no_system",
        parallelCalls: false,
        streamOptions: false,
        callIds: "nine_letters",
        callIndex: false,
        argumentPieces: false,
        imagesInResults: true,
        jsonArguments: true,
        usage: "with_finish",
        finishReasonOfCalls: "stop",
        refusals: "refusal_field",
        errorsWithStatus200: "event",
      },
      responses: { streamErrors: "error", refusals: "content_filter", summaryParts: "paragraphs" },
    },
    gemini: { apiKey: "g", models: ["c"], refusals: "OTHER", callIds: "missing", signatures: "required" },
    bedrock: {
      apiKey: "b",
      promptCache: false,
      region: "eu-west-1",
      credentials: { accessKeyId: "a", secretAccessKey: "s", sessionToken: "t" },
    },
    vertex: { apiKey: "v", project: "p", contextWindowTokens: 7 },
  } satisfies WireOptions;

  expect(parseOptions(JSON.parse(JSON.stringify(options)))).toEqual(options);
});

describe("options with a mistake name its place", () => {
  test.each<[string, unknown, string]>([
    ["no object", [], "options: must be an object, not an array"],
    ["an unknown option", { key: "k" }, "options.key: is not a field that is known here"],
    ["a scenario", { scenario: [] }, "options.scenario: is not a field that is known here"],
    ["a window of nothing", { contextWindowTokens: 0 }, "options.contextWindowTokens: must be at least 1"],
    ["an unknown quirk", { openai: { chat: { slow: true } } }, "options.openai.chat.slow: is not a field"],
    ["a secret without its name", { bedrock: { credentials: { secretAccessKey: "s" } } }, "accessKeyId: is required"],
    ["a project of Gemini's", { gemini: { project: "p" } }, "options.gemini.project: is not a field"],
    [
      "a quirk of no kind",
      { openai: { chat: { usage: "often" } } },
      'options.openai.chat.usage: "often" is not one of',
    ],
  ])("%s", (_name, json, message) => {
    expect(() => parseOptions(json)).toThrow(ScenarioError);
    expect(() => parseOptions(json)).toThrow(message);
  });
});
