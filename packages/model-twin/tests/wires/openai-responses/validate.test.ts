import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { sealReasoning } from "../../../src/wires/openai-responses/sent-items.ts";
import { ask, type Body } from "../../support/ask.ts";
import {
  askResponses,
  errorOf,
  OPENAI_HEADERS,
  RESPONSES,
  RESPONSES_TOOL,
  responsesBody,
} from "../../support/openai.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1").toString("base64");
const WEBP = Buffer.from("RIFF0000WEBPVP8 ", "latin1").toString("base64");
const PDF = Buffer.from("%PDF-1.7 000", "latin1").toString("base64");

const user = (content: unknown, more: Body = {}) => ({ role: "user", content, ...more });
const said = (content: unknown, more: Body = {}) => ({ role: "assistant", content, ...more });
const call = (id: string, more: Body = {}) => ({
  type: "function_call",
  call_id: id,
  name: "Read",
  arguments: "{}",
  ...more,
});
const output = (id: string, value: unknown = "ok", more: Body = {}) => ({
  type: "function_call_output",
  call_id: id,
  output: value,
  ...more,
});
const thought = (text: string, more: Body = {}) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text }],
  encrypted_content: sealReasoning("rs_1", text),
  ...more,
});
const question = user("Hello.");
const talk = (...input: unknown[]): Body => ({ input });
const stateless = (...input: unknown[]): Body => ({ input, store: false, include: ["reasoning.encrypted_content"] });
const tool = (more: Body): Body => ({ tools: [{ ...RESPONSES_TOOL, ...more }] });
const image = (url: string) => user([{ type: "input_image", image_url: url }]);
const file = (data: string) => user([{ type: "input_file", file_data: data, filename: "a.pdf" }]);
const format = (schema: unknown, strict = true): Body => ({
  text: { format: { type: "json_schema", name: "answer", schema, strict } },
});

type Case = [name: string, fields: Body, message: string, code?: string | undefined, status?: number];

