import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import type { OpenAiOptions } from "../../../src/wires/openai/options.ts";
import { ask, type Body } from "../../support/ask.ts";
import { askChat, CHAT, CHAT_TOOL, chatBody, errorOf, OPENAI_HEADERS } from "../../support/openai.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1").toString("base64");
const JPEG = Buffer.from("\xff\xd8\xff\xe0000", "latin1").toString("base64");
const PDF = Buffer.from("%PDF-1.7 000", "latin1").toString("base64");

const user = (content: unknown, more: Body = {}) => ({ role: "user", content, ...more });
const call = (id: string, more: Body = {}, fields: Body = {}) => ({
  id,
  type: "function",
  function: { name: "Read", arguments: "{}", ...more },
  ...fields,
});
const calls = (...list: unknown[]) => ({ role: "assistant", content: null, tool_calls: list });
const result = (id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });
const question = user("Hello.");
const talk = (...messages: unknown[]): Body => ({ messages });
const tool = (more: Body, fields: Body = {}): Body => ({
  tools: [{ ...CHAT_TOOL, ...fields, function: { ...CHAT_TOOL.function, ...more } }],
});
const parameters = (schema: unknown): Body => tool({ parameters: schema });
const image = (url: string) => user([{ type: "image_url", image_url: { url } }]);
const file = (data: string) => user([{ type: "file", file: { file_data: data, filename: "a.pdf" } }]);
const format = (schema: unknown, strict = true): Body => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict } },
});

type Case = [name: string, fields: Body, message: string, code?: string];

