import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { signThinking } from "../../../src/wires/anthropic/sent-replies.ts";
import { ask, type Body, body, errorMessage, HEADERS, READ_TOOL } from "../../support/ask.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1").toString("base64");
const JPEG = Buffer.from("\xff\xd8\xff\xe0000", "latin1").toString("base64");
const GIF = Buffer.from("GIF89a000", "latin1").toString("base64");
const WEBP = Buffer.from("RIFF0000WEBPVP8 ", "latin1").toString("base64");

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (content: string, more: Body = {}) => ({ type: "text", text: content, ...more });
const use = (id: string, more: Body = {}) => ({ type: "tool_use", id, name: "Read", input: {}, ...more });
const result = (id: string, more: Body = {}) => ({ type: "tool_result", tool_use_id: id, content: "ok", ...more });
const thought = (content: string) => ({ type: "thinking", thinking: content, signature: signThinking(content) });
const image = (mediaType: string, data: string) => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data },
});
const cached = { cache_control: { type: "ephemeral" } };
const cachedLong = { cache_control: { type: "ephemeral", ttl: "1h" } };
const says = (...content: unknown[]): Body => ({ messages: [user(content)] });
const talk = (...messages: unknown[]): Body => ({ messages, tools: [READ_TOOL] });
const question = user("Hello.");
const tool = (more: Body): Body => ({ tools: [{ ...READ_TOOL, ...more }] });
const thinkingOn = { thinking: { type: "enabled", budget_tokens: 2048 } };

type Case = [name: string, fields: Body, message: string];

