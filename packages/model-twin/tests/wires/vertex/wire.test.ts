import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Fault, failing, fault, type Reply, reply, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { ask, type Body, body, errorMessage, parseSse, READ_TOOL, rawExchange } from "../../support/ask.ts";
import { FULL_ANSWER, fullEvents } from "../../support/claude.ts";
import { askBedrock, bedrockBody } from "../bedrock/ask-bedrock.ts";
import { askVertex, at, COUNT, MODEL, STREAM, streamVertex, TOKEN, vertexBody, WHOLE } from "./ask-vertex.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const serving = (...scenario: Reply[]) => startTwin({ scenario });
const abcdef = (failure: Fault): Reply => reply("abcdef", { deltaChars: 1, fault: failure });
const user = (content: unknown) => ({ role: "user", content });
const thinkingOn = { thinking: { type: "enabled", budget_tokens: 9000 } };

describe("a request", () => {
  test.each<[string, Body, string]>([
    ["no version", { anthropic_version: undefined }, "anthropic_version: is required"],
    [
      "Bedrock's version",
      { anthropic_version: "bedrock-2023-05-31" },
      'anthropic_version: "bedrock-2023-05-31" is not supported',
    ],
    ["the model", { model: MODEL }, "model: extraneous key: it stands in the path"],
    ["a field of the API alone", { mcp_servers: [] }, "mcp_servers: is not available on Vertex"],
    ["betas as text", { anthropic_beta: "a" }, "anthropic_beta: must be an array"],
    ["an unknown field", { foo: 1 }, "foo: is not a field that is known here"],
    ["stream as text", { stream: "yes" }, "stream: must be true or false"],
    ["no max_tokens", { max_tokens: undefined }, "max_tokens: is required"],
    ["what the messages may not say", { messages: [user("")] }, "messages.0: must have content that is not empty"],
    ["a budget beyond max_tokens", thinkingOn, "thinking.budget_tokens: must be less than max_tokens"],
  ])("is refused as Anthropic's API does it: %s", async (_name, fields, message) => {
    for (const path of [WHOLE, STREAM]) {
      const answer = await askVertex(twin, fields, { path });

      expect(answer).toMatchObject({ status: 400, json: { type: "error", error: { type: "invalid_request_error" } } });
      expect(errorMessage(answer)).toContain(message);
    }
  });

  test("for a stream is refused where there can be none", async () => {
    const answer = await askVertex(twin, { stream: true });

    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toBe("stream: cannot be true for rawPredict: use streamRawPredict");
  });

  test.each<[string, Body, string, Record<string, string>]>([
    ["the smallest one", {}, WHOLE, TOKEN],
    ["no stream where there could be one", {}, STREAM, TOKEN],
    ["the version of the API, as the published client sends it", { anthropic_version: "2026-10-21" }, WHOLE, TOKEN],
    ["a beta in the header", thinkingOn, WHOLE, { ...TOKEN, "anthropic-beta": "interleaved-thinking-2025-05-14" }],
    ["a beta in the body", { ...thinkingOn, anthropic_beta: ["interleaved-thinking-2025-05-14"] }, WHOLE, TOKEN],
  ])("is accepted: %s", async (_name, fields, path, headers) => {
    const answer = await askVertex(twin, fields, { path, headers });

    expect(answer).toMatchObject({ status: 200, json: { content: [{ text: "Yes." }] } });
  });

  test("is recorded with all of its faults", async () => {
    await using own = await serving();
    await askVertex(own, { model: "x", service_tier: "auto" });

    expect(own.requests[0]).toMatchObject({
      status: 400,
      rejected: [
        "model: extraneous key: it stands in the path, as the name of the model",
        "service_tier: is not available on Vertex",
      ],
    });
  });

  test("is refused with 400 when it is not JSON", async () => {
    expect((await ask(twin, "{", { path: WHOLE, headers: TOKEN })).status).toBe(400);
    expect((await ask(twin, "[]", { path: WHOLE, headers: TOKEN })).status).toBe(400);
  });

  test("is refused as too long when it passes the context window", async () => {
    await using small = await startTwin({ scenario: [], contextWindowTokens: 100 });
    const answer = await askVertex(small, { messages: [user("x".repeat(400))] });

    expect(errorMessage(answer)).toBe("prompt is too long: 104 tokens > 100 maximum");
  });
});

describe("the platform refuses in Google's words", () => {
  const google = (code: number, status: string) => ({ status: code, json: { error: { code, status } } });

  test("a missing or wrong access token", async () => {
    const { authorization: _token, ...tokenless } = TOKEN;
    await using locked = await startTwin({ scenario: () => reply("In."), vertex: { apiKey: "right" } });
    const refused = google(401, "UNAUTHENTICATED");

    expect(await askVertex(twin, {}, { headers: tokenless })).toMatchObject(refused);
    expect(await askVertex(twin, {}, { headers: { ...tokenless, "x-api-key": "k" } })).toMatchObject(refused);
    expect(await askVertex(locked, {}, { headers: TOKEN })).toMatchObject(refused);
    expect((await askVertex(locked, {}, { headers: { ...TOKEN, authorization: "Bearer right" } })).status).toBe(200);
  });

  test("another project", async () => {
    await using locked = await startTwin({ scenario: () => reply("In."), vertex: { project: "mine" } });

    expect(await askVertex(locked)).toMatchObject(google(403, "PERMISSION_DENIED"));
    expect((await askVertex(locked, {}, { path: at(MODEL, "rawPredict", "mine") })).status).toBe(200);
  });

  test("a model that does not exist, and a name may be encoded", async () => {
    await using few = await startTwin({ scenario: () => reply("Hi."), models: [MODEL] });

    expect(await askVertex(few, {}, { path: at("claude-other") })).toMatchObject(google(404, "NOT_FOUND"));
    expect((await askVertex(few, {}, { path: at(encodeURIComponent(MODEL)) })).status).toBe(200);
  });

  test.each([
    "/v1/projects/p1/locations/global/publishers/google/models/x:rawPredict",
    at("x", "predict"),
    "/v1/projects/p1",
  ])("what is not at %s", async (path) => {
    expect(await askVertex(twin, {}, { path })).toMatchObject(google(404, "NOT_FOUND"));
  });

  test("another method", async () => {
    const answer = await fetch(`${twin.url}${WHOLE}`, { headers: TOKEN });

    expect(answer.status).toBe(404);
  });
});