const REFUSED: Case[] = [
  // Fields of the request
  ["no model", { model: undefined }, "model: is required", "missing_required_parameter"],
  ["no input", { input: undefined }, "input: is required", "missing_required_parameter"],
  ["an empty input", { input: "" }, "input: must not be empty"],
  ["an empty list", talk(), "input: must hold at least 1 item", "empty_array"],
  ["an input that is a number", { input: 3 }, "input: must be a string or a list, not a number", "invalid_type"],
  ["an unknown field", { foo: 1 }, "foo: is not a field that is known here", "unknown_parameter"],
  ...[
    ["messages", "input"],
    ["max_tokens", "max_output_tokens"],
    ["max_completion_tokens", "max_output_tokens"],
    ["response_format", "text.format"],
    ["reasoning_effort", "reasoning.effort"],
  ].map(
    ([name, moved]): Case => [
      `${name} of Chat Completions`,
      { [name!]: 5 },
      `${name}: is not supported by this API: use ${moved}`,
      "unsupported_parameter",
    ],
  ),
  [
    "15 output tokens",
    { max_output_tokens: 15 },
    "max_output_tokens: must be at least 16, not 15",
    "integer_below_min_value",
  ],
  [
    "a background run",
    { background: true },
    "background: this server answers in the foreground only",
    "unsupported_value",
  ],
  ["an unknown include", { include: ["everything"] }, 'include[0]: "everything" is not one of'],
  ["an effort of no kind", { reasoning: { effort: "extreme" } }, 'reasoning.effort: "extreme" is not one of'],
  ["a stray field of reasoning", { reasoning: { budget: 5 } }, "reasoning.budget: is not a field"],
  [
    "stream options without a stream",
    { stream_options: { include_obfuscation: false } },
    "stream_options: can only be given when",
  ],
  [
    "usage as a stream option",
    { stream: true, stream_options: { include_usage: true } },
    "stream_options.include_usage: is not a field",
  ],
  [
    "a response that is not kept",
    { previous_response_id: "resp_x" },
    "previous_response_id: there is no response resp_x",
    "previous_response_not_found",
  ],
  // Messages
  [
    "the role tool",
    talk({ role: "tool", content: "x" }),
    'input[0].role: there is no role "tool" here: use an item of the type function_call_output',
  ],
  ["an unknown role", talk({ role: "robot", content: "x" }), 'input[0].role: "robot" is not one of'],
  ["an item of no kind", talk({ type: "tool_result" }), 'input[0].type: "tool_result" is not one of'],
  ["an item without type and role", talk({ content: "x" }), "input[0].type: is required"],
  ["a message without content", talk({ role: "user" }), "input[0].content: is required"],
  [
    "a part of Chat Completions",
    talk(user([{ type: "text", text: "x" }])),
    'input[0].content[0].type: "text" is not one of',
  ],
  [
    "what a user says as the assistant's",
    talk(question, said([{ type: "input_text", text: "x" }])),
    'input[1].content[0].type: a "input_text" part cannot stand in a message of the role assistant: it takes output_text, refusal',
  ],
  [
    "what the assistant says as a user's",
    talk(user([{ type: "output_text", text: "x" }])),
    'a "output_text" part cannot stand in a message of the role user',
  ],
  [
    "an image in system",
    talk({ role: "system", content: [{ type: "input_image", image_url: "https://a/b" }] }),
    "cannot stand in a message of the role system",
  ],
  [
    "a stray field of a message",
    talk(user("x", { name: "eve" })),
    "input[0].name: is not a field",
    "unknown_parameter",
  ],
  ["a message's id of another kind", talk(question, said("x", { id: "rs_1" })), 'input[1].id: "rs_1" must match ^msg'],
  ["half a surrogate pair", talk(user("a\ud83d")), "input[0].content: holds half a surrogate pair"],
  // Media
  [
    "a PNG that says WebP",
    talk(image(`data:image/webp;base64,${PNG}`)),
    "input[0].content[0].image_url: says image/webp, but the bytes are image/png",
    "invalid_image_format",
  ],
  [
    "an image as Chat Completions has it",
    talk(user([{ type: "input_image", image_url: { url: "https://a/b" } }])),
    "input[0].content[0].image_url: must be a string, not an object",
  ],
  [
    "an image without anything",
    talk(user([{ type: "input_image" }])),
    "input[0].content[0]: must have image_url or file_id",
  ],
  [
    "a PDF that is none",
    talk(file(`data:application/pdf;base64,${PNG}`)),
    "input[0].content[0].file_data: says application/pdf, but the bytes are image/png",
  ],
  ["a file without anything", talk(user([{ type: "input_file" }])), "must have file_data, file_url or file_id"],
  [
    "a wrong image in an output",
    talk(question, call("a"), output("a", [{ type: "input_image", image_url: `data:image/gif;base64,${WEBP}` }])),
    "input[2].output[0].image_url: says image/gif, but the bytes are image/webp",
  ],
  // Tools
  [
    "a tool as Chat Completions has it",
    { tools: [{ type: "function", function: { name: "Read" } }] },
    "tools[0].name: is required",
    "missing_required_parameter",
  ],
  ["a tool's name with a dot", tool({ name: "a.b" }), 'tools[0].name: "a.b" must match'],
  ["the same tool twice", { tools: [RESPONSES_TOOL, RESPONSES_TOOL] }, "tools[1].name: names of tools must be unique"],
  [
    "129 tools",
    { tools: Array.from({ length: 129 }, (_, index) => ({ type: "function", name: `t${index}` })) },
    "tools: must hold at most 128 items",
  ],
  ["a tool that the server lacks", { tools: [{ type: "computer" }] }, 'tools[0].type: "computer" is not one of'],
  [
    "parameters with oneOf at the top",
    tool({ parameters: { type: "object", properties: {}, oneOf: [] } }),
    "tools[0].parameters: anyOf, oneOf, allOf, enum and not are not taken at the top level (found oneOf)",
    "invalid_function_parameters",
  ],
  [
    "a strict function whose object is open",
    tool({ strict: true }),
    "tools[0].parameters: a strict schema must have additionalProperties",
  ],
  [
    "a choice of an unknown tool",
    { tools: [RESPONSES_TOOL], tool_choice: { type: "function", name: "Nope" } },
    'tool_choice.name: there is no tool "Nope"',
  ],
  [
    "a choice as Chat Completions has it",
    { tools: [RESPONSES_TOOL], tool_choice: { type: "function", function: { name: "Read" } } },
    "tool_choice.name: is required",
  ],
  [
    "a choice that is required without tools",
    { tool_choice: "required" },
    "tool_choice: can only be given together with tools",
  ],
  [
    "parallel calls without tools",
    { parallel_tool_calls: false },
    "parallel_tool_calls: can only be given together with tools",
  ],
  // Calls and outputs
  ["a call's id of 65 letters", talk(question, call("a".repeat(65)), output("a".repeat(65))), "input[1].call_id:"],
  [
    "a call without call_id",
    talk(question, { type: "function_call", name: "Read", arguments: "{}" }),
    "input[1].call_id: is required",
  ],
  [
    "a call whose id is its call_id",
    talk(question, call("call_1", { id: "call_1" }), output("call_1")),
    'input[1].id: "call_1" must match ^fc',
  ],
  [
    "arguments that are an object",
    talk(question, call("a", { arguments: {} }), output("a")),
    "input[1].arguments: must be a string, not an object",
  ],
  [
    "an output that is an object",
    talk(question, call("a"), output("a", { ok: true })),
    "input[2].output: must be an array, not an object",
  ],
  [
    "an output without a value",
    talk(question, call("a"), { type: "function_call_output", call_id: "a" }),
    "input[2].output: is required",
  ],
  [
    "the same call twice",
    talk(question, call("a"), call("a"), output("a")),
    "input[2].call_id: ids of calls must be unique",
  ],
  [
    "a call that is never answered",
    talk(question, call("a"), question),
    "input[1]: no function_call_output was found for the call a",
  ],
  [
    "an output before its call",
    talk(question, output("a"), call("a")),
    "input[2]: no function_call_output was found for the call a",
  ],
  [
    "one of two calls unanswered",
    talk(question, call("a"), call("b"), output("a")),
    "input[2]: no function_call_output was found for the call b",
  ],
  [
    "an output of nothing",
    talk(question, output("a")),
    "input[1].call_id: no function_call was found for the output of a",
  ],
  [
    "two outputs of a call",
    talk(question, call("a"), output("a"), output("a")),
    "input[3].call_id: a second output of a",
  ],
  // Reasoning
  [
    "reasoning without a summary",
    stateless(question, { type: "reasoning", encrypted_content: "x" }, said("a")),
    "input[1].summary: is required",
  ],
  [
    "reasoning with a status",
    stateless(question, thought("Hm.", { status: null }), said("a")),
    "input[1].status: is not a field",
    "unknown_parameter",
  ],
  [
    "reasoning whose id is of another kind",
    stateless(question, thought("Hm.", { id: "msg_1" }), said("a")),
    'input[1].id: "msg_1" must match ^rs',
  ],
  [
    "reasoning at the end",
    stateless(question, thought("Hm.")),
    "input[1]: a reasoning item must be followed by the message or the call",
  ],
  [
    "reasoning before a question",
    stateless(question, thought("Hm."), question),
    "input[1]: a reasoning item must be followed by",
  ],
  [
    "reasoning before an output",
    stateless(question, call("a"), thought("Hm."), output("a")),
    "input[2]: a reasoning item must be followed by",
  ],
  [
    "reasoning that nobody sealed",
    stateless(question, thought("Hm.", { encrypted_content: "gAAA" }), said("a")),
    "input[1].encrypted_content: could not be verified",
    "invalid_encrypted_content",
  ],
  [
    "reasoning whose summary is altered",
    stateless(question, { ...thought("Hm."), summary: [{ type: "summary_text", text: "Ha." }] }, said("a")),
    "input[1].encrypted_content: could not be verified",
  ],
  [
    "reasoning of another item",
    stateless(question, thought("Hm.", { id: "rs_2" }), said("a")),
    "input[1].encrypted_content: could not be verified",
  ],
  [
    "reasoning that is not kept",
    stateless(question, thought("Hm.", { encrypted_content: undefined }), said("a")),
    "input[1]: there is no item rs_1; items are not kept while store is false",
    undefined,
    404,
  ],
  [
    "reasoning that was never kept",
    talk(question, thought("Hm.", { encrypted_content: null }), said("a")),
    "input[1]: there is no item rs_1",
    undefined,
    404,
  ],
  [
    "reasoning without id and content",
    stateless(question, { type: "reasoning", summary: [] }, said("a")),
    "input[1]: must have encrypted_content, or the id of an item that is kept",
  ],
  [
    "a reference to nothing",
    talk(question, { type: "item_reference", id: "msg_x" }),
    "input[1]: there is no item msg_x",
    undefined,
    404,
  ],
  // Formats
  [
    "a format as Chat Completions has it",
    { text: { format: { type: "json_schema", json_schema: {} } } },
    "text.format.name: is required",
  ],
  [
    "a strict format whose object is open",
    format({ type: "object", properties: {} }),
    "text.format.schema: a strict schema must have additionalProperties",
    "invalid_json_schema",
  ],
  ["JSON without the word", { text: { format: { type: "json_object" } } }, "input: must hold the word json somewhere"],
];