const REFUSED: Case[] = [
  // Fields of the request
  ["no model", { model: undefined }, "model: is required"],
  ["an empty model", { model: "" }, "model: must not be empty"],
  ["a model that is a number", { model: 3 }, "model: must be a string, not a number"],
  ["no max_tokens", { max_tokens: undefined }, "max_tokens: is required"],
  ["max_tokens 0", { max_tokens: 0 }, "max_tokens: must be at least 1"],
  ["max_tokens with a fraction", { max_tokens: 1.5 }, "max_tokens: must be a whole number"],
  ["max_tokens as a string", { max_tokens: "5" }, "max_tokens: must be a number"],
  ["an unknown field", { foo: 1 }, "foo: is not a field that is known here"],
  ["betas in the body", { betas: ["x"] }, "betas: is not a field of the request: betas are named in the header"],
  [
    "a beta's field without its header",
    { context_management: {} },
    "context_management: is not a field of the request",
  ],
  ["a field of the camel", { maxTokens: 5 }, "maxTokens: is not a field that is known here"],
  ["stream as a string", { stream: "yes" }, "stream: must be true or false"],
  ["temperature over 1", { temperature: 1.5 }, "temperature: must be at most 1"],
  ["a blank stop sequence", { stop_sequences: ["\n"] }, "stop_sequences.0:"],
  ["a stray field of metadata", { metadata: { session: "x" } }, "metadata.session: is not a field"],
  ["system as a number", { system: 5 }, "system: must be a string or a list"],
  ["an image in system", { system: [image("image/png", PNG)] }, "system.0.type:"],
  // Messages
  ["no messages", { messages: undefined }, "messages: is required"],
  ["empty messages", { messages: [] }, "messages: must hold at least 1 item"],
  ["messages that are no list", { messages: "hi" }, "messages: must be an array"],
  ["a first message of the assistant", talk(assistant("Hi.")), "messages.0.role: the first message must have the role"],
  ["an unknown role", talk(question, { role: "tool", content: "x" }), 'messages.1.role: "tool" is not one of'],
  [
    "a system message",
    talk(question, { role: "system", content: "x" }),
    "messages.1.role: a message cannot have the role",
  ],
  ["a message without role", talk({ content: "x" }), "messages.0.role: is required"],
  ["a message without content", talk({ role: "user" }), "messages.0.content: is required"],
  ["a stray field of a message", talk({ ...question, id: "m1" }), "messages.0.id: is not a field"],
  ["an empty user message", talk(user("")), "messages.0: must have content"],
  ["an empty list of content", talk(user([])), "messages.0: must have content"],
  [
    "an empty assistant message in the middle",
    talk(question, assistant([]), question),
    "messages.1: must have content",
  ],
  ["an empty text block", says(text("")), "messages.0.content.0: a text block must not be empty"],
  ["a blank text block", says(text(" \n\t")), "messages.0.content.0: a text block must hold more than white space"],
  ["a blank message", talk(user("  ")), "messages.0.content: a text block must hold more than white space"],
  ["an empty text block in system", { system: [text("")] }, "system.0: a text block must not be empty"],
  [
    "an empty text block in a result",
    talk(question, assistant([use("a")]), user([result("a", { content: [text("")] })])),
    "messages.2.content.0.content.0: a text block must not be empty",
  ],
  [
    "a prefill that ends in a space",
    talk(question, assistant("So ")),
    "messages.1.content: the text of a last message",
  ],
  [
    "a prefill block that ends in a newline",
    talk(question, assistant([text("So\n")])),
    "messages.1.content.0: the text of a last message",
  ],
  ["half a surrogate pair", says(text("a\ud83d")), "messages.0.content.0.text: holds half a surrogate pair"],
  ["the other half of a pair in system", { system: "\udc00b" }, "system: holds half a surrogate pair"],
  [
    "half a pair in a key",
    talk(question, assistant([use("a", { input: { "\ud83d": 1 } })]), user([result("a")])),
    "messages.1.content.0.input.\ufffd: holds half",
  ],
  // Blocks
  ["a block without type", says({ text: "x" }), "messages.0.content.0.type: is required"],
  ["an unknown block", says({ type: "video" }), 'messages.0.content.0.type: "video" is not one of'],
  ["an extra key on a text block", says(text("x", { id: 1 })), "messages.0.content.0.id: is not a field"],
  [
    "an extra key on a tool_use",
    talk(question, assistant([use("a", { malformed: {} })]), user([result("a")])),
    "messages.1.content.0.malformed: is not a field",
  ],
  [
    "an extra key on a tool_result",
    talk(question, assistant([use("a")]), user([result("a", { isError: true })])),
    "messages.2.content.0.isError: is not a field",
  ],
  [
    "an image of the assistant",
    talk(question, assistant([image("image/png", PNG)]), question),
    "messages.1.content.0.type: a",
  ],
  ["thinking of the user", says(thought("x")), 'messages.0.content.0.type: a "thinking" block cannot stand'],
  [
    "an image of more than 5 MB",
    says(
      image("image/png", Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(5_300_000, 7)]).toString("base64")),
    ),
    "messages.0.content.0.source.base64: image exceeds 5 MB maximum",
  ],
  ["an image type of no kind", says(image("image/bmp", PNG)), "messages.0.content.0.source.media_type:"],
  [
    "a JPEG that says PNG",
    says(image("image/png", JPEG)),
    "source.media_type: says image/png, but the bytes are image/jpeg",
  ],
  ["a PNG that says WebP", says(image("image/webp", PNG)), "but the bytes are image/png"],
  ["text that says GIF", says(image("image/gif", "aGVsbG8=")), "but the bytes are of no type"],
  [
    "base64 with a line break",
    says(image("image/png", `${PNG}\n`)),
    "messages.0.content.0.source.data: is not valid base64",
  ],
  ["a data URL", says(image("image/png", `data:image/png;base64,${PNG}`)), "source.data: is not valid base64"],
  [
    "a wrong image in a result",
    talk(question, assistant([use("a")]), user([result("a", { content: [image("image/gif", PNG)] })])),
    "messages.2.content.0.content.0.source.media_type: says image/gif",
  ],
  // Tools
  ["a tool's name with a dot", tool({ name: "a.b" }), 'tools.0.custom.name: "a.b" must match'],
  ["a tool's name of 129 letters", tool({ name: "a".repeat(129) }), "tools.0.custom.name:"],
  ["an empty tool's name", tool({ name: "" }), "tools.0.custom.name:"],
  ["the same tool twice", { tools: [READ_TOOL, READ_TOOL] }, 'tools.1: tool names must be unique, and "Read"'],
  ["a tool without schema", tool({ input_schema: undefined }), "tools.0.custom.input_schema: is required"],
  ["a schema without type", tool({ input_schema: {} }), "tools.0.custom.input_schema.type: is required"],
  ["a schema that is no object's", tool({ input_schema: { type: "array" } }), 'input_schema.type: must be "object"'],
  ...(["anyOf", "oneOf", "allOf"] as const).map(
    (name): Case => [
      `a schema with ${name} at the top`,
      tool({ input_schema: { type: "object", [name]: [{}] } }),
      `tools.0.custom.input_schema: anyOf, oneOf and allOf are not taken at the top level (found ${name})`,
    ],
  ),
  ["a stray field of a tool", tool({ inputSchema: {} }), "tools.0.custom.inputSchema: is not a field"],
  ["a kind of tool that nobody runs", tool({ type: "bash_1999" }), "tools.0.type:"],
  [
    "a choice of an unknown tool",
    { tools: [READ_TOOL], tool_choice: { type: "tool", name: "Nope" } },
    'tool_choice.name: there is no tool "Nope"',
  ],
  ["a choice without tools", { tool_choice: { type: "auto" } }, "tool_choice: can only be given together with tools"],
  ["a choice of an unknown kind", { tools: [READ_TOOL], tool_choice: { type: "all" } }, "tool_choice.type:"],
  [
    "a history with tools and none declared",
    { messages: [question, assistant([use("a")]), user([result("a")])] },
    "messages.1.content.0: a request whose messages hold a tool_use block must declare tools",
  ],
  // Calls and results
  [
    "an input that is no object",
    talk(question, assistant([use("a", { input: "{}" })]), user([result("a")])),
    "messages.1.content.0.input: must be an object",
  ],
  [
    "an input that is a list",
    talk(question, assistant([use("a", { input: [] })]), user([result("a")])),
    "input: must be an object, not an array",
  ],
  ["a call id with a dot", talk(question, assistant([use("a.b")]), user([result("a.b")])), "messages.1.content.0.id:"],
  [
    "a call that is never answered",
    talk(question, assistant([use("a")]), question),
    "messages.1: tool_use without a tool_result in the next message: a",
  ],
  ["a call at the end", talk(question, assistant([use("a")])), "messages.1: tool_use without a tool_result"],
  [
    "one of two calls unanswered",
    talk(question, assistant([use("a"), use("b")]), user([result("a")])),
    "messages.1: tool_use without a tool_result in the next message: b",
  ],
  [
    "a result one message late",
    talk(question, assistant([use("a")]), question, assistant("x"), user([result("a")])),
    "messages.1: tool_use without a tool_result in the next message: a",
  ],
  [
    "a result of an unknown call",
    talk(question, assistant([use("a")]), user([result("a"), result("z")])),
    "messages.2.content.1: tool_result for z, which is no",
  ],
  ["a result without any call", talk(user([result("z")])), "messages.0.content.0: tool_result for z"],
  [
    "two results for a call",
    talk(question, assistant([use("a")]), user([result("a"), result("a")])),
    "messages.2.content.1: a second tool_result for a",
  ],
  [
    "two results in two merged messages",
    talk(question, assistant([use("a")]), user([result("a")]), user([result("a")])),
    "messages.3.content.0: a second tool_result for a",
  ],
  [
    "text before a result",
    talk(question, assistant([use("a")]), user([text("x"), result("a")])),
    "messages.2.content.1: tool_result blocks must come first",
  ],
  [
    "text between results of merged messages",
    talk(question, assistant([use("a"), use("b")]), user([result("a"), text("x")]), user([result("b")])),
    "messages.3.content.0: tool_result blocks must come first",
  ],
  [
    "the same call id twice",
    talk(question, assistant([use("a")]), user([result("a")]), assistant([use("a")]), user([result("a")])),
    "messages.3.content.0.id: tool_use ids must be unique",
  ],
  [
    "a result of the assistant",
    talk(question, assistant([result("a")]), question),
    'messages.1.content.0.type: a "tool_result" block cannot stand in a message of the assistant',
  ],
  [
    "a call of the user",
    talk(user([use("a")])),
    'messages.0.content.0.type: a "tool_use" block cannot stand in a message of the user',
  ],
  [
    "an image in a failed result",
    talk(question, assistant([use("a")]), user([result("a", { is_error: true, content: [image("image/png", PNG)] })])),
    "messages.2.content.0: the content of a tool_result with is_error must be text only",
  ],
  // Cache marks
  [
    "five cache marks over all parts",
    {
      tools: [{ ...READ_TOOL, ...cached }],
      system: [text("s", cached)],
      ...says(text("a", cached), text("b", cached), text("c", cached)),
    },
    "at most 4 blocks may carry cache_control, and 5 were found",
  ],
  [
    "a fifth cache mark inside a result",
    {
      ...talk(question, assistant([use("a")]), user([result("a", { ...cached, content: [text("x", cached)] })])),
      system: [text("1", cached), text("2", cached), text("3", cached)],
    },
    "5 were found",
  ],
  [
    "1 h after 5 min",
    { system: [text("s", cached)], ...says(text("a", cachedLong)) },
    "messages.0.content.0.cache_control.ttl: a mark of 1h cannot come after one of 5m (system.0",
  ],
  [
    "1 h in system after 5 min in tools",
    { tools: [{ ...READ_TOOL, ...cached }], system: [text("s", cachedLong)] },
    "system.0.cache_control.ttl: a mark of 1h",
  ],
  [
    "another lifetime",
    { system: [text("s", { cache_control: { type: "ephemeral", ttl: "1d" } })] },
    "system.0.cache_control.ttl:",
  ],
  [
    "another kind of cache",
    { system: [text("s", { cache_control: { type: "forever" } })] },
    "system.0.cache_control.type:",
  ],
  [
    "a mark on empty text",
    says(text("x"), text("", cached)),
    "messages.0.content.1.cache_control: cannot be set on an empty text block",
  ],
  [
    "a mark on thinking",
    talk(question, assistant([{ ...thought("x"), ...cached }, text("y")]), question),
    "messages.1.content.0.cache_control: is not a field",
  ],
  // Thinking
  [
    "a small budget",
    { thinking: { type: "enabled", budget_tokens: 1023 } },
    "thinking.budget_tokens: must be at least 1024",
  ],
  [
    "a budget as large as max_tokens",
    { thinking: { type: "enabled", budget_tokens: 4096 } },
    "thinking.budget_tokens: must be less than max_tokens",
  ],
  ["an enabled thinking without budget", { thinking: { type: "enabled" } }, "thinking.budget_tokens: is required"],
  ["a kind of thinking that nobody knows", { thinking: { type: "hard" } }, "thinking.type:"],
  [
    "temperature with thinking",
    { ...thinkingOn, temperature: 0.5 },
    "temperature: must be 1 or left out while thinking is on",
  ],
  ["temperature with adaptive thinking", { thinking: { type: "adaptive" }, temperature: 0 }, "temperature: must be 1"],
  ["top_k with thinking", { ...thinkingOn, top_k: 5 }, "top_k: must be left out"],
  ["a low top_p with thinking", { ...thinkingOn, top_p: 0.5 }, "top_p: must be at least 0.95"],
  [
    "a forced tool with thinking",
    { ...thinkingOn, tools: [READ_TOOL], tool_choice: { type: "any" } },
    "thinking: cannot be on while tool_choice forces a tool",
  ],
  [
    "a forged signature",
    talk(question, assistant([{ ...thought("x"), signature: "AAAA" }, text("y")]), question),
    "messages.1.content.0.signature: does not belong",
  ],
  [
    "an altered thought",
    talk(question, assistant([{ ...thought("x"), thinking: "z" }, text("y")]), question),
    "messages.1.content.0.signature: does not belong",
  ],
  [
    "a thought without signature",
    talk(question, assistant([{ type: "thinking", thinking: "x" }, text("y")]), question),
    "messages.1.content.0.signature: is required",
  ],
  [
    "hidden thinking that was never sent",
    talk(question, assistant([{ type: "redacted_thinking", data: "AA" }, text("y")]), question),
    "messages.1.content.0.data: this redacted_thinking",
  ],
  [
    "a thought behind a text",
    talk(question, assistant([text("y"), thought("x"), text("z")]), question),
    "messages.1.content.0: a message with thinking must begin with it",
  ],
  [
    "a thought at the end of a message",
    talk(question, assistant([thought("x")]), question),
    "messages.1: the last block of a message of the assistant cannot be thinking",
  ],
  [
    "a loop that begins without thinking while it is enabled",
    { ...talk(question, assistant([use("a")]), user([result("a")])), ...thinkingOn },
    "messages.1.content.0.type: while thinking is enabled this message must begin with thinking",
  ],
];

