import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, type Reply, reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { isEnded } from "../../support/ask.ts";
import { askResponses, errorOf, parseResponses, RESPONSES, rawOpenAi, responsesBody } from "../../support/openai.ts";

const streaming = { stream: true };
const asked = responsesBody(streaming);
const abcdef = (failure: Fault): Reply => reply("abcdef", { deltaChars: 1, fault: failure });
const serving = (...scenario: Reply[]) => startTwin({ scenario });
const deltasIn = (raw: string) => raw.split("event: response.output_text.delta").length - 1;

describe("an HTTP error", () => {
  test.each([
    [fault.rateLimited(7), 429, "requests", "rate_limit_exceeded", "7"],
    [fault.overloaded(), 503, "server_error", "server_is_overloaded", null],
    [fault.serverError(), 500, "server_error", null, null],
    [
      fault.badRequest("Prompt is too long: 5 tokens > 3 maximum"),
      400,
      "invalid_request_error",
      "context_length_exceeded",
      null,
    ],
  ])("%j has the API's status, type, code and headers", async (failure, status, type, code, retryAfter) => {
    await using twin = await serving(failing(failure), reply("Again."));
    const answer = await askResponses(twin, streaming);

    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toEqual({ message: expect.any(String), type, param: null, code });
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect((await askResponses(twin, streaming)).status).toBe(200);
  });
});

describe("an error in the stream", () => {
  test("is a failed response after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(2, "api_error", "It broke.")));
    const answer = await askResponses(twin, streaming);
    const events = parseResponses(answer.text);

    expect(answer.status).toBe(200);
    expect(deltasIn(answer.text)).toBe(2);
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: {
        id: "resp_twin_000001",
        status: "failed",
        output: [],
        usage: null,
        error: { code: "server_error", message: "It broke." },
      },
    });
  });

  test("can be an error event", async () => {
    await using twin = await startTwin({
      scenario: [abcdef(fault.errorEvent(1))],
      openai: { responses: { streamErrors: "error" } },
    });
    const events = parseResponses((await askResponses(twin, streaming)).text);

    expect(events.at(-1)).toEqual({
      type: "error",
      sequence_number: 5,
      code: "server_is_overloaded",
      message: "Overloaded",
      param: null,
    });
  });

  test("is a status without a stream", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(0)));

    expect((await askResponses(twin)).status).toBe(503);
  });
});

describe("a broken connection", () => {
  test.each([0, 1, 3, 6, 99])("comes after %i deltas, at most those that there are", async (deltas) => {
    await using twin = await serving(abcdef(fault.cut({ deltas })));
    const seen = await rawOpenAi(twin, RESPONSES, asked);

    expect(deltasIn(seen.text)).toBe(Math.min(deltas, 6));
    expect(seen.isComplete).toBe(false);
    expect(seen.text).not.toContain("response.output_text.done");
  });

  test.each([1, 25, 333])("comes after %i bytes of the body", async (bytes) => {
    await using twin = await serving(abcdef(fault.cut({ bytes })));
    const seen = await rawOpenAi(twin, RESPONSES, asked);
    const chunks = seen.text.split("\r\n\r\n").slice(1).join("\r\n\r\n");
    const payload = chunks.replaceAll(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n|\r\n$/g, "");

    expect(payload.length).toBe(bytes);
  });

  test("comes before any byte when the twin hangs up", async () => {
    await using twin = await serving(failing(fault.hangUp()), reply("Fine."));

    expect((await rawOpenAi(twin, RESPONSES, asked)).text).toBe("");
    expect((await askResponses(twin, streaming)).status).toBe(200);
  });
});

describe("silence", () => {
  async function staysOpen(twin: Twin, first: Promise<unknown>) {
    await twin.request(0);
    await askResponses(twin, streaming);
    const settled = first.then(() => false);
    return Promise.race([settled, Promise.resolve(true)]);
  }

  test("never answers, until the twin closes", async () => {
    await using twin = await serving(failing(fault.silence()), reply("Other."));
    const silent = rawOpenAi(twin, RESPONSES, asked);

    expect(await staysOpen(twin, silent)).toBe(true);
    await twin.close();
    expect((await silent).text).toBe("");
  });

  test("in the middle comes after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.stall(3)), reply("Other."));
    const stalled = rawOpenAi(twin, RESPONSES, asked);

    expect(await staysOpen(twin, stalled)).toBe(true);
    await twin.close();
    expect(deltasIn((await stalled).text)).toBe(3);
  });
});

describe("a stream without its end", () => {
  test("lacks only response.completed", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const events = parseResponses((await askResponses(twin, streaming)).text);

    expect(events.at(-1)).toMatchObject({ type: "response.output_item.done", item: { status: "completed" } });
  });

  test("can end after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.noStop(4)));
    const events = parseResponses((await askResponses(twin, streaming)).text);

    expect(events.at(-1)).toMatchObject({ type: "response.output_text.delta", delta: "d" });
  });

  test("is broken JSON when nothing is streamed", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const seen = await rawOpenAi(twin, RESPONSES, responsesBody(), isEnded);

    expect(seen.text).toContain('"metadata":{}\r\n');
  });
});

test("a scenario that is used up says so, plainly", async () => {
  await using twin = await serving();
  const answer = await askResponses(twin, streaming);

  expect(errorOf(answer).message).toBe("model-twin: the scenario has no more replies");
  expect(answer.headers.get("x-should-retry")).toBe("false");
});