const REFUSED: Case[] = [
  // Fields of the request
  ["no model", { model: undefined }, "model: is required", "missing_required_parameter"],
  ["an empty model", { model: "" }, "model: must not be empty", "invalid_value"],
  ["a model that is a number", { model: 3 }, "model: must be a string, not a number", "invalid_type"],
  ["an unknown field", { foo: 1 }, "foo: is not a field that is known here", "unknown_parameter"],
  [
    "a field of another API",
    { max_output_tokens: 5 },
    "max_output_tokens: is not a field that is known here: use max_completion_tokens",
  ],
  ["functions of the past", { functions: [] }, "functions: is not a field that is known here: use tools"],
  ["stream as a string", { stream: "yes" }, "stream: must be true or false", "invalid_type"],
  ["temperature over 2", { temperature: 2.5 }, "temperature: must be at most 2", "integer_above_max_value"],
  ["max_tokens 0", { max_tokens: 0 }, "max_tokens: must be at least 1", "integer_below_min_value"],
  ["two limits of tokens", { max_tokens: 5, max_completion_tokens: 5 }, "max_tokens: cannot be given together with"],
  ["several choices", { n: 2 }, "n: must be at most 1"],
  [
    "five stops",
    { stop: ["a", "b", "c", "d", "e"] },
    "stop: must hold at most 4 items, not 5",
    "array_above_max_length",
  ],
  [
    "stream options without a stream",
    { stream_options: { include_usage: true } },
    "stream_options: can only be given when stream is true",
  ],
  ["a stray stream option", { stream: true, stream_options: { usage: true } }, "stream_options.usage: is not a field"],
  // Messages
  ["no messages", { messages: undefined }, "messages: is required", "missing_required_parameter"],
  ["an empty list of messages", talk(), "messages: must hold at least 1 item", "empty_array"],
  ["messages that are no list", { messages: "hi" }, "messages: must be an array, not a string", "invalid_type"],
  [
    "an unknown role",
    talk({ role: "robot", content: "x" }),
    'messages[0].role: "robot" is not one of',
    "invalid_value",
  ],
  [
    "the role function",
    talk(question, { role: "function", content: "x" }),
    'messages[1].role: the role "function" is of the past',
  ],
  ["a message without role", talk({ content: "x" }), "messages[0].role: is required"],
  ["a user message without content", talk({ role: "user" }), "messages[0].content: is required"],
  [
    "a user message of null",
    talk(user(null)),
    "messages[0].content: must be a string or a list, not null",
    "invalid_type",
  ],
  ["an empty list of content", talk(user([])), "messages[0].content: must hold at least 1 item", "empty_array"],
  ["a stray field of a message", talk(user("x", { id: "m1" })), "messages[0].id: is not a field", "unknown_parameter"],
  ["a name with a space", talk(user("x", { name: "a b" })), "messages[0].name:"],
  [
    "an image in system",
    talk({ role: "system", content: [{ type: "image_url", image_url: { url: "https://a/b" } }] }),
    'messages[0].content[0].type: a "image_url" part cannot stand in a message of the role system',
  ],
  ["an unknown part", talk(user([{ type: "video" }])), 'messages[0].content[0].type: "video" is not one of'],
  [
    "a part of Responses",
    talk(user([{ type: "input_text", text: "x" }])),
    'messages[0].content[0].type: "input_text" is not one of',
  ],
  [
    "an assistant message that says nothing",
    talk(question, { role: "assistant", content: null }),
    "messages[1].content: must be a string or a list, not null",
  ],
  ["an assistant message without anything", talk(question, { role: "assistant" }), "messages[1].content: must be"],
  ["half a surrogate pair", talk(user("a\ud83d")), "messages[0].content: holds half a surrogate pair"],
  // Media
  [
    "a JPEG that says PNG",
    talk(image(`data:image/png;base64,${JPEG}`)),
    "messages[0].content[0].image_url.url: says image/png, but the bytes are image/jpeg",
    "invalid_image_format",
  ],
  [
    "an image of no kind",
    talk(image(`data:image/bmp;base64,${PNG}`)),
    'messages[0].content[0].image_url.url: "image/bmp" is not one of',
    "invalid_image_format",
  ],
  [
    "an image that is no base64",
    talk(image("data:image/png;base64,a-b")),
    "image_url.url: is not valid base64",
    "invalid_base64",
  ],
  ["an empty image", talk(image("data:image/png;base64,")), "image_url.url: is not valid base64"],
  ["an image that is a path", talk(image("/tmp/a.png")), "image_url.url: is no data URL"],
  ["an image without an address", talk(user([{ type: "image_url", image_url: {} }])), "image_url.url: is required"],
  [
    "a PDF that is none",
    talk(file(`data:application/pdf;base64,${PNG}`)),
    "file.file_data: says application/pdf, but the bytes are image/png",
    "invalid_file_format",
  ],
  [
    "a file without anything",
    talk(user([{ type: "file", file: {} }])),
    "messages[0].content[0].file: must have file_data or file_id",
  ],
  // Tools
  ["an empty list of tools", { tools: [] }, "tools: must hold at least 1 item", "empty_array"],
  [
    "129 tools",
    { tools: Array.from({ length: 129 }, (_, index) => ({ ...CHAT_TOOL, function: { name: `t${index}` } })) },
    "tools: must hold at most 128 items, not 129",
  ],
  ["a tool's name with a dot", tool({ name: "a.b" }), 'tools[0].function.name: "a.b" must match'],
  ["a tool's name of 65 letters", tool({ name: "a".repeat(65) }), "tools[0].function.name:"],
  [
    "the same tool twice",
    { tools: [CHAT_TOOL, CHAT_TOOL] },
    'tools[1].function.name: names of tools must be unique, and "Read"',
  ],
  ["a tool as Responses has it", { tools: [{ type: "function", name: "Read" }] }, "tools[0].function: is required"],
  ["a tool of another kind", { tools: [{ type: "web_search" }] }, 'tools[0].type: "web_search" is not one of'],
  ["parameters that are a string", parameters("{}"), "tools[0].function.parameters: must be an object, not a string"],
  [
    "parameters without type",
    parameters({}),
    'tools[0].function.parameters.type: must be "object"',
    "invalid_function_parameters",
  ],
  ["parameters that are a list", parameters({ type: "array", items: {} }), 'parameters.type: must be "object"'],
  ["parameters without properties", parameters({ type: "object" }), "the schema of an object must have properties"],
  ...["anyOf", "oneOf", "allOf", "enum", "not"].map(
    (name): Case => [
      `parameters with ${name} at the top`,
      parameters({ type: "object", properties: {}, [name]: [{}] }),
      `are not taken at the top level (found ${name})`,
      "invalid_function_parameters",
    ],
  ),
  [
    "an array without items",
    parameters({ type: "object", properties: { a: { anyOf: [{ type: "array" }] } } }),
    "tools[0].function.parameters.properties.a.anyOf[0]: the schema of an array must have items",
  ],
  [
    "a strict function whose object is open",
    tool({ strict: true, parameters: { type: "object", properties: {} } }),
    "must have additionalProperties, and it must be false",
  ],
  [
    "a strict function with a property that is not required",
    tool({
      strict: true,
      parameters: { type: "object", additionalProperties: false, properties: { a: {}, b: {} }, required: ["b"] },
    }),
    "must require all of its properties; missing: a",
  ],
  [
    "a strict function that is open further down",
    tool({
      strict: true,
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["a"],
        properties: { a: { type: "array", items: { type: "object", properties: {} } } },
      },
    }),
    "tools[0].function.parameters.properties.a.items: a strict schema must have additionalProperties",
  ],
  [
    "a choice of an unknown tool",
    { tools: [CHAT_TOOL], tool_choice: { type: "function", function: { name: "Nope" } } },
    'tool_choice.function.name: there is no tool "Nope"',
  ],
  ["a choice without tools", { tool_choice: "auto" }, "tool_choice: can only be given together with tools"],
  ["a choice of an unknown kind", { tools: [CHAT_TOOL], tool_choice: "any" }, 'tool_choice: "any" is not one of'],
  [
    "parallel calls without tools",
    { parallel_tool_calls: true },
    "parallel_tool_calls: can only be given together with tools",
  ],
  // Calls and results
  [
    "an empty list of calls",
    talk(question, calls()),
    "messages[1].tool_calls: must hold at least 1 item",
    "empty_array",
  ],
  [
    "a call without id",
    talk(question, {
      role: "assistant",
      tool_calls: [{ type: "function", function: { name: "Read", arguments: "{}" } }],
    }),
    "messages[1].tool_calls[0].id: is required",
  ],
  [
    "a call's id of 41 letters",
    talk(question, calls(call("a".repeat(41))), result("a".repeat(41))),
    "messages[1].tool_calls[0].id:",
  ],
  ["an empty call id", talk(question, calls(call("")), result("")), "messages[1].tool_calls[0].id:"],
  [
    "a call without type",
    talk(question, calls({ id: "a", function: { name: "Read", arguments: "{}" } }), result("a")),
    "messages[1].tool_calls[0].type: is required",
  ],
  [
    "a call with its index",
    talk(question, calls(call("a", {}, { index: 0 })), result("a")),
    "messages[1].tool_calls[0].index: is not a field",
    "unknown_parameter",
  ],
  [
    "arguments that are an object",
    talk(question, calls(call("a", { arguments: {} })), result("a")),
    "messages[1].tool_calls[0].function.arguments: must be a string, not an object",
    "invalid_type",
  ],
  [
    "a call of a name with a space",
    talk(question, calls(call("a", { name: "a b" })), result("a")),
    "tool_calls[0].function.name:",
  ],
  [
    "the same id twice in a message",
    talk(question, calls(call("a"), call("a")), result("a")),
    "messages[1].tool_calls[1].id: ids must be unique in a message",
  ],
  [
    "a call that is never answered",
    talk(question, calls(call("a")), question),
    "messages[1]: tool_calls must be followed by messages of the role tool that answer each of them; without an answer: a",
  ],
  ["a call at the end", talk(question, calls(call("a"))), "without an answer: a"],
  ["one of two calls unanswered", talk(question, calls(call("a"), call("b")), result("a")), "without an answer: b"],
  ["an answer one message late", talk(question, calls(call("a")), question, result("a")), "without an answer: a"],
  [
    "an answer between two others",
    talk(question, calls(call("a"), call("b")), result("a"), question, result("b")),
    "without an answer: b",
  ],
  [
    "an answer to nothing",
    talk(question, result("a")),
    "messages[1].role: a message of the role tool must follow a message with tool_calls",
  ],
  [
    "an answer to another call",
    talk(question, calls(call("a")), result("a"), result("b")),
    "messages[3].tool_call_id: b is no call of the message before",
  ],
  [
    "two answers to a call",
    talk(question, calls(call("a")), result("a"), result("a")),
    "messages[3].tool_call_id: a second answer to a",
  ],
  [
    "an answer without id",
    talk(question, calls(call("a")), { role: "tool", content: "ok" }),
    "messages[2].tool_call_id: is required",
  ],
  [
    "an answer with an image",
    talk(question, calls(call("a")), result("a", [{ type: "image_url", image_url: { url: "https://a/b" } }])),
    'messages[2].content[0].type: a "image_url" part cannot stand in a message of the role tool',
  ],
  // Formats
  ["a format of no kind", { response_format: { type: "xml" } }, 'response_format.type: "xml" is not one of'],
  [
    "a format without a name",
    { response_format: { type: "json_schema", json_schema: { schema: {} } } },
    "response_format.json_schema.name: is required",
  ],
  [
    "a strict format whose object is open",
    format({ type: "object", properties: {} }),
    "response_format.json_schema.schema: a strict schema must have additionalProperties",
    "invalid_json_schema",
  ],
  [
    "a strict format with a property that is not required",
    format({ type: "object", additionalProperties: false, properties: { a: {} } }),
    "missing: a",
  ],
  ["a strict format that is no object", format({ type: "string" }), 'a strict schema must be of the type "object"'],
  [
    "JSON without the word",
    { response_format: { type: "json_object" } },
    "messages: must hold the word json somewhere",
  ],
];