const ACCEPTED: [name: string, fields: Body][] = [
  ["the smallest request", {}],
  ["system as a string, even an empty one", { system: "" }],
  ["messages of one role in a row", talk(user("a"), user("b"), assistant("c"), assistant("d"), question)],
  ["a prefill", talk(question, assistant("So"))],
  ["an empty last message of the assistant", talk(question, assistant([]))],
  [
    "results in two merged messages",
    talk(question, assistant([use("a"), use("b")]), user([result("a")]), user([result("b"), text("and")])),
  ],
  [
    "calls in two merged messages",
    talk(question, assistant([use("a")]), assistant([use("b")]), user([result("b"), result("a")])),
  ],
  ["a result without content", talk(question, assistant([use("a")]), user([result("a", { content: undefined })]))],
  ["an empty result", talk(question, assistant([use("a")]), user([result("a", { content: "" })]))],
  [
    "a failed result",
    talk(question, assistant([use("a")]), user([result("a", { is_error: true, content: [text("no")] })])),
  ],
  [
    "each image that is what it says",
    says(image("image/png", PNG), image("image/jpeg", JPEG), image("image/gif", GIF), image("image/webp", WEBP)),
  ],
  [
    "a large image",
    says(
      image("image/png", Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(4_000_000, 7)]).toString("base64")),
    ),
  ],
  [
    "four cache marks, the long ones first",
    {
      tools: [{ ...READ_TOOL, ...cachedLong }],
      system: [text("s", cachedLong)],
      ...says(text("a", cached), text("b", cached)),
    },
  ],
  [
    "a tool that is chosen",
    { tools: [READ_TOOL], tool_choice: { type: "tool", name: "Read", disable_parallel_tool_use: true } },
  ],
  [
    "combinators inside a schema",
    tool({ input_schema: { type: "object", properties: { a: { anyOf: [{ type: "string" }] } } } }),
  ],
  ["thinking with temperature 1", { ...thinkingOn, temperature: 1 }],
  ["adaptive thinking with an effort", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
  ["a signed thought of an earlier turn", talk(question, assistant([thought("x"), text("y")]), question)],
  [
    "a history without thinking before the open loop",
    { ...talk(question, assistant([use("a")]), user([result("a")]), assistant("ok"), question), ...thinkingOn },
  ],
  ["a whole emoji", says(text("\ud83d\ude00"))],
  [
    "every field that the API has",
    { stream: false, top_k: 3, top_p: 0.5, stop_sequences: ["X"], metadata: { user_id: "u" }, service_tier: "auto" },
  ],
];

