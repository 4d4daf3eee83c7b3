import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import AnthropicVertex from "@anthropic-ai/vertex-sdk";
import { failing, fault, reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { expectThreeRounds, failureOf, requestTo, THREE_ROUNDS } from "../../support/claude.ts";

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

const request = requestTo(MODEL);

test("the published client runs a tool loop of three rounds", async () => {
  await using twin = await startTwin({
    apiKey: "token-1",
    vertex: { project: "project-1" },
    scenario: THREE_ROUNDS,
  });
  await expectThreeRounds(twin, client(twin), MODEL);
  expect(twin.requests[0]!.path).toBe(
    "/v1/projects/project-1/locations/europe-west1/publishers/anthropic/models/claude-test@20260101:streamRawPredict",
  );
});

test("the published client gets a whole answer, and counts tokens", async () => {
  await using twin = await startTwin({ scenario: [reply("Hi.")] });
  const { max_tokens: _max, ...countable } = request;

  expect((await client(twin).messages.create(request)).content).toMatchObject([{ text: "Hi." }]);
  expect((await client(twin).messages.countTokens(countable)).input_tokens).toBeGreaterThan(10);
});

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
  const create = (fields: object = {}) => failureOf(sdk.messages.create({ ...request, ...fields }));

  expect(await create()).toBeInstanceOf(Anthropic.RateLimitError);
  expect(await create()).toMatchObject({ status: 529 });
  expect((await failureOf(sdk.messages.stream(request).finalMessage()))?.message).toContain("overloaded_error");
  expect(await create({ max_tokens: 0 })).toBeInstanceOf(Anthropic.BadRequestError);
  expect(await create({ model: "claude-other" })).toBeInstanceOf(Anthropic.NotFoundError);
  expect(await failureOf(client(twin, "old").messages.create(request))).toBeInstanceOf(Anthropic.AuthenticationError);
});
