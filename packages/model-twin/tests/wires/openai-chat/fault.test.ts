import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, type Reply, reply, toolUse } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import type { ChatQuirks } from "../../../src/wires/openai/options.ts";
import { isEnded } from "../../support/ask.ts";
import {
  askChat,
  CHAT,
  type Chunk,
  chatBody,
  deltasOf,
  errorOf,
  finishOf,
  parseChat,
  rawOpenAi,
} from "../../support/openai.ts";

const streaming = { stream: true };
const abcdef = (failure: Fault): Reply => reply("abcdef", { deltaChars: 1, fault: failure });
const serving = (...scenario: Reply[]) => startTwin({ scenario });
const deltasIn = (raw: string) => raw.split('"delta":{"content":"').length - 1;

describe("an HTTP error", () => {
  test.each([
    [fault.rateLimited(7), 429, "requests", "rate_limit_exceeded", "7"],
    [
      fault.rateLimited("Wed, 21 Oct 2026 07:28:00 GMT"),
      429,
      "requests",
      "rate_limit_exceeded",
      "Wed, 21 Oct 2026 07:28:00 GMT",
    ],
    [fault.overloaded(), 503, "server_error", "server_is_overloaded", null],
    [fault.serverError(), 500, "server_error", null, null],
    [fault.status(502), 502, "server_error", null, null],
    [fault.status(401), 401, "invalid_request_error", "invalid_api_key", null],
    [fault.status(402), 402, "insufficient_quota", "insufficient_quota", null],
    [fault.status(429, { errorType: "insufficient_quota" }), 429, "insufficient_quota", "insufficient_quota", null],
    [fault.status(418, { errorType: "odd_error" }), 418, "odd_error", "odd_error", null],
    [fault.badRequest("no"), 400, "invalid_request_error", null, null],
    [
      fault.badRequest("prompt is too long: 5 tokens > 3 maximum"),
      400,
      "invalid_request_error",
      "context_length_exceeded",
      null,
    ],
  ])("%j has the API's status, type, code and headers", async (failure, status, type, code, retryAfter) => {
    await using twin = await serving(failing(failure), reply("Again."));
    const answer = await askChat(twin, streaming);

    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toEqual({ message: expect.any(String), type, param: null, code });
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect((await askChat(twin, streaming)).status).toBe(200);
  });

  test("tells its own words and headers", async () => {
    await using twin = await serving(
      failing(fault.status(500, { message: "It broke.", headers: { "x-should-retry": "true" } })),
    );
    const answer = await askChat(twin);

    expect(errorOf(answer).message).toBe("It broke.");
    expect(answer.headers.get("x-should-retry")).toBe("true");
  });

  test.each<[NonNullable<ChatQuirks["errorsWithStatus200"]>, boolean, string]>([
    ["json", true, "application/json"],
    ["json", false, "application/json"],
    ["event", true, "text/event-stream; charset=utf-8"],
    ["event", false, "application/json"],
  ])("can come with status 200, as %s (streamed: %p)", async (errorsWithStatus200, stream, type) => {
    await using twin = await startTwin({
      scenario: [failing(fault.overloaded())],
      openai: { chat: { errorsWithStatus200 } },
    });
    const answer = await askChat(twin, { stream });
    const [event] = type.startsWith("text") ? parseChat(answer.text) : [answer.json];

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(event).toMatchObject({ error: { type: "server_error", code: "server_is_overloaded" } });
  });
});

describe("an error in the stream", () => {
  test("comes after the deltas asked for and ends the stream", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(2, "api_error", "It broke.")));
    const answer = await askChat(twin, streaming);
    const chunks = parseChat(answer.text);

    expect(answer.status).toBe(200);
    expect(deltasOf(chunks.slice(0, -1))).toEqual([{ content: "a" }, { content: "b" }]);
    expect(chunks.at(-1)).toEqual({
      error: { message: "It broke.", type: "server_error", param: null, code: "server_error" },
    } as unknown as Chunk);
  });

  test("says overloaded if nothing else was asked for, and is a status without a stream", async () => {
    await using twin = await serving(abcdef({ kind: "error_event", afterDeltas: 0 }), abcdef(fault.errorEvent(0)));

    expect(parseChat((await askChat(twin, streaming)).text).at(-1)).toMatchObject({
      error: { code: "server_is_overloaded" },
    });
    expect((await askChat(twin)).status).toBe(503);
  });
});