const ACCEPTED: [name: string, fields: Body][] = [
  ["the smallest request", {}],
  [
    "every sampling field",
    {
      temperature: 2,
      top_p: 1,
      presence_penalty: -2,
      frequency_penalty: 2,
      seed: -1,
      n: 1,
      stop: "x",
      logprobs: true,
      top_logprobs: 3,
    },
  ],
  [
    "null where the API takes it",
    { temperature: null, max_tokens: null, stop: null, stream: null, tool_choice: null, response_format: null },
  ],
  ["a stream with usage", { stream: true, stream_options: { include_usage: true } }],
  [
    "all roles",
    talk(
      { role: "system", content: "a" },
      { role: "developer", content: [{ type: "text", text: "b" }] },
      question,
      { role: "assistant", content: "c" },
      user("d", { name: "eve" }),
    ),
  ],
  [
    "messages of one role in a row, the assistant's last",
    talk(question, question, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }),
  ],
  ["an assistant's refusal", talk(question, { role: "assistant", content: null, refusal: "No." }, question)],
  [
    "an assistant's refusal part",
    talk(question, { role: "assistant", content: [{ type: "refusal", refusal: "No." }] }, question),
  ],
  [
    "reasoning that comes back",
    talk(question, { role: "assistant", content: "a", reasoning_content: "Hm." }, question),
  ],
  ["an image from the web", talk(image("https://example.org/a.png"))],
  ["an image in the request", talk(image(`data:image/png;base64,${PNG}`))],
  ["a PDF in the request", talk(file(`data:application/pdf;base64,${PDF}`))],
  ["a tool without parameters", tool({ parameters: undefined })],
  [
    "a strict function",
    tool({
      strict: true,
      parameters: {
        type: "object",
        additionalProperties: false,
        properties: { a: { type: "string" } },
        required: ["a"],
      },
    }),
  ],
  [
    "a named choice",
    { tools: [CHAT_TOOL], tool_choice: { type: "function", function: { name: "Read" } }, parallel_tool_calls: false },
  ],
  ["no choice without tools", { tool_choice: "none" }],
  [
    "several calls answered in any order",
    talk(question, calls(call("a"), call("b")), result("b"), result("a", [{ type: "text", text: "ok" }]), question),
  ],
  ["a call's id of 40 letters", talk(question, calls(call("a".repeat(40))), result("a".repeat(40)))],
  ["an id used again in a later message", talk(question, calls(call("a")), result("a"), calls(call("a")), result("a"))],
  ["calls with text", talk(question, { ...calls(call("a")), content: "Look." }, result("a"))],
  ["calls with empty text", talk(question, { ...calls(call("a")), content: "" }, result("a", ""))],
  ["arguments that are not JSON", talk(question, calls(call("a", { arguments: '{"a' })), result("a"))],
  ["a call of a tool that is not declared", talk(question, calls(call("a", { name: "Gone" })), result("a"))],
  [
    "a strict format",
    format({ type: "object", additionalProperties: false, properties: { a: { type: "string" } }, required: ["a"] }),
  ],
  ["a loose format", format({ type: "object", properties: { a: {} } }, false)],
  ["JSON with the word", { response_format: { type: "json_object" }, messages: [user("Answer in JSON.")] }],
];

