import { describe, expect, test } from "bun:test";
import { type Message, NO_USAGE } from "../../../../src/contracts/message.ts";
import { doneOf, eventsOf, kinds, result, retries } from "../anthropic/support.ts";
import { type Scripted, scriptedServer } from "../scripted-server.ts";
import { asked, catalogOf, KEY, never, providerAt, reading, throughTime, user, wireOf } from "./support.ts";

const GEMINI = "gemini-3-pro-preview";
const said = (...parts: readonly object[]) => ({ candidates: [{ content: { role: "model", parts } }] });
const ended = (finishReason: string, usage: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [] }, finishReason }],
  usageMetadata: {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 3,
    ...usage,
  },
});
const stream = (...events: readonly object[]): Scripted => ({ body: events });
const CALLS = stream(
  said({ text: "Let me ", thought: true }),
  said({ text: "see.", thought: true, thoughtSignature: "c2lnLTE=" }),
  said({ text: "Look" }),
  said({ text: "ing." }),
  said({ functionCall: { name: "Read", args: { file_path: "ü😀" } }, thoughtSignature: "c2lnLTI=" }),
  said({ functionCall: { name: "Read", args: { file_path: "b" } } }),
  ended("STOP"),
);

async function played(answers: readonly Scripted[], request = asked(undefined, { model: GEMINI }), options = {}) {
  await using server = await scriptedServer(...answers);
  const { provider, clock } = providerAt(`${server.url}/v1beta`, wireOf("google"), {
    name: "google",
    keyFrom: "GEMINI_API_KEY",
    ...options,
  });
  const read = reading(provider.stream(request, never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, requests: [...server.requests] };
}

test("a request goes to the model's own path, with the key in a header", async () => {
  const { requests, error } = await played([stream(said({ text: "Hi." }), ended("STOP"))]);
  expect(error).toBeUndefined();
  expect(requests[0]).toMatchObject({
    path: `/v1beta/models/${GEMINI}:streamGenerateContent?alt=sse`,
    headers: { "x-goog-api-key": KEY },
    body: {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Hello." }] }],
      tools: [{ functionDeclarations: [{ name: "Read", description: "Reads a file." }] }],
      generationConfig: { maxOutputTokens: 1_000, thinkingConfig: { includeThoughts: true } },
    },
  });
});

test("a text replaces a picture of a type that Gemini doesn't accept", async () => {
  const gif = {
    type: "image",
    mediaType: "image/gif",
    data: "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==",
  } as const;
  const messages: readonly Message[] = [
    { role: "user", id: "u1", content: [gif, { type: "text", text: "What is it?" }] },
  ];
  const { requests } = await played(
    [stream(said({ text: "Hi." }), ended("STOP"))],
    asked(messages, { model: GEMINI }),
    { catalog: catalogOf({ images: true }) },
  );
  expect(requests[0]).toMatchObject({
    body: {
      contents: [
        {
          role: "user",
          parts: [{ text: "[An image was here; this model accepts no image/gif.]" }, { text: "What is it?" }],
        },
      ],
    },
  });
});

test("words behind results go with them, in one turn of the user", async () => {
  const call = { type: "tool_use", id: "c1", name: "Read", input: { file_path: "a" } } as const;
  const messages: readonly Message[] = [
    user("Read it."),
    { role: "assistant", id: "a1", model: GEMINI, content: [call], stopReason: "tool_use", usage: NO_USAGE },
    {
      role: "user",
      id: "u2",
      content: [
        { type: "tool_result", toolUseId: "c1", content: "apples", isError: false },
        { type: "text", text: "And hurry." },
      ],
    },
  ];
  const { requests } = await played([stream(said({ text: "Hi." }), ended("STOP"))], asked(messages, { model: GEMINI }));
  const [sent] = requests.map(
    ({ body }) => body as { contents: readonly { role: string; parts: readonly object[] }[] },
  );
  expect(sent?.contents.map(({ role, parts }) => [role, ...parts.map((part) => Object.keys(part)[0])])).toEqual([
    ["user", "text"],
    ["model", "functionCall"],
    ["user", "functionResponse", "text"],
  ]);
});

test("an answer gives thinking, text and calls with ids, and the usage with what was cached", async () => {
  const { events } = await played([CALLS]);
  const { content, stopReason, usage } = doneOf(events);
  expect(content).toEqual([
    { type: "thinking", thinking: "Let me see.", signature: '{"google":{"thoughtSignature":"c2lnLTE="}}' },
    { type: "text", text: "Looking." },
    {
      type: "tool_use",
      id: expect.any(String),
      name: "Read",
      input: { file_path: "ü😀" },
      signature: '{"google":{"thoughtSignature":"c2lnLTI="}}',
    },
    { type: "tool_use", id: expect.any(String), name: "Read", input: { file_path: "b" } },
  ] as never);
  const ids = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  expect(new Set(ids).size).toBe(2);
  expect([stopReason, usage]).toEqual([
    "tool_use",
    { inputTokens: 60, outputTokens: 10, cacheReadTokens: 40, cacheWriteTokens: 0 },
  ]);
});

test("signatures go back as they came, with the call that they belong to", async () => {
  await using server = await scriptedServer(CALLS, stream(said({ text: "Done." }), ended("STOP")));
  const { provider } = providerAt(`${server.url}/v1beta`, wireOf("google"), { name: "google" });
  const history: Message[] = [user("Go.")];
  const message = doneOf(await eventsOf(provider.stream(asked(history, { model: GEMINI }), never())));
  const ids = message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  history.push({ ...message, id: "a1" }, user(result(ids[0]!, "A"), result(ids[1]!, "Gone.", true)));
  await eventsOf(provider.stream(asked(history, { model: GEMINI }), never()));
  const [, model, answers] = server.requests[1]!.body.contents;
  expect(model.parts).toMatchObject([
    { text: "Let me see.", thought: true, thoughtSignature: "c2lnLTE=" },
    { text: "Looking." },
    { functionCall: { name: "Read", args: { file_path: "ü😀" } }, thoughtSignature: "c2lnLTI=" },
    { functionCall: { name: "Read", args: { file_path: "b" } } },
  ]);
  expect(
    answers.parts.map((part: { functionResponse: { response: object } }) => part.functionResponse.response),
  ).toMatchObject([{ content: "A" }, { content: "Error: Gone." }]);
});

test("signatures from another provider's history are not sent", async () => {
  const history: Message[] = [
    user("Go."),
    {
      role: "assistant",
      id: "a",
      provider: "openai",
      model: GEMINI,
      content: [
        { type: "thinking", thinking: "T", signature: '{"google":{"thoughtSignature":"evil"}}' },
        { type: "tool_use", id: "t", name: "Read", input: {}, signature: '{"google":{"thoughtSignature":"evil"}}' },
      ],
      stopReason: "tool_use",
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
    user(result("t", "A")),
  ];
  const { requests } = await played([stream(said({ text: "Hi." }), ended("STOP"))], asked(history, { model: GEMINI }));
  expect(JSON.stringify(requests[0]!.body)).not.toContain("evil");
});

test.each([
  ["STOP", "end_turn"],
  ["MAX_TOKENS", "max_tokens"],
  ["SAFETY", "refusal"],
  ["SOMETHING_NEW", "other"],
] as const)("the finish reason %s is %s", async (sent, told) => {
  const { events } = await played([stream(said({ text: "Half" }), ended(sent))]);
  expect(doneOf(events).stopReason).toBe(told);
});

test("a prompt that is blocked is a refusal", async () => {
  const { events } = await played([
    stream({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 5 } }),
  ]);
  expect(doneOf(events)).toMatchObject({ stopReason: "refusal", content: [] });
});

test("a call that the API could not read becomes one that says so", async () => {
  const broken = (finishMessage: string) =>
    stream(said({ text: "Look." }), {
      candidates: [{ content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL", finishMessage }],
    });
  const { events } = await played([broken("Malformed function call: print(default_api.Read(file_path='a'))")]);
  const { content, stopReason } = doneOf(events);
  expect(stopReason).toBe("tool_use");
  expect(content).toMatchObject([
    { type: "text" },
    { type: "tool_use", name: "Read", input: {}, malformed: { text: "file_path='a')" } },
  ]);
});

describe("a stream that breaks is made again", () => {
  const good = stream(said({ text: "Hi." }), ended("STOP"));
  const overload = { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } };
  test.each([
    ["without a finish", stream(said({ text: "Half" }))],
    ["by a cut", { ...stream(said({ text: "Half" })), isCut: true }],
    ["by an error event", stream(said({ text: "Half" }), overload)],
    ["with a call that the model got wrong", stream(said({ text: "Half" }), ended("MALFORMED_FUNCTION_CALL"))],
    [
      "by an event that is no JSON",
      {
        body: `data: ${JSON.stringify(said({ text: "Half" }))}\n\ndata: {oops\n\n`,
        headers: { "content-type": "text/event-stream" },
      },
    ],
  ])("%s", async (_name, broken) => {
    const { events, error } = await played([broken, good]);
    // The SDK ends an open text when a stream ends; of a cut, all that came may be lost.
    const told = kinds(events).filter((type) => type !== "block_done" && type !== "restarted");
    expect([error, told.slice(-3), retries(events).length]).toEqual([undefined, ["retry", "text_delta", "done"], 1]);
    if ("isCut" in broken) return;
    expect(kinds(events)).toContain("restarted");
    expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
  });

  test("a break before the first event counts as an overload", async () => {
    const { error, requests } = await played(
      [{ status: 503, body: JSON.stringify(overload) }],
      asked(undefined, { model: GEMINI, maxOverloads: 2 }),
    );
    expect([requests.length, error]).toEqual([2, expect.objectContaining({ kind: "overloaded", status: 503 })]);
  });
});

test.each([
  [
    "a key that is none",
    400,
    { error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } },
    /does not accept the key \(400\): check GEMINI_API_KEY\./,
    "other",
  ],
  [
    "a prompt that is too long",
    400,
    {
      error: {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    },
    /\(400\)/,
    "too_long",
  ],
  [
    "a model that is none",
    404,
    { error: { code: 404, message: "models/x is not found for API version v1beta", status: "NOT_FOUND" } },
    /has no model/,
    "other",
  ],
] as const)("%s is said at once", async (_name, status, body, message, kind) => {
  const { error, requests } = await played([{ status, body: JSON.stringify(body) }]);
  expect([requests.length, error]).toEqual([1, expect.objectContaining({ status, kind })]);
  expect((error as Error).message).toMatch(message);
});

test("the wait that a per-minute limit asks for is kept", async () => {
  const body = {
    error: {
      code: 429,
      message: "You exceeded your current quota.",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "9s" }],
    },
  };
  const { events, error } = await played([
    { status: 429, body: JSON.stringify(body) },
    stream(said({ text: "Hi." }), ended("STOP")),
  ]);
  expect([error, retries(events)]).toEqual([
    undefined,
    [expect.objectContaining({ delayMs: 9_000, status: 429 }) as never],
  ]);
});

test("a model that doesn't think is not asked for thoughts, and one that turns out not to is asked again without", async () => {
  const plain = await played([stream(said({ text: "Hi." }), ended("STOP"))], undefined, {
    catalog: catalogOf({ thinking: false }),
  });
  expect(plain.requests[0]!.body.generationConfig.thinkingConfig).toBeUndefined();
  const refusal = {
    error: { code: 400, message: "Thinking is not supported by this model.", status: "INVALID_ARGUMENT" },
  };
  const { error, requests } = await played([
    { status: 400, body: JSON.stringify(refusal) },
    stream(said({ text: "Hi." }), ended("STOP")),
  ]);
  expect([error, requests.map(({ body }) => "thinkingConfig" in body.generationConfig)]).toEqual([
    undefined,
    [true, false],
  ]);
});