describe("a request that the API refuses", () => {
  test.each(REFUSED)("is refused with 400: %s", async (_name, fields, message) => {
    const answer = await ask(twin, body(fields));

    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toContain(message);
    expect(answer.json).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: errorMessage(answer) },
      request_id: answer.headers.get("request-id"),
    });
  });

  test("has each of its faults recorded, the first one told", async () => {
    const answer = await ask(twin, body({ max_tokens: 0, foo: 1 }));

    expect(errorMessage(answer)).toBe("max_tokens: must be at least 1, not 0");
    expect(twin.requests.at(-1)?.rejected).toEqual([
      "max_tokens: must be at least 1, not 0",
      "foo: is not a field that is known here",
    ]);
  });

  test("takes no reply from the scenario", async () => {
    await using short = await startTwin({ scenario: [reply("First.")] });
    await ask(short, body({ max_tokens: 0 }));
    await ask(short, body(), { path: "/v1/messages/count_tokens" });
    await ask(short, body({ max_tokens: undefined }), { path: "/v1/messages/count_tokens" });

    expect((await ask(short, body())).json).toMatchObject({ content: [{ type: "text", text: "First." }] });
  });
});

test.each(ACCEPTED)("accepted is %s", async (_name, fields) => {
  const answer = await ask(twin, body(fields));

  expect(answer).toMatchObject({ status: 200 });
});