describe("a request is refused for", () => {
  test.each(REFUSED.map(([name, fields, message, code]) => [name, fields, message, code ?? null] as const))(
    "%s",
    async (_name, fields, message, code) => {
      const answer = await askChat(twin, fields);
      const error = errorOf(answer);

      expect(answer.status).toBe(400);
      expect(error.message).toContain(message);
      expect(error.type).toBe("invalid_request_error");
      expect(answer.headers.get("x-request-id")).toStartWith("req_twin_");
      if (code !== null) expect(error.code).toBe(code);
    },
  );
});

test.each(ACCEPTED)("accepted is %s", async (_name, fields) => {
  const answer = await askChat(twin, fields);

  expect({ status: answer.status, error: errorOf({ ...answer, json: answer.json ?? {} }) }).toEqual({
    status: 200,
    error: undefined as never,
  });
});

test("a refusal is told as the API tells it, and all faults are recorded", async () => {
  const answer = await askChat(twin, { foo: 1, messages: [{ role: "user" }] });

  expect(answer.json).toEqual({
    error: {
      message: "messages[0].content: is required",
      type: "invalid_request_error",
      param: "messages[0].content",
      code: "missing_required_parameter",
    },
  });
  expect(twin.requests.at(-1)?.rejected).toEqual([
    "messages[0].content: is required",
    "foo: is not a field that is known here",
  ]);
});

