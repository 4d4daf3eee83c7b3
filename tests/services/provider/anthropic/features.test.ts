import { describe, expect, test } from "bun:test";
import { reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { AssistantMessage, Message } from "../../../../src/contracts/message.ts";
import type { ProviderRequest } from "../../../../src/contracts/provider.ts";
import { anthropicProvider } from "../../../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { scriptedServer } from "../scripted-server.ts";
import {
  asked,
  assistant,
  doneOf,
  eventsOf,
  KEY,
  kinds,
  MODEL,
  never,
  played,
  providerAt,
  reading,
  result,
  user,
} from "./support.ts";

const BUDGETED = "claude-sonnet-4-5";
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} }) as const;

/** The body and betas of one request, which the strict server accepted. */
async function sent(extra: Partial<ProviderRequest>, messages?: readonly Message[]) {
  const { requests, error } = await played([reply("Hi.")], asked(messages, extra));
  expect([error, requests.map(({ rejected }) => rejected)]).toEqual([undefined, [[]]]);
  const { body, headers } = requests[0]!;
  const { thinking: thought, output_config, model } = body as Record<string, unknown>;
  return { thinking: thought, output_config, model, betas: headers["anthropic-beta"] };
}

describe("thinking and effort", () => {
  test("are left to the model where nothing is asked for", async () => {
    for (const model of [MODEL, BUDGETED]) {
      expect(await sent({ model })).toEqual({ thinking: undefined, output_config: undefined, model, betas: undefined });
    }
  });

  test("of the newer models are adaptive, with an effort", async () => {
    expect(await sent({ thinking: true, effort: "max" })).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "max" },
    });
    expect(await sent({ effort: "low" })).toMatchObject({ thinking: undefined, output_config: { effort: "low" } });
    expect(await sent({ thinking: false })).toMatchObject({ thinking: { type: "disabled" } });
  });

  test("of the older ones have a budget that leaves room for the answer, and go on between calls", async () => {
    const budget = async (extra: object) => (await sent({ model: BUDGETED, maxTokens: 64_000, ...extra })).thinking;
    expect(await budget({ effort: "low" })).toEqual({ type: "enabled", budget_tokens: 4_096 });
    expect(await budget({ thinking: true })).toEqual({ type: "enabled", budget_tokens: 12_288 });
    expect(await budget({ effort: "max" })).toEqual({ type: "enabled", budget_tokens: 62_976 });
    expect(await budget({ effort: "max", maxTokens: 4_000 })).toEqual({ type: "enabled", budget_tokens: 2_976 });
    expect(await budget({ effort: "max", maxTokens: 2_000 })).toBeUndefined();
    const { betas, output_config } = await sent({ model: BUDGETED, effort: "high", maxTokens: 64_000 });
    expect([betas, output_config]).toEqual(["interleaved-thinking-2025-05-14", undefined]);
    expect((await sent({ model: BUDGETED, effort: "high", maxTokens: 64_000, tools: [] })).betas).toBeUndefined();
  });

  test("of a model that isn't known are not asked for", async () => {
    const { thinking: thought, output_config } = await sent({ model: "my-own-model", thinking: true, effort: "high" });
    expect([thought, output_config]).toEqual([undefined, undefined]);
  });

  test("are left out of a tool loop that another model began, and come back after it", async () => {
    const began = (provider: string, model: string): Message[] => [
      user("Go."),
      {
        ...(assistant([{ type: "thinking", thinking: "Hm.", signature: "x" }, call("t1")], model) as AssistantMessage),
        provider,
      },
      user(result("t1", "A")),
    ];
    const extra = { model: BUDGETED, effort: "high", maxTokens: 64_000 } as const;
    expect((await sent(extra, began("openai", "gpt-6-sol"))).thinking).toBeUndefined();
    expect((await sent(extra, began("anthropic", "claude-opus-5-5"))).thinking).toBeUndefined();
    const after = [...began("openai", "gpt-6-sol"), assistant([{ type: "text", text: "Done." }]), user("More.")];
    expect((await sent(extra, after)).thinking).toMatchObject({ type: "enabled" });
  });

  test("stay on in a loop of the model's own", async () => {
    await using twin = await startTwin({
      scenario: [reply([thinking("Hm."), toolUse("Read", {}, "t1")]), reply("Done.")],
    });
    const { provider } = providerAt(twin.url);
    const extra = { model: BUDGETED, effort: "high", maxTokens: 64_000 } as const;
    const history: Message[] = [user("Go.")];
    const message = doneOf(await eventsOf(provider.stream(asked(history, extra), never())));
    history.push({ ...message, id: "a" }, user(result("t1", "A")));
    await eventsOf(provider.stream(asked(history, extra), never()));
    expect(
      twin.requests.map(({ rejected, body }) => [rejected, (body as { thinking: { type: string } }).thinking.type]),
    ).toEqual([
      [[], "enabled"],
      [[], "enabled"],
    ]);
  });
});

