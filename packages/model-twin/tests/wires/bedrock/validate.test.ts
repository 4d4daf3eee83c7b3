import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { type Body, READ_TOOL } from "../../support/ask.ts";
import { askBedrock, BEARER, bedrockBody, COUNT, errorOf, MODEL, STREAM, WHOLE } from "./ask-bedrock.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const user = (content: unknown) => ({ role: "user", content });
const thinkingOn = { thinking: { type: "enabled", budget_tokens: 9000 } };

test.each<[string, Body, string]>([
  ["no version", { anthropic_version: undefined }, "anthropic_version: is required"],
  [
    "Vertex's version",
    { anthropic_version: "vertex-2023-10-16" },
    'anthropic_version: "vertex-2023-10-16" is not supported here',
  ],
  ["a version that is none", { anthropic_version: 5 }, "anthropic_version: 5 is not supported here"],
  ["the model", { model: MODEL }, "model: extraneous key: it stands in the path"],
  ["stream", { stream: true }, "stream: extraneous key: it stands in the path"],
  ["both of them", { model: MODEL, stream: false }, "; stream: extraneous key"],
  ["betas as text", { anthropic_beta: "a" }, "anthropic_beta: must be an array"],
  ["betas that are numbers", { anthropic_beta: [1] }, "anthropic_beta.0: must be a string"],
  ["a field of the API alone", { service_tier: "auto" }, "service_tier: is not available on Bedrock"],
  ["an unknown field", { foo: 1 }, "foo: is not a field that is known here"],
  ["no max_tokens", { max_tokens: undefined }, "max_tokens: is required"],
  ["what the messages may not say", { messages: [user("")] }, "messages.0: must have content that is not empty"],
  ["a budget beyond max_tokens", thinkingOn, "thinking.budget_tokens: must be less than max_tokens"],
  ["a beta's field without it", { context_management: {} }, "context_management: is not a field of the request"],
])("refused is %s", async (_name, fields, message) => {
  for (const path of [WHOLE, STREAM]) {
    const error = errorOf(await askBedrock(twin, bedrockBody(fields), { path }));

    expect(error).toMatchObject({ status: 400, exception: "ValidationException" });
    expect(error.message).toContain(message);
  }
});

test.each<[string, Body]>([
  ["the smallest request", {}],
  ["the version of the API, as the published client sends it", { anthropic_version: "2026-10-21" }],
  ["tools", { tools: [READ_TOOL] }],
  ["a beta in the body", { anthropic_beta: ["interleaved-thinking-2025-05-14"], ...thinkingOn }],
  ["a beta's field with it", { anthropic_beta: ["context-management-2025-06-27"], context_management: {} }],
])("accepted is %s", async (_name, fields) => {
  expect((await askBedrock(twin, bedrockBody(fields))).status).toBe(200);
});

test("a beta in the header is not seen", async () => {
  const headers = { ...BEARER, "anthropic-beta": "interleaved-thinking-2025-05-14" };

  expect((await askBedrock(twin, bedrockBody(thinkingOn), { headers })).status).toBe(400);
});

test("a request is recorded with all of its faults", async () => {
  await using own = await startTwin({ scenario: [] });
  await askBedrock(own, bedrockBody({ model: "x", stream: true }));

  expect(own.requests[0]).toMatchObject({
    status: 400,
    rejected: [
      "model: extraneous key: it stands in the path, as the id of the model",
      "stream: extraneous key: it stands in the path, as the operation",
    ],
  });
});

describe("a token count", () => {
  const count = (content: unknown) => askBedrock(twin, content, { path: COUNT });
  const wrapped = (content: unknown) => {
    return { input: { invokeModel: { body: Buffer.from(JSON.stringify(content)).toString("base64") } } };
  };

  test("counts the body of an invocation", async () => {
    const answer = await count(wrapped(bedrockBody({ messages: [user("x".repeat(400))] })));

    expect(answer.json).toEqual({ inputTokens: 104 });
  });

  test.each<[string, unknown, string]>([
    ["a body as it is", bedrockBody(), "input.invokeModel.body: must be the body of an invocation"],
    ["a body that is no JSON", { input: { invokeModel: { body: "AAAA" } } }, "input.invokeModel.body: must be"],
    ["a request that would be refused", wrapped(bedrockBody({ messages: [] })), "messages: must hold at least 1 item"],
  ])("is refused for %s", async (_name, content, message) => {
    expect(errorOf(await count(content)).message).toContain(message);
  });
});