describe("a broken connection", () => {
  const asked = chatBody(streaming);

  test.each([0, 1, 3, 6, 99])("comes after %i deltas, at most those that there are", async (deltas) => {
    await using twin = await serving(abcdef(fault.cut({ deltas })));
    const seen = await rawOpenAi(twin, CHAT, asked);

    expect(deltasIn(seen.text)).toBe(Math.min(deltas, 6));
    expect(seen.isComplete).toBe(false);
    expect(seen.text).not.toContain('"finish_reason":"stop"');
  });

  test.each([1, 25, 333])("comes after %i bytes of the body", async (bytes) => {
    await using twin = await serving(abcdef(fault.cut({ bytes })));
    const seen = await rawOpenAi(twin, CHAT, asked);
    const chunks = seen.text.split("\r\n\r\n").slice(1).join("\r\n\r\n");
    const payload = chunks.replaceAll(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n|\r\n$/g, "");

    expect(payload.length).toBe(bytes);
    expect(seen.isComplete).toBe(false);
  });

  test("comes before any byte when the twin hangs up, and the next request is served", async () => {
    await using twin = await serving(failing(fault.hangUp()), reply("Fine."));

    expect((await rawOpenAi(twin, CHAT, asked)).text).toBe("");
    expect((await askChat(twin, streaming)).status).toBe(200);
  });
});

describe("silence", () => {
  async function staysOpen(twin: Twin, first: Promise<unknown>) {
    await twin.request(0);
    await askChat(twin, streaming);
    const settled = first.then(() => false);
    return Promise.race([settled, Promise.resolve(true)]);
  }

  test("never answers, until the twin closes", async () => {
    await using twin = await serving(failing(fault.silence()), reply("Other."));
    const silent = rawOpenAi(twin, CHAT, chatBody(streaming));

    expect(await staysOpen(twin, silent)).toBe(true);
    await twin.close();
    expect((await silent).text).toBe("");
  });

  test("in the middle comes after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.stall(3)), reply("Other."));
    const stalled = rawOpenAi(twin, CHAT, chatBody(streaming));

    expect(await staysOpen(twin, stalled)).toBe(true);
    await twin.close();
    expect(deltasIn((await stalled).text)).toBe(3);
  });
});

describe("a stream without its end", () => {
  test("lacks only [DONE]", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const chunks = parseChat((await askChat(twin, streaming)).text);

    expect(finishOf(chunks)).toBe("stop");
    expect(chunks).not.toContain("[DONE]");
  });

  test("can end after the deltas asked for, without a reason", async () => {
    await using twin = await serving(abcdef(fault.noStop(4)));
    const chunks = parseChat((await askChat(twin, streaming)).text);

    expect(deltasOf(chunks).length).toBe(4);
    expect(finishOf(chunks)).toBeUndefined();
  });

  test("is broken JSON when nothing is streamed", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const seen = await rawOpenAi(twin, CHAT, chatBody(), isEnded);

    expect(seen.isComplete).toBe(true);
    expect(seen.text).toContain('"completion_tokens_details":{"reasoning_tokens":0}}\r\n');
  });
});

test("a reply that is broken is not gone on with: its request is expected again", async () => {
  const two = [toolUse("Read", { a: 1 }, "t1"), toolUse("Read", { a: 2 }, "t2")];
  await using twin = await startTwin({
    scenario: [reply(two, { fault: fault.noStop() }), reply(two), reply("Done.")],
    openai: { chat: { parallelCalls: false } },
  });
  await askChat(twin, streaming);
  const callsOf = async (fields: object) =>
    (
      (await askChat(twin, fields as never)).json as { choices: { message: { tool_calls?: { id: string }[] } }[] }
    ).choices[0]!.message.tool_calls?.map(({ id }) => id);
  const question = { role: "user", content: "Hello." };
  const call = (id: string) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "Read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: id, content: "ok" },
  ];

  expect(await callsOf({})).toEqual(["t1"]);
  expect(await callsOf({ messages: [question, ...call("t1")] })).toEqual(["t2"]);
  expect(await callsOf({ messages: [question, ...call("t1"), ...call("t2")] })).toBeUndefined();
});

test("a scenario that is used up says so, plainly", async () => {
  await using twin = await serving();
  const answer = await askChat(twin, streaming);

  expect(answer.status).toBe(500);
  expect(errorOf(answer).message).toBe("model-twin: the scenario has no more replies");
  expect(answer.headers.get("x-should-retry")).toBe("false");
});
