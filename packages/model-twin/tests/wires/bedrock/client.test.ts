import { expect, test } from "bun:test";
import AnthropicBedrock from "@anthropic-ai/bedrock-sdk";
import Anthropic from "@anthropic-ai/sdk";
import { failing, fault, reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import type { BedrockOptions } from "../../../src/wires/bedrock/options.ts";

const MODEL = "us.anthropic.claude-test-v1:0";
const CREDENTIALS = { accessKeyId: "AKIDTWIN", secretAccessKey: "a/secret+of=tests" };

type ClientOptions = { secret?: string; token?: string; region?: string; apiKey?: string };

function client(twin: Twin, { secret, token, region = "eu-west-1", apiKey }: ClientOptions = {}) {
  const shared = { baseURL: twin.url, awsRegion: region, maxRetries: 0 };
  if (apiKey !== undefined) return new AnthropicBedrock({ ...shared, apiKey });
  return new AnthropicBedrock({
    ...shared,
    apiKey: null,
    awsAccessKey: CREDENTIALS.accessKeyId,
    awsSecretKey: secret ?? CREDENTIALS.secretAccessKey,
    ...(token !== undefined && { awsSessionToken: token }),
  });
}

const tools = [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" as const } }];
const question = { role: "user" as const, content: "Read a.txt." };
const request = { model: MODEL, max_tokens: 4096, tools, messages: [question] };
const withoutExtras = <Block extends object>(block: Block): Block => JSON.parse(JSON.stringify(block)) as Block;

/** One round as a stream, and the messages to go on with. */
async function round(sdk: AnthropicBedrock, messages: Anthropic.MessageParam[]) {
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

test("the published client runs a tool loop of three rounds, its signature checked", async () => {
  await using twin = await startTwin({
    bedrock: { credentials: CREDENTIALS, region: "eu-west-1" },
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
  expect(first.message.stop_reason).toBe("tool_use");
  expect(first.message.content).toMatchObject([
    { type: "thinking", thinking: "Ich prüfe…" },
    { type: "tool_use", input: { file_path: "ü.txt" } },
    { type: "tool_use", input: { file_path: "b" } },
  ]);
  expect(third.message.content).toMatchObject([{ type: "text", text: "Fertig 😀" }]);
  expect(third.message.model).toBe(MODEL);
});

test("the published client gets a whole answer too, with a session token or a bearer token", async () => {
  const credentials = { ...CREDENTIALS, sessionToken: "session" };
  await using twin = await startTwin({ bedrock: { credentials, apiKey: "bearer" }, scenario: () => reply("Hi.") });
  const say = (options: ClientOptions) => client(twin, options).messages.create(request);

  expect((await say({ token: "session" })).content).toMatchObject([{ text: "Hi." }]);
  expect((await say({ apiKey: "bearer" })).content).toMatchObject([{ text: "Hi." }]);
  expect(await failure(say({}))).toBeInstanceOf(Anthropic.PermissionDeniedError);
});

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as InstanceType<typeof Anthropic.APIError>,
  );

test.each<[string, BedrockOptions, ClientOptions, string]>([
  ["another secret", { credentials: CREDENTIALS }, { secret: "wrong" }, "the signature calculated for this request"],
  ["a token that nobody gave", { credentials: CREDENTIALS }, { token: "t" }, "The security token included"],
  ["another key id", { credentials: { ...CREDENTIALS, accessKeyId: "AKIDOTHER" } }, {}, "The security token included"],
  ["another region", { region: "us-east-1" }, {}, "the scope must be of the region us-east-1"],
  ["another bearer token", { apiKey: "right" }, { apiKey: "wrong" }, "The security token included"],
])("the published client is refused for %s", async (_name, bedrock, options, message) => {
  await using twin = await startTwin({ bedrock, scenario: [reply("In.")] });
  const error = await failure(client(twin, options).messages.create(request));

  expect(error).toMatchObject({ status: 403 });
  expect(error?.message).toContain(message);
});

test("the published client recognises the errors as the API's", async () => {
  await using twin = await startTwin({
    scenario: [
      failing(fault.rateLimited(3)),
      failing(fault.overloaded()),
      reply("abc", { deltaChars: 1, fault: fault.errorEvent(1) }),
      reply("abc", { fault: fault.errorEvent(0, "rate_limit_error") }),
      reply("abc", { fault: fault.errorEvent(0, "odd_error", "It broke.") }),
    ],
  });
  const sdk = client(twin);
  const streamed = () => failure(sdk.messages.stream(request).finalMessage());

  const limited = await failure(sdk.messages.create(request));
  expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
  expect(limited?.headers?.get("x-amzn-errortype")).toBe("ThrottlingException");
  expect(limited?.headers?.get("retry-after")).toBe("3");
  expect(await failure(sdk.messages.create(request))).toMatchObject({ status: 503 });
  expect((await streamed())?.message).toContain("serviceUnavailableException");
  expect((await streamed())?.message).toContain("throttlingException");
  expect((await streamed())?.message).toContain("It broke.");
  expect(await failure(sdk.messages.create({ ...request, max_tokens: 0 }))).toBeInstanceOf(Anthropic.BadRequestError);
});