test("a refused request takes no reply from the scenario", async () => {
  await using short = await startTwin({ scenario: [reply("First.")] });
  await askChat(short, { foo: 1 });

  expect((await askChat(short)).json).toMatchObject({ choices: [{ message: { content: "First." } }] });
});

describe("the key", () => {
  const { authorization: _bearer, ...keyless } = OPENAI_HEADERS;
  const withHeaders = (server: Twin, headers: Record<string, string>) =>
    ask(server, chatBody(), { path: CHAT, headers });

  test.each([
    ["is missing", keyless],
    ["is empty", { ...keyless, authorization: "Bearer " }],
    ["is no Bearer token", { ...keyless, authorization: "Basic abc" }],
    ["is in Anthropic's header", { ...keyless, "x-api-key": "k" }],
  ])("that %s is refused with 401", async (_name, headers) => {
    expect(await withHeaders(twin, headers)).toMatchObject({
      status: 401,
      json: { error: { type: "invalid_request_error", param: null, code: null } },
    });
  });

  test("must be the very one that the twin was given", async () => {
    await using locked = await startTwin({ scenario: [reply("In.")], apiKey: "right" });

    expect(await withHeaders(locked, OPENAI_HEADERS)).toMatchObject({
      status: 401,
      json: { error: { code: "invalid_api_key" } },
    });
    expect((await withHeaders(locked, { ...keyless, authorization: "Bearer right" })).status).toBe(200);
  });

  test("is not asked for by a local server", async () => {
    await using local = await startTwin({ scenario: [reply("In.")], openai: { requireKey: false } });

    expect((await withHeaders(local, keyless)).status).toBe(200);
  });
});

