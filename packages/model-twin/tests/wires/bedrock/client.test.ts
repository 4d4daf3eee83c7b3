import { expect, test } from "bun:test";
import AnthropicBedrock from "@anthropic-ai/bedrock-sdk";
import Anthropic from "@anthropic-ai/sdk";
import { failing, fault, reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import type { BedrockOptions } from "../../../src/wires/bedrock/options.ts";
import { expectThreeRounds, failureOf, requestTo, THREE_ROUNDS } from "../../support/claude.ts";

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

const request = requestTo(MODEL);

test("the published client runs a tool loop of three rounds, its signature checked", async () => {
  await using twin = await startTwin({
    bedrock: { credentials: CREDENTIALS, region: "eu-west-1" },
    scenario: THREE_ROUNDS,
  });
  await expectThreeRounds(twin, client(twin), MODEL);
});

test("the published client gets a whole answer too, with a session token or a bearer token", async () => {
  const credentials = { ...CREDENTIALS, sessionToken: "session" };
  await using twin = await startTwin({ bedrock: { credentials, apiKey: "bearer" }, scenario: () => reply("Hi.") });
  const say = (options: ClientOptions) => client(twin, options).messages.create(request);

  expect((await say({ token: "session" })).content).toMatchObject([{ text: "Hi." }]);
  expect((await say({ apiKey: "bearer" })).content).toMatchObject([{ text: "Hi." }]);
  expect(await failureOf(say({}))).toBeInstanceOf(Anthropic.PermissionDeniedError);
});

test.each<[string, BedrockOptions, ClientOptions, string]>([
  ["another secret", { credentials: CREDENTIALS }, { secret: "wrong" }, "the signature calculated for this request"],
  ["a token that nobody gave", { credentials: CREDENTIALS }, { token: "t" }, "The security token included"],
  ["another key id", { credentials: { ...CREDENTIALS, accessKeyId: "AKIDOTHER" } }, {}, "The security token included"],
  ["another region", { region: "us-east-1" }, {}, "the scope must be of the region us-east-1"],
  ["another bearer token", { apiKey: "right" }, { apiKey: "wrong" }, "The security token included"],
])("the published client is refused for %s", async (_name, bedrock, options, message) => {
  await using twin = await startTwin({ bedrock, scenario: [reply("In.")] });
  const error = await failureOf(client(twin, options).messages.create(request));

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
  const streamed = () => failureOf(sdk.messages.stream(request).finalMessage());

  const limited = await failureOf(sdk.messages.create(request));
  expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
  expect(limited?.headers?.get("x-amzn-errortype")).toBe("ThrottlingException");
  expect(limited?.headers?.get("retry-after")).toBe("3");
  expect(await failureOf(sdk.messages.create(request))).toMatchObject({ status: 503 });
  expect((await streamed())?.message).toContain("serviceUnavailableException");
  expect((await streamed())?.message).toContain("throttlingException");
  expect((await streamed())?.message).toContain("It broke.");
  expect(await failureOf(sdk.messages.create({ ...request, max_tokens: 0 }))).toBeInstanceOf(Anthropic.BadRequestError);
});