describe("a token count", () => {
  const count = (fields: Body) =>
    ask(twin, body({ max_tokens: undefined, ...fields }), { path: "/v1/messages/count_tokens" });

  test("is a deterministic estimate that grows with the text", async () => {
    const first = await count({ messages: [user("x".repeat(400))] });

    expect(first.json).toEqual({ input_tokens: 104 });
    expect((await count({ messages: [user("x".repeat(400))] })).json).toEqual(first.json);
    expect((await count({ messages: [user("x".repeat(800))] })).json).toEqual({ input_tokens: 204 });
  });

  test.each<Case>([
    ["an empty text block", says(text("")), "messages.0.content.0: a text block must not be empty"],
    [
      "a call that is never answered",
      talk(question, assistant([use("a")])),
      "messages.1: tool_use without a tool_result",
    ],
    ["max_tokens, which it doesn't have", { max_tokens: 5 }, "max_tokens: is not a field that is known here"],
    ["stream, which it doesn't have", { stream: true }, "stream: is not a field that is known here"],
  ])("is refused for %s", async (_name, fields, message) => {
    const answer = await count(fields);

    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toContain(message);
  });
});

describe("the header", () => {
  const { "x-api-key": _key, ...keyless } = HEADERS;
  const { "anthropic-version": _version, ...versionless } = HEADERS;

  test("without a key is refused with 401", async () => {
    const answer = await ask(twin, body(), { headers: keyless });

    expect(answer).toMatchObject({ status: 401, json: { type: "error", error: { type: "authentication_error" } } });
  });

  test("may carry a Bearer token instead of a key", async () => {
    expect((await ask(twin, body(), { headers: { ...keyless, authorization: "Bearer t" } })).status).toBe(200);
  });

  test("must carry the very key that the twin was given", async () => {
    await using locked = await startTwin({ scenario: [reply("In.")], apiKey: "right" });

    expect((await ask(locked, body(), { headers: { ...HEADERS, "x-api-key": "wrong" } })).status).toBe(401);
    expect((await ask(locked, body(), { headers: { ...HEADERS, "x-api-key": "right" } })).status).toBe(200);
  });

  test.each([
    ["missing", versionless],
    ["odd", { ...HEADERS, "anthropic-version": "latest" }],
  ])("with a version that is %s is refused with 400", async (_name, headers) => {
    const answer = await ask(twin, body(), { headers });

    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toStartWith("anthropic-version: ");
  });

  test("opens a beta's field", async () => {
    const headers = { ...HEADERS, "anthropic-beta": "a-2020-01-01, context-management-2025-06-27" };

    expect((await ask(twin, body({ context_management: {} }), { headers })).status).toBe(200);
  });

  test("lets a budget pass max_tokens when thinking is interleaved", async () => {
    const headers = { ...HEADERS, "anthropic-beta": "interleaved-thinking-2025-05-14" };

    expect((await ask(twin, body({ thinking: { type: "enabled", budget_tokens: 9000 } }), { headers })).status).toBe(
      200,
    );
  });
});