describe("what is not a request", () => {
  test.each([
    ["broken JSON", "{", "the body is not valid JSON:"],
    ["nothing", "", "the body is not valid JSON: it is empty"],
    ["a list", "[]", "must be an object, not an array"],
  ])("is refused with 400: %s", async (_name, content, message) => {
    const answer = await ask(twin, content, { path: CHAT, headers: OPENAI_HEADERS });

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });

  test("is refused with 413 when it is larger than 32 MB", async () => {
    const answer = await askChat(twin, talk(user("x".repeat(33 * 1024 * 1024))));

    expect(answer).toMatchObject({ status: 413, json: { error: { type: "invalid_request_error" } } });
  });

  test("gets 405 with another method", async () => {
    const response = await fetch(`${twin.url}${CHAT}`, { headers: OPENAI_HEADERS });

    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test("gets 404 for a model that does not exist", async () => {
    await using few = await startTwin({ scenario: [reply("Hi.")], models: ["gpt-known"] });

    expect(await askChat(few)).toMatchObject({
      status: 404,
      json: { error: { type: "invalid_request_error", code: "model_not_found", param: "model" } },
    });
    expect((await askChat(few, { model: "gpt-known" })).status).toBe(200);
  });

  test("is refused as too long when it passes the context window", async () => {
    await using small = await startTwin({ scenario: [reply("Hi.")], contextWindowTokens: 100 });
    const answer = await askChat(small, talk(user("x".repeat(400))));

    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toEqual({
      message: "this model's maximum context length is 100 tokens, and the messages resulted in 104 tokens",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    });
    expect((await askChat(small)).status).toBe(200);
  });
});

test("a compatible server's own path is served too", async () => {
  const answer = await ask(twin, chatBody(), { path: "/api/openai/v1/chat/completions?x=1", headers: OPENAI_HEADERS });

  expect(answer.status).toBe(200);
});

describe("a model that reasons", () => {
  const openai: OpenAiOptions = { reasoningModels: ["o9"] };
  const judge = async (fields: Body) => {
    await using server = await startTwin({ scenario: () => reply("Hi."), openai });
    return await askChat(server, fields);
  };

  test.each<Case>([
    [
      "max_tokens",
      { model: "o9", max_tokens: 50 },
      "max_tokens: is not supported with this model: use max_completion_tokens",
      "unsupported_parameter",
    ],
    [
      "a temperature",
      { model: "o9", temperature: 0.2 },
      "temperature: this model takes the default (1) only, not 0.2",
      "unsupported_value",
    ],
    ["top_p", { model: "o9", top_p: 0.5 }, "top_p: this model takes the default (1) only", "unsupported_value"],
    [
      "an effort, where it doesn't reason",
      { model: "gpt-test", reasoning_effort: "low" },
      "reasoning_effort: is not supported with this model",
      "unsupported_parameter",
    ],
  ])("refuses %s", async (_name, fields, message, code) => {
    const answer = await judge(fields);

    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ message: expect.stringContaining(message), code: code! });
  });

  test.each<[string, Body]>([
    ["max_completion_tokens and an effort", { model: "o9", max_completion_tokens: 50, reasoning_effort: "high" }],
    ["sampling at its defaults", { model: "o9", temperature: 1, top_p: 1, presence_penalty: 0, logprobs: false }],
    ["max_tokens, where it doesn't reason", { model: "gpt-test", max_tokens: 50, temperature: 0.2 }],
  ])("takes %s", async (_name, fields) => {
    expect((await judge(fields)).status).toBe(200);
  });
});