describe("what is not a request", () => {
  test("is refused with 400 when it is not JSON", async () => {
    expect(errorOf(await askBedrock(twin, "{"))).toMatchObject({ status: 400, exception: "SerializationException" });
    expect(errorOf(await askBedrock(twin, "[]"))).toEqual({
      status: 400,
      exception: "ValidationException",
      message: "the body must be an object",
    });
  });

  test("is refused with 413 when it is too large", async () => {
    const content = bedrockBody({ messages: [user("x".repeat(33 * 1024 * 1024))] });

    expect(errorOf(await askBedrock(twin, content))).toMatchObject({ status: 413 });
  });

  test.each([
    ["/model/x/converse", "POST"],
    ["/model/x", "POST"],
    [WHOLE, "GET"],
  ])("gets 404 at %s with %s", async (path, method) => {
    expect(errorOf(await askBedrock(twin, bedrockBody(), { path, method }))).toMatchObject({
      status: 404,
      exception: "UnknownOperationException",
    });
  });

  test("gets 404 for a model that does not exist, and an id may be an encoded path", async () => {
    const arn = "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude";
    await using few = await startTwin({ scenario: [reply("Hi.")], bedrock: { models: [arn] } });

    expect(errorOf(await askBedrock(few, bedrockBody()))).toEqual({
      status: 404,
      exception: "ResourceNotFoundException",
      message: `the model ${MODEL} was not found`,
    });
    expect((await askBedrock(few, bedrockBody(), { path: `/model/${encodeURIComponent(arn)}/invoke` })).status).toBe(
      200,
    );
  });

  test("is refused as too long when it passes the context window", async () => {
    await using small = await startTwin({ scenario: [], contextWindowTokens: 100 });

    expect(errorOf(await askBedrock(small, bedrockBody({ messages: [user("x".repeat(400))] })))).toEqual({
      status: 400,
      exception: "ValidationException",
      message: "prompt is too long: 104 tokens > 100 maximum",
    });
  });
});

describe("the signature", () => {
  const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = (day = now.slice(0, 8), service = "bedrock") => `AKID/${day}/eu-west-1/${service}/aws4_request`;
  const signature = "0".repeat(64);
  const sign = (credential: string, headers = "host;x-amz-date") =>
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${headers}, Signature=${signature}`;
  const ask = async (headers: Record<string, string>) => errorOf(await askBedrock(twin, bedrockBody(), { headers }));
  const dated = { "x-amz-date": now };

  test("or a bearer token is required", async () => {
    expect(await ask({})).toEqual({
      status: 403,
      exception: "MissingAuthenticationTokenException",
      message: "Missing Authentication Token",
    });
    expect(await ask({ "x-api-key": "k" })).toMatchObject({ status: 403 });
  });

  test("is accepted unseen where the twin was given no credentials", async () => {
    expect((await ask({ ...dated, authorization: sign(scope()) })).status).toBe(200);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ["of another kind", { ...dated, authorization: "Basic abc" }, 400, "the header authorization needs"],
    [
      "without its parts",
      { ...dated, authorization: "AWS4-HMAC-SHA256 Credential=AKID" },
      400,
      "the header authorization needs",
    ],
    ["without a scope", { ...dated, authorization: sign("AKID") }, 400, "the header authorization needs"],
    ["cut short", { ...dated, authorization: sign(scope()).slice(0, -1) }, 400, "the header authorization needs"],
    ["without a date", { authorization: sign(scope()) }, 400, "the header x-amz-date must be there"],
    ["of two dates", { ...dated, authorization: sign(scope("20200101")) }, 403, "the scope's date 20200101 is not"],
    [
      "for another service",
      { ...dated, authorization: sign(scope(undefined, "s3")) },
      403,
      "of the service bedrock, not s3",
    ],
    [
      "of long ago",
      { "x-amz-date": "20200101T000000Z", authorization: sign(scope("20200101")) },
      403,
      "the signature is not of now",
    ],
    [
      "that leaves out the host",
      { ...dated, authorization: sign(scope(), "x-amz-date") },
      403,
      "these headers must be signed: host",
    ],
    [
      "that leaves out AWS's headers",
      { ...dated, "x-amz-security-token": "t", authorization: sign(scope()) },
      403,
      "these headers must be signed: x-amz-security-token",
    ],
    [
      "whose headers are not sorted",
      { ...dated, authorization: sign(scope(), "x-amz-date;host") },
      403,
      "must be sorted",
    ],
    [
      "of another body",
      {
        ...dated,
        "x-amz-content-sha256": signature,
        authorization: sign(scope(), "host;x-amz-content-sha256;x-amz-date"),
      },
      403,
      "x-amz-content-sha256 is not the hash of the body",
    ],
  ])("is refused: %s", async (_name, headers, status, message) => {
    const error = await ask(headers);

    expect(error.status).toBe(status);
    expect(error.message).toContain(message);
  });
});
