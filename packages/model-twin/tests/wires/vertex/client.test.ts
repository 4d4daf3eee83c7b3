import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import AnthropicVertex from "@anthropic-ai/vertex-sdk";
import { failing, fault, reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";

const MODEL = "claude-test@20260101";

type AuthClient = NonNullable<NonNullable<ConstructorParameters<typeof AnthropicVertex>[0]>["authClient"]>;

/** A client that has its access token already: it asks nobody for one. */
function client(twin: Twin, token = "token-1") {
  const getRequestHeaders = async () => new Headers({ authorization: `Bearer ${token}` });
  return new AnthropicVertex({
    baseURL: `${twin.url}/v1`,
    region: "europe-west1",
    projectId: "project-1",
    authClient: { getRequestHeaders } as AuthClient,
    maxRetries: 0,
  });
}

const tools = [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" as const } }];
const question = { role: "user" as const, content: "Read a.txt." };
const request = { model: MODEL, max_tokens: 4096, tools, messages: [question] };
const withoutExtras = <Block extends object>(block: Block): Block => JSON.parse(JSON.stringify(block)) as Block;

/** One round as a stream, and the messages to go on with. */
async function round(sdk: AnthropicVertex, messages: Anthropic.MessageParam[]) {
  const message = await sdk.messages.stream({ ...request, messages }).finalMessage();
  const content = message.content.map(withoutExtras);
  const results = content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "ok" }] : [],
  );
  const next: Anthropic.MessageParam[] = [
    ...messages,
    { role: "assistant", content },
    { role: "user", content: results },
  ];
  return { message, next };
}

test("the published client runs a tool loop of three rounds", async () => {
  await using twin = await startTwin({
    apiKey: "token-1",
    vertex: { project: "project-1" },
    scenario: [
      reply([thinking("Ich prüfe…"), toolUse("Read", { file_path: "ü.txt" }), toolUse("Read", { file_path: "b" })], {
        deltaChars: 3,
        cutBytes: { seed: 4, max: 9 },
      }),
      reply([text("Another."), toolUse("Read", { file_path: "c" })], { cutBytes: [1] }),
      reply([text("Fertig 😀")], { cutBytes: [7] }),
    ],
  });
  const sdk = client(twin);
  const first = await round(sdk, [question]);
  const second = await round(sdk, first.next);
  const third = await round(sdk, second.next);

  expect(twin.requests.map(({ rejected }) => rejected)).toEqual([[], [], []]);
  expect(twin.requests[0]!.path).toBe(
    "/v1/projects/project-1/locations/europe-west1/publishers/anthropic/models/claude-test@20260101:streamRawPredict",
  );
  expect(first.message.content).toMatchObject([
    { type: "thinking", thinking: "Ich prüfe…" },
    { type: "tool_use", input: { file_path: "ü.txt" } },
    { type: "tool_use", input: { file_path: "b" } },
  ]);
  expect(third.message.content).toMatchObject([{ type: "text", text: "Fertig 😀" }]);
});

test("the published client gets a whole answer, and counts tokens", async () => {
  await using twin = await startTwin({ scenario: [reply("Hi.")] });
  const { max_tokens: _max, ...countable } = request;

  expect((await client(twin).messages.create(request)).content).toMatchObject([{ text: "Hi." }]);
  expect((await client(twin).messages.countTokens(countable)).input_tokens).toBeGreaterThan(10);
});

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as InstanceType<typeof Anthropic.APIError>,
  );

test("the published client recognises the errors as the API's", async () => {
  await using twin = await startTwin({
    vertex: { apiKey: "token-1", models: [MODEL] },
    scenario: [
      failing(fault.rateLimited(3)),
      failing(fault.overloaded()),
      reply("abc", { deltaChars: 1, fault: fault.errorEvent(1) }),
    ],
  });
  const sdk = client(twin);
  const create = (fields: object = {}) => failure(sdk.messages.create({ ...request, ...fields }));

  expect(await create()).toBeInstanceOf(Anthropic.RateLimitError);
  expect(await create()).toMatchObject({ status: 529 });
  expect((await failure(sdk.messages.stream(request).finalMessage()))?.message).toContain("overloaded_error");
  expect(await create({ max_tokens: 0 })).toBeInstanceOf(Anthropic.BadRequestError);
  expect(await create({ model: "claude-other" })).toBeInstanceOf(Anthropic.NotFoundError);
  expect(await failure(client(twin, "old").messages.create(request))).toBeInstanceOf(Anthropic.AuthenticationError);
});