describe("a weaker server", () => {
  const judge = async (openai: OpenAiOptions, fields: Body) => {
    await using server = await startTwin({ scenario: () => reply("Hi."), openai });
    return await askChat(server, fields);
  };
  const system = talk({ role: "system", content: "x" }, question);
  const developer = talk({ role: "developer", content: "x" }, question);
  const twoCalls = talk(question, calls(call("a"), call("b")), result("a"), result("b"));
  const broken = talk(question, calls(call("a", { arguments: '{"a' })), result("a"));

  test.each<[string, OpenAiOptions, Body, string]>([
    [
      "without a system role",
      { chat: { roles: "no_system" } },
      system,
      'messages[0].role: the role "system" is not supported by this server',
    ],
    [
      "without a system role, asked as a developer",
      { chat: { roles: "no_system" } },
      developer,
      'the role "developer" is not supported',
    ],
    [
      "without a developer role",
      { chat: { roles: "no_developer" } },
      developer,
      'the role "developer" is not supported',
    ],
    [
      "without parallel calls",
      { chat: { parallelCalls: false } },
      twoCalls,
      "messages[1].tool_calls: this server takes a single tool call at once, and 2 were found",
    ],
    [
      "without stream options",
      { chat: { streamOptions: false } },
      { stream: true, stream_options: { include_usage: true } },
      "stream_options: is not a field that is known here",
    ],
    [
      "that reads arguments",
      { chat: { jsonArguments: true } },
      broken,
      "messages[1].tool_calls[0].function.arguments: is not valid JSON",
    ],
    [
      "with ids of nine letters",
      { chat: { callIds: "nine_letters" } },
      talk(question, calls(call("call_1")), result("call_1")),
      'messages[1].tool_calls[0].id: "call_1" must match',
    ],
    [
      "that takes no reasoning back",
      { chat: { returnedReasoning: "refused" } },
      talk(question, { role: "assistant", content: "a", reasoning_content: "Hm." }),
      "messages[1].reasoning_content: is not a field",
    ],
    [
      "without a field of the API",
      { missingFields: ["reasoning_effort"] },
      { reasoning_effort: "low" },
      "reasoning_effort: is not a field that is known here",
    ],
    [
      "with one field of its own, for another",
      { extraFields: ["thinking"] },
      { thinking: 1, reasoning: 2 },
      "reasoning: is not a field",
    ],
  ])("%s refuses", async (_name, openai, fields, message) => {
    const answer = await judge(openai, fields);

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });

  test.each<[string, OpenAiOptions, Body]>([
    ["without a developer role takes the system's", { chat: { roles: "no_developer" } }, system],
    [
      "that ignores what it doesn't know takes any field",
      { refuseUnknownFields: false },
      { foo: 1, enable_thinking: true },
    ],
    ["with a field of its own takes it", { extraFields: ["thinking"] }, { thinking: { type: "enabled" } }],
    [
      "that ignores what it doesn't know takes a field that it doesn't have",
      { refuseUnknownFields: false, missingFields: ["seed"] },
      { seed: "any" },
    ],
    [
      "that sees images in results",
      { chat: { imagesInResults: true } },
      talk(question, calls(call("a")), result("a", [{ type: "image_url", image_url: { url: "https://a/b" } }])),
    ],
    [
      "with ids of nine letters takes them",
      { chat: { callIds: "nine_letters" } },
      talk(question, calls(call("abcDEF123")), result("abcDEF123")),
    ],
  ])("%s", async (_name, openai, fields) => {
    expect((await judge(openai, fields)).status).toBe(200);
  });

  test("that ignores fields still judges those that it knows", async () => {
    const answer = await judge({ refuseUnknownFields: false }, { foo: 1, temperature: 9 });

    expect(errorOf(answer).message).toBe("temperature: must be at most 2, not 9");
  });
});

describe("reasoning that must come back", () => {
  const scenario = [
    reply([thinking("Hm, "), thinking("so."), text("Look."), toolUse("Read", {}, "t1")]),
    reply("Done."),
  ];

  async function sendBack(message: Body, ...more: unknown[]) {
    await using server = await startTwin({ scenario, openai: { chat: { returnedReasoning: "required" } } });
    await askChat(server, { tools: [CHAT_TOOL] });
    const answered = { ...calls(call("t1")), content: "Look.", ...message };
    return await askChat(server, { tools: [CHAT_TOOL], messages: [question, answered, result("t1"), ...more] });
  }

  test.each<[string, Body]>([
    ["its own field", { reasoning_content: "Hm, so." }],
    ["the other field", { reasoning: "Hm, so." }],
  ])("is accepted in %s", async (_name, message) => {
    expect((await sendBack(message)).status).toBe(200);
  });

  test.each<[string, Body]>([
    ["left out", {}],
    ["altered", { reasoning_content: "Hm, no." }],
    ["cut", { reasoning_content: "Hm, " }],
  ])("is refused when it was %s in an open loop", async (_name, message) => {
    const answer = await sendBack(message);

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toStartWith("messages[1].reasoning_content: must be the reasoning that was sent");
  });

  test("may be left out when the loop is closed", async () => {
    expect((await sendBack({}, { role: "assistant", content: "Done." }, question)).status).toBe(200);
  });

  test("is not asked of a call that was sent without", async () => {
    await using server = await startTwin({
      scenario: () => reply("Hi."),
      openai: { chat: { returnedReasoning: "required" } },
    });

    expect((await askChat(server, talk(question, calls(call("x")), result("x")))).status).toBe(200);
  });
});