test("the form of the answer is asked for with the model's own effort", async () => {
  const outputSchema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false } as const;
  expect((await sent({ outputSchema, effort: "high" })).output_config).toEqual({
    effort: "high",
    format: { type: "json_schema", schema: outputSchema },
  });
});

describe("a schema of the answer", () => {
  const systemOf = (body: unknown) => (body as { system: readonly { text: string }[] }).system[0]?.text;
  const closed = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };

  test("is closed at each object, and keeps what the field doesn't take in its descriptions", async () => {
    const { additionalProperties: _, ...open } = closed;
    const outputSchema = {
      type: "object",
      properties: { list: { type: "array", items: open, minItems: 2 }, n: { type: "integer", minimum: 3 } },
    } as const;
    const { requests, error } = await played([reply("{}")], asked(undefined, { outputSchema }));
    expect([error, requests[0]?.rejected]).toEqual([undefined, []]);
    const { output_config } = requests[0]!.body as { output_config: { format: { schema: Record<string, unknown> } } };
    expect(output_config.format.schema).toMatchObject({
      additionalProperties: false,
      properties: { list: { items: closed } },
    });
    expect(JSON.stringify(output_config)).toContain("minimum: 3");
    expect(systemOf(requests[0]!.body)).toBe("Be brief.");
  });

  test.each([
    ["has keys of any name", { outputSchema: { type: "object", additionalProperties: { type: "string" } } }],
    ["allows any object", { outputSchema: { type: "object" } }],
    ["has a part without a type", { outputSchema: { type: "object", properties: { a: {} } } }],
    ["is for a model that no table knows", { outputSchema: closed as never, model: "house-model" }],
  ] as const)("that %s stands in words, and nowhere else", async (_, extra) => {
    const { requests, error } = await played([reply("{}")], asked(undefined, extra));
    expect([error, requests[0]?.rejected]).toEqual([undefined, []]);
    const { body } = requests[0]!;
    expect(body).not.toHaveProperty("output_config");
    expect(systemOf(body)).toBe(
      `Be brief.\n\nAnswer with JSON alone, of this schema: ${JSON.stringify(extra.outputSchema)}`,
    );
  });

  test("that the server refuses stands in words from then on", async () => {
    const recursive = { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false };
    const { requests, error } = await played([reply("{}")], asked(undefined, { outputSchema: recursive as never }));
    expect([error, requests.map(({ rejected }) => rejected.length)]).toEqual([undefined, [1, 0]]);
    expect(systemOf(requests[1]!.body)).toContain(JSON.stringify(recursive));
  });
});

test("a window of a million tokens goes with its beta, under the model's own name", async () => {
  expect(await sent({ model: "claude-sonnet-4-5[1m]" })).toMatchObject({
    model: BUDGETED,
    betas: "context-1m-2025-08-07",
  });
});

test("a cached prefix may live for an hour", async () => {
  await using twin = await startTwin({ scenario: [reply("Hi.")] });
  const provider = anthropicProvider({
    apiKey: KEY,
    baseUrl: twin.url,
    cacheTtl: "1h",
    catalog: modelCatalog(),
    clock: fakeClock(),
    random: () => 0.5,
  });
  await eventsOf(provider.stream(asked(), never()));
  const { bodyText, rejected } = twin.requests[0]!;
  expect([bodyText.match(/"ttl":"1h"/g)?.length, bodyText.match(/cache_control/g)?.length, rejected]).toEqual([
    3,
    3,
    [],
  ]);
});

test("tokens are counted by the server, without the limit of the output", async () => {
  await using twin = await startTwin({ scenario: [] });
  const { provider } = providerAt(twin.url);
  expect(await provider.countTokens?.(asked(), never())).toBeGreaterThan(0);
  expect(twin.requests.map(({ path, rejected }) => [path, rejected])).toEqual([["/v1/messages/count_tokens", []]]);
  await twin.close();
  expect(await provider.countTokens?.(asked(), never())).toBeUndefined();
  await expect(provider.countTokens?.(asked(), AbortSignal.abort("no"))).rejects.toBe("no");
});

type Sent = {
  readonly thinking?: unknown;
  readonly output_config?: { readonly effort?: unknown; readonly format?: unknown };
};
const START = { type: "message_start", message: { model: MODEL, usage: {} } };
const STOP = [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }];
const SAID = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } },
  { type: "content_block_stop", index: 0 },
];
const refusal = (message: string) => ({
  status: 400,
  body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
});

const CLOSED = { type: "object", properties: {}, additionalProperties: false } as const;

test.each([
  ["thinking", "adaptive thinking is not supported on this model", (body: Sent) => body.thinking],
  ["effort", "output_config.effort: Extra inputs are not permitted", (body: Sent) => body.output_config?.effort],
  ["a schema", "output_config.format.schema: keyword is not supported", (body: Sent) => body.output_config?.format],
] as const)("a server that refuses %s is asked again without it, and so from then on", async (_name, message, part) => {
  await using server = await scriptedServer(refusal(message), { body: [START, ...SAID, ...STOP] });
  const { provider } = providerAt(server.url);
  const request = asked(undefined, { thinking: true, effort: "high", outputSchema: CLOSED });
  const events = await eventsOf(provider.stream(request, never()));
  await eventsOf(provider.stream(request, never()));
  expect(kinds(events)).toEqual(["text_delta", "block_done", "done"]);
  expect(server.requests.map(({ body }) => part(body) !== undefined)).toEqual([true, false, false]);
});