const ACCEPTED: [name: string, fields: Body][] = [
  ["the smallest request", {}],
  [
    "every plain field",
    {
      instructions: "x",
      temperature: 2,
      top_p: 0,
      max_output_tokens: 16,
      metadata: { a: "b" },
      truncation: "auto",
      user: "u",
      prompt_cache_key: "k",
      service_tier: "auto",
      text: { verbosity: "low" },
    },
  ],
  [
    "null where the API takes it",
    {
      instructions: null,
      temperature: null,
      reasoning: null,
      include: null,
      store: null,
      previous_response_id: null,
      background: false,
    },
  ],
  ["no tools", { tools: [] }],
  [
    "all roles",
    talk(
      { role: "system", content: "a" },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "b" }] },
      question,
      said("c"),
      question,
    ),
  ],
  [
    "the assistant's own items",
    talk(question, {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "x", annotations: [], logprobs: [] }],
    }),
  ],
  ["an assistant's refusal", talk(question, said([{ type: "refusal", refusal: "No." }]), question)],
  [
    "images and files",
    talk(
      image(`data:image/png;base64,${PNG}`),
      image("https://example.org/a.png"),
      file(`data:application/pdf;base64,${PDF}`),
    ),
  ],
  [
    "an output of parts",
    talk(
      question,
      call("a"),
      output("a", [
        { type: "input_text", text: "ok" },
        { type: "input_image", image_url: `data:image/webp;base64,${WEBP}`, detail: "high" },
      ]),
    ),
  ],
  ["an empty output", talk(question, call("a"), output("a", ""))],
  [
    "several calls answered in any order",
    talk(question, call("a", { id: "fc_1", status: "completed" }), call("b"), output("b"), output("a"), question),
  ],
  ["text between a call and its output", talk(question, call("a"), said("Wait."), output("a"))],
  ["a call's id of 64 letters", talk(question, call("a".repeat(64)), output("a".repeat(64)))],
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
  ["a tool without parameters", tool({ parameters: null, strict: null })],
  [
    "a named choice",
    { tools: [RESPONSES_TOOL], tool_choice: { type: "function", name: "Read" }, parallel_tool_calls: true },
  ],
  ["an automatic choice without tools", { tool_choice: "auto" }],
  ["reasoning of a twin, with its message", stateless(question, thought("Hm."), said("a"), question)],
  ["reasoning without its id", stateless(question, thought("Hm.", { id: undefined }), call("a"), output("a"))],
  ["reasoning whose summary was not asked for", stateless(question, { ...thought("Hm."), summary: [] }, said("a"))],
  ["two thoughts in a row", stateless(question, thought("Hm."), thought("Ha."), call("a"), output("a"))],
  ["a strict format", format({ type: "object", additionalProperties: false, properties: {}, required: [] })],
  [
    "JSON with the word in the instructions",
    { instructions: "Answer in JSON.", text: { format: { type: "json_object" } } },
  ],
];