describe("what is not a request", () => {
  test.each([
    ["broken JSON", "{", "the body is not valid JSON:"],
    ["nothing", "", "the body is not valid JSON: it is empty"],
    ["a list", "[]", "must be an object, not an array"],
  ])("is refused with 400: %s", async (_name, content, message) => {
    const answer = await ask(twin, content);

    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toContain(message);
  });

  test("is refused with 400 when its bytes are not UTF-8", async () => {
    const response = await fetch(`${twin.url}/v1/messages`, {
      method: "POST",
      headers: HEADERS,
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });

    expect(response.status).toBe(400);
  });

  test("is refused with 413 when it is larger than 32 MB", async () => {
    const answer = await ask(twin, body(says(text("x".repeat(33 * 1024 * 1024)))));

    expect(answer).toMatchObject({ status: 413, json: { error: { type: "request_too_large" } } });
  });

  test("gets 404 at another path and 405 with another method", async () => {
    const get = await fetch(`${twin.url}/v1/messages`, { headers: HEADERS });

    expect(get.status).toBe(405);
    expect(get.headers.get("allow")).toBe("POST");
    expect(await ask(twin, body(), { path: "/v2/messages" })).toMatchObject({
      status: 404,
      json: { error: { type: "not_found_error" } },
    });
  });

  test("gets 404 for a model that does not exist", async () => {
    await using few = await startTwin({ scenario: [reply("Hi.")], models: ["claude-known"] });

    expect(await ask(few, body())).toMatchObject({ status: 404, json: { error: { type: "not_found_error" } } });
    expect((await ask(few, body({ model: "claude-known" }))).status).toBe(200);
  });

  test("is refused as too long when it passes the context window", async () => {
    await using small = await startTwin({ scenario: [reply("Hi.")], contextWindowTokens: 100 });

    const answer = await ask(small, body({ messages: [user("x".repeat(400))] }));
    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toBe("prompt is too long: 104 tokens > 100 maximum");
  });
});

test("a query in the path is ignored, as clients of betas add one", async () => {
  expect((await ask(twin, body(), { path: "/v1/messages?beta=true" })).status).toBe(200);
});
