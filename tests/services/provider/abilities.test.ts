import { describe, expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { Message } from "../../../src/contracts/message.ts";
import { MODEL, type ModelSettings } from "../../../src/contracts/provider-settings.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../src/services/provider/create-provider.ts";
import { testOfWire } from "../../support/deep.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { asked, assistant, never, READ, reading, result, user } from "./anthropic/support.ts";

const TYPES = ["anthropic", "openai", "openai-compatible", "google"] as const;
type Type = (typeof TYPES)[number];

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { type: "image", mediaType: "image/png", data: PNG.toString("base64") } as const;
const pdf = {
  type: "document",
  mediaType: "application/pdf",
  data: Buffer.from("%PDF-1.4\n").toString("base64"),
} as const;
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: { file_path: id } }) as const;

/** The request to a user's own model on one wire, and the notices to the person. */
async function sent(type: Type, mine: ModelSettings, messages: readonly Message[] = [user("Hello.")], name = "mine") {
  await using twin = await startTwin({ scenario: [reply("Hi.")] });
  const path = type === "anthropic" ? "" : type === "google" ? "/v1beta" : "/v1";
  const providers = { box: { type, baseUrl: `${twin.url}${path}`, apiKeyEnv: "SOME_KEY" } };
  const environment = { SOME_KEY: "k" };
  const choice = await chooseProvider({ flag: `box/${name}`, setting: undefined }, { environment, providers });
  const catalog = modelCatalog({ models: { [name]: mine } });
  const provider = await createProvider(choice, { catalog, clock: fakeClock(), random: () => 0.5 });
  const read = reading(provider.stream(asked(messages, { model: choice.model, tools: [READ] }), never()));
  expect([await read.end, twin.requests.flatMap(({ rejected }) => rejected)]).toEqual([undefined, []]);
  const notices = read.events.flatMap((event) => (event.type === "notice" ? event.message : []));
  return { body: (twin.requests[0]?.body ?? {}) as Readonly<Record<string, unknown>>, notices };
}

/** Of Google's models only one that is known as theirs takes another's calls. */
const oneOf = (type: Type) => (type === "google" ? "gemini-3-pro-preview" : "mine");
const whole = { contextWindow: 50_000, maxOutputTokens: 4_000 };

describe("settings of a model", () => {
  const all: Required<ModelSettings> = {
    contextWindow: 50_000,
    maxOutputTokens: 4_000,
    images: false,
    documents: true,
    thinking: false,
    tools: false,
    parallelCalls: false,
    efforts: ["low"],
    thinkingStyle: "adaptive",
    price: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  };

  test("are heard in each of their fields, for a model of the table as for one of one's own", async () => {
    expect(Object.keys(all).sort()).toEqual(Object.keys(MODEL.keys).sort());
    const { price: _, ...abilities } = all;
    for (const name of ["claude-opus-4-5", "gpt-5", "mine"]) {
      const catalog = modelCatalog({ models: { [name]: all } });
      expect<object>(catalog.capabilities(name)).toEqual({ ...abilities, known: true });
      const usage = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 1e6, cacheWriteTokens: 1e6 };
      expect(await catalog.cost(name, usage)).toBeCloseTo(1 + 2 + 3 + 4, 6);
    }
  });

  test("that leave something out leave it as the table has it", () => {
    const plain = modelCatalog().capabilities("gpt-5");
    expect(modelCatalog({ models: { "gpt-5": { tools: false } } }).capabilities("gpt-5")).toEqual({
      ...plain,
      tools: false,
    });
    const blind = modelCatalog({ models: { "gpt-5": { images: false } } }).capabilities("gpt-5");
    expect(blind).toEqual({ ...plain, images: false, documents: false });
  });
});

describe.each(TYPES)("over %s", (type) => {
  const overWire = testOfWire(type, TYPES);
  overWire("a model without tools is sent none, and the person is told", async () => {
    const { body, notices } = await sent(type, { ...whole, tools: false });
    expect(JSON.stringify(body)).not.toContain(READ.name);
    expect(notices).toEqual([
      'The model "mine" cannot call tools: it can only answer with text (setting models.mine.tools).',
    ]);
  });

  overWire("a model without image input gets a text in place of each image", async () => {
    const { body } = await sent(type, { ...whole, images: false }, [user(picture, pdf, "Look.")]);
    const text = JSON.stringify(body);
    expect(text).toContain("[An image was here; this model accepts no images.]");
    expect(text).toContain("[A PDF was here; this model accepts no PDFs.]");
    expect(text).not.toContain(picture.data);
  });

  overWire("a model without parallel calls is asked for one at a time", async () => {
    const history = [user("Go."), assistant([call("a"), call("b")]), user(result("a", "A"), result("b", "B"))];
    const { body } = await sent(type, { ...whole, parallelCalls: false }, history, oneOf(type));
    const text = JSON.stringify(body);
    expect([text.includes('"A"'), text.includes('"B"')]).toEqual([true, true]);
    if (type === "anthropic") expect(body["tool_choice"]).toEqual({ type: "auto", disable_parallel_tool_use: true });
    if (type === "openai") expect(body["parallel_tool_calls"]).toBe(false);
  });

  overWire("a notice about an unknown model names the assumptions, and the setting that corrects them", async () => {
    const { notices } = await sent(type, {}, undefined, "nobodys");
    expect(notices).toEqual([
      'Quoll has no data about the model "nobodys": it assumes a window of 200000 tokens and at most 32000 output tokens, and the price is unknown (correct this with the setting models.nobodys).',
    ]);
    const priced = await sent(type, { price: { input: 1, output: 2 } }, undefined, "nobodys");
    expect(priced.notices).toEqual([
      'Quoll has no data about the model "nobodys": it assumes a window of 200000 tokens and at most 32000 output tokens (correct this with the setting models.nobodys).',
    ]);
    expect((await sent(type, whole)).notices).toEqual([]);
  });
});

test.each(TYPES)("over %s calls of another model are words to one that has no tools", async (type) => {
  const history = [user("Go."), assistant([call("a")]), user(result("a", "its text"), "And now?")];
  const { body } = await sent(type, { ...whole, tools: false }, history);
  const text = JSON.stringify(body);
  expect(text).toContain("[Called Read with");
  expect(text).toContain("[Result of Read:]");
  expect(text).toContain("its text");
  expect(text).not.toMatch(/"tool_calls"|"function_call"|"functionCall"|"tool_use"|"tool_result"/);
});