describe("a request is refused for", () => {
  test.each(
    REFUSED.map(
      ([name, fields, message, code, status]) => [name, fields, message, code ?? null, status ?? 400] as const,
    ),
  )("%s", async (_name, fields, message, code, status) => {
    const answer = await askResponses(twin, fields);
    const error = errorOf(answer);

    expect(answer.status).toBe(status);
    expect(error.message).toContain(message);
    expect(error.type).toBe("invalid_request_error");
    if (code !== null) expect(error.code).toBe(code);
  });
});

test.each(ACCEPTED)("accepted is %s", async (_name, fields) => {
  const answer = await askResponses(twin, fields);

  expect(answer.json).toMatchObject({ status: "completed", object: "response", error: null });
  expect(answer.status).toBe(200);
});

test("a refusal is told as the API tells it, and all faults are recorded", async () => {
  const answer = await askResponses(twin, talk(question, call("a"), output("b")));

  expect(answer.json).toEqual({
    error: {
      message: "input[1]: no function_call_output was found for the call a",
      type: "invalid_request_error",
      param: "input[1]",
      code: "invalid_value",
    },
  });
  expect(twin.requests.at(-1)?.rejected).toEqual([
    "input[1]: no function_call_output was found for the call a",
    "input[2].call_id: no function_call was found for the output of b",
  ]);
});