test("a feature that one model refuses is still sent to another", async () => {
  await using server = await scriptedServer(refusal("adaptive thinking is not supported on this model"), {
    body: [START, ...SAID, ...STOP],
  });
  const { provider } = providerAt(server.url);
  for (const model of [MODEL, MODEL, "claude-opus-5"])
    await eventsOf(provider.stream(asked(undefined, { thinking: true, model }), never()));
  expect(server.requests.map(({ body }) => body.thinking !== undefined)).toEqual([true, false, false, true]);
});

test("any other refusal is final", async () => {
  await using server = await scriptedServer(refusal("messages: too odd"));
  const error = await reading(providerAt(server.url).provider.stream(asked(undefined, { thinking: true }), never()))
    .end;
  expect([(error as Error).message, server.requests.length]).toEqual([expect.stringContaining("too odd") as never, 1]);
});

test("server-run tool blocks and citations go back to their model and to no other", async () => {
  const use = { type: "server_tool_use", id: "srv1", name: "web_search", input: { query: "x" } };
  const found = {
    type: "web_search_tool_result",
    tool_use_id: "srv1",
    content: [{ type: "web_search_result", url: "u", encrypted_content: "e" }],
  };
  const citation = {
    type: "char_location",
    cited_text: "x",
    document_index: 0,
    document_title: null,
    start_char_index: 0,
    end_char_index: 1,
    file_id: null,
  };
  const events = [
    START,
    { type: "content_block_start", index: 0, content_block: { ...use, input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":"x"}' } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: found },
    { type: "content_block_stop", index: 1 },
    { type: "content_block_start", index: 2, content_block: { type: "text", text: "", citations: [] } },
    { type: "content_block_delta", index: 2, delta: { type: "citations_delta", citation } },
    { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "As said." } },
    { type: "content_block_stop", index: 2 },
    ...STOP,
  ];
  await using server = await scriptedServer({ body: events });
  const { provider } = providerAt(server.url);
  const history: Message[] = [user("Go.")];
  const message = doneOf(await eventsOf(provider.stream(asked(history), never())));
  history.push({ ...message, id: "a" }, user("On."));
  await eventsOf(provider.stream(asked(history), never()));
  await eventsOf(provider.stream(asked(history, { model: "claude-opus-5-5" }), never()));
  const { file_id: _, ...kept } = citation;
  const contents = server.requests.map(({ body }) => body.messages[1]?.content);
  expect(contents[1]).toEqual([use, found, { type: "text", text: "As said.", citations: [kept] }]);
  expect(contents[2]).toEqual([{ type: "text", text: "As said." }]);
});

test("a picture that is none and a PDF that is none are named in words", async () => {
  const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1").toString("base64");
  const { requests } = await played(
    [reply("Hi.")],
    asked([
      user(
        { type: "image", mediaType: "image/jpeg", data: png },
        { type: "image", mediaType: "image/png", data: "" },
        { type: "document", mediaType: "application/pdf", data: png },
        "Well?",
      ),
    ]),
  );
  const [{ content }] = (requests[0]!.body as { messages: [{ content: unknown[] }] }).messages;
  expect(content).toMatchObject([
    { type: "image", source: { media_type: "image/png" } },
    { type: "text", text: "[An image was here; its data is not a valid image.]" },
    { type: "text", text: "[A PDF was here; its data is not a PDF.]" },
    { type: "text", text: "Well?" },
  ]);
});

test("a picture and a PDF go as they are, from the person and from a tool, and the strict server takes them", async () => {
  const png = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1").toString("base64");
  const pdf = Buffer.from("%PDF-1.7\nrest").toString("base64");
  const picture = { type: "image", mediaType: "image/png", data: png } as const;
  const paper = { type: "document", mediaType: "application/pdf", data: pdf, title: "plan.pdf" } as const;
  const given = { type: "tool_result", toolUseId: "t1", content: [paper, picture], isError: false } as const;
  const history = [user(picture, paper, "Read both."), assistant([call("t1")]), user(given)];
  const { requests, error } = await played([reply("Hi.")], asked(history));
  expect([error, requests.map(({ rejected }) => rejected)]).toEqual([undefined, [[]]]);
  const sentPicture = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
  const source = { type: "base64", media_type: "application/pdf", data: pdf };
  const sentPaper = { type: "document", title: "plan.pdf", source };
  const [first, , third] = (requests[0]!.body as { messages: { content: { content?: unknown }[] }[] }).messages;
  expect<unknown>(first?.content.slice(0, 2)).toEqual([sentPicture, sentPaper]);
  expect(third?.content[0]?.content).toEqual([sentPaper, sentPicture]);
});