describe("an answer", () => {
  test("is streamed as Anthropic's API does it", async () => {
    await using own = await serving(FULL_ANSWER);
    const answer = await streamVertex(own, { tools: [READ_TOOL] });

    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(parseSse(answer.text)).toEqual(fullEvents({ id: "msg_vrtx_twin_000001", model: MODEL, ping: true }));
  });

  test("of a count is a count, with its model in the body", async () => {
    const count = (fields: Body) =>
      askVertex(twin, { max_tokens: undefined, model: MODEL, ...fields }, { path: COUNT });

    expect((await count({ messages: [user("x".repeat(400))] })).json).toEqual({ input_tokens: 104 });
    expect(errorMessage(await count({ model: undefined }))).toBe("model: is required");
    expect(errorMessage(await count({ max_tokens: 5 }))).toBe("max_tokens: is not a field that is known here");
  });
});

describe("a fault", () => {
  test.each<[Fault, number, object]>([
    [fault.overloaded(), 529, { type: "error", error: { type: "overloaded_error" } }],
    [fault.serverError(), 500, { type: "error", error: { type: "api_error" } }],
    [
      fault.badRequest("prompt is too long"),
      400,
      { error: { type: "invalid_request_error", message: "prompt is too long" } },
    ],
    [fault.status(429, { errorType: "rate_limit_error" }), 429, { error: { type: "rate_limit_error" } }],
    [fault.status(403), 403, { error: { code: 403, status: "PERMISSION_DENIED" } }],
    [fault.status(404), 404, { error: { code: 404, status: "NOT_FOUND" } }],
  ])("%j is told by who would tell it", async (failure, status, json) => {
    await using own = await serving(failing(failure), reply("Again."));

    expect(await streamVertex(own)).toMatchObject({ status, json });
    expect((await streamVertex(own)).status).toBe(200);
  });

  test("of the rate is Google's, and says how long to wait", async () => {
    await using own = await serving(failing(fault.rateLimited(7)));
    const { json } = await streamVertex(own);

    expect(json).toEqual({
      error: {
        code: 429,
        message: "Too many requests for this model: try again later",
        status: "RESOURCE_EXHAUSTED",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }],
      },
    });
  });

  test("in the stream is Anthropic's, a status without one", async () => {
    await using own = await serving(abcdef(fault.errorEvent(2)), abcdef(fault.errorEvent(0)));
    const events = parseSse((await streamVertex(own)).text);

    expect(events.filter(({ type }) => type === "content_block_delta")).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    expect((await askVertex(own)).status).toBe(529);
  });

  test.each([0, 3])("breaks the connection after %i deltas", async (deltas) => {
    await using own = await serving(abcdef(fault.cut({ deltas })), failing(fault.hangUp()));
    const raw = () => rawExchange(own, vertexBody({ stream: true }), undefined, { path: STREAM, headers: TOKEN });

    expect(await raw()).toMatchObject({ deltas, isComplete: false });
    expect((await raw()).text).toBe("");
  });

  test("leaves out the end, or everything", async () => {
    await using own = await serving(abcdef(fault.noStop()), failing(fault.silence()), abcdef(fault.stall(1)));
    const raw = () => rawExchange(own, vertexBody({ stream: true }), undefined, { path: STREAM, headers: TOKEN });

    expect(parseSse((await streamVertex(own)).text).at(-1)?.type).toBe("message_delta");
    const silent = raw();
    await own.request(1);
    const stalled = raw();
    await own.request(2);
    await own.close();
    expect((await silent).text).toBe("");
    expect(await stalled).toMatchObject({ isComplete: false });
  });

  test("of the scenario itself is told", async () => {
    await using own = await serving();

    expect(errorMessage(await streamVertex(own))).toBe("model-twin: the scenario has no more replies");
  });
});

test("thinking that one platform sent is known to the others of its twin, and what was altered is not", async () => {
  const thought = { type: "thinking", thinking: "Hm.", signature: "of-the-scenario" };
  const call = { type: "tool_use", id: "toolu_1", name: "Read", input: {} };
  const answered = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
  const loop = (...content: unknown[]) => ({
    tools: [READ_TOOL],
    messages: [user("Hello."), { role: "assistant", content }, user([answered])],
  });
  await using own = await serving(
    reply([thinking("Hm.", "of-the-scenario"), toolUse("Read", {}, "toolu_1")]),
    reply("Vertex."),
    reply("Bedrock."),
    reply("Anthropic."),
  );
  await ask(own, body({ tools: [READ_TOOL] }));

  expect((await askVertex(own, loop(thought, call))).status).toBe(200);
  expect((await askBedrock(own, bedrockBody(loop(thought, call)))).status).toBe(200);
  expect((await askVertex(own, loop({ ...thought, thinking: "Hm!" }, call))).status).toBe(400);
  expect((await askBedrock(own, bedrockBody(loop(call)))).status).toBe(400);
  expect((await ask(own, body(loop(thought, call)))).status).toBe(200);
});