test("a request without a key is refused with 401", async () => {
  const { authorization: _bearer, ...headers } = OPENAI_HEADERS;

  expect((await ask(twin, responsesBody(), { path: RESPONSES, headers })).status).toBe(401);
});

test("a path below the endpoint gets 404", async () => {
  const answer = await ask(twin, {}, { path: `${RESPONSES}/resp_1/cancel`, headers: OPENAI_HEADERS });

  expect(answer).toMatchObject({ status: 404, json: { error: { type: "invalid_request_error" } } });
});

test("a prompt that passes the context window is refused as too long", async () => {
  await using small = await startTwin({ scenario: [reply("Hi.")], contextWindowTokens: 100 });
  const answer = await askResponses(small, { input: "x".repeat(400) });

  expect(errorOf(answer)).toMatchObject({ code: "context_length_exceeded", param: "input" });
  expect((await askResponses(small)).status).toBe(200);
});

describe("a model", () => {
  const judge = async (fields: Body) => {
    await using server = await startTwin({ scenario: () => reply("Hi."), openai: { reasoningModels: ["o9"] } });
    return await askResponses(server, fields);
  };

  test.each<Case>([
    [
      "that reasons refuses a temperature",
      { model: "o9", temperature: 0.2 },
      "temperature: this model takes the default (1) only",
      "unsupported_value",
    ],
    [
      "that doesn't refuses an effort",
      { reasoning: { effort: "low" } },
      "reasoning: is not supported with this model",
      "unsupported_parameter",
    ],
    [
      "that doesn't has nothing encrypted",
      { include: ["reasoning.encrypted_content"] },
      "include: is not supported with this model",
      "unsupported_parameter",
    ],
  ])("%s", async (_name, fields, message, code) => {
    const answer = await judge(fields);

    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ message: expect.stringContaining(message), code: code! });
  });

  test("that reasons takes its fields", async () => {
    const fields = {
      model: "o9",
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
    };

    expect((await judge(fields)).status).toBe(200);
  });
});
