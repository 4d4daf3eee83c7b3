import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, type Reply, reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { ask, body, parseSse, post, rawExchange } from "../../support/ask.ts";

const streaming = body({ stream: true });
const abcdef = (failure: Fault): Reply => reply("abcdef", { deltaChars: 1, fault: failure });

const serving = (...scenario: Reply[]) => startTwin({ scenario });

describe("an HTTP error", () => {
  test.each([
    [fault.rateLimited(7), 429, "rate_limit_error", "7"],
    [fault.rateLimited("Wed, 21 Oct 2026 07:28:00 GMT"), 429, "rate_limit_error", "Wed, 21 Oct 2026 07:28:00 GMT"],
    [fault.rateLimited(), 429, "rate_limit_error", null],
    [fault.overloaded(), 529, "overloaded_error", null],
    [fault.serverError(), 500, "api_error", null],
    [fault.status(503), 503, "api_error", null],
    [fault.status(403), 403, "permission_error", null],
    [fault.status(402, { errorType: "odd_error" }), 402, "odd_error", null],
  ])("%j has the API's status, type and headers", async (failure, status, type, retryAfter) => {
    await using twin = await serving(failing(failure), reply("Again."));
    const answer = await ask(twin, streaming);

    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ type: "error", error: { type }, request_id: answer.headers.get("request-id") });
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect((await ask(twin, streaming)).status).toBe(200);
  });

  test("tells its own words and headers", async () => {
    await using twin = await serving(
      failing(fault.badRequest("credit is used up")),
      failing(fault.status(500, { headers: { "x-should-retry": "true" } })),
    );

    expect((await ask(twin, streaming)).json).toMatchObject({
      error: { type: "invalid_request_error", message: "credit is used up" },
    });
    expect((await ask(twin, streaming)).headers.get("x-should-retry")).toBe("true");
  });
});

describe("an error event", () => {
  test("comes after the deltas asked for and ends the stream", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(2, "api_error", "It broke.")));
    const answer = await ask(twin, streaming);
    const events = parseSse(answer.text);

    expect(answer.status).toBe(200);
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "error",
    ]);
    expect(events.at(-1)).toEqual({
      type: "error",
      error: { type: "api_error", message: "It broke." },
      request_id: "req_twin_000001",
    });
  });

  test("says overloaded if nothing else was asked for, and is a status without a stream", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(0)), abcdef(fault.errorEvent(0)));

    expect(parseSse((await ask(twin, streaming)).text).at(-1)).toMatchObject({ error: { type: "overloaded_error" } });
    expect((await ask(twin, body())).status).toBe(529);
  });
});

describe("a broken connection", () => {
  test.each([0, 1, 3, 6])("comes after %i deltas", async (deltas) => {
    await using twin = await serving(abcdef(fault.cut({ deltas })));
    const seen = await rawExchange(twin, streaming);

    expect(seen).toMatchObject({ deltas, isComplete: false });
    expect(seen.text).not.toContain("message_stop");
  });

  test("comes before the closing events even if there are fewer deltas", async () => {
    await using twin = await serving(abcdef(fault.cut({ deltas: 99 })));
    const seen = await rawExchange(twin, streaming);

    expect(seen).toMatchObject({ deltas: 6, isComplete: false });
    expect(seen.text).not.toContain("content_block_stop");
  });

  test.each([1, 25, 333])("comes after %i bytes of the body", async (bytes) => {
    await using twin = await serving(abcdef(fault.cut({ bytes })));
    const seen = await rawExchange(twin, streaming);
    const chunks = seen.text.split("\r\n\r\n").slice(1).join("\r\n\r\n");
    const payload = chunks.replaceAll(/^[0-9a-f]+\r\n|\r\n[0-9a-f]+\r\n|\r\n$/g, "");

    expect(payload.length).toBe(bytes);
    expect(seen.isComplete).toBe(false);
  });

  test("strikes a body that is cut into pieces at the same byte", async () => {
    await using twin = await serving({ ...abcdef(fault.cut({ bytes: 50 })), cutBytes: [50] });

    expect((await rawExchange(twin, streaming)).text).toContain("\r\n32\r\n");
  });

  test("makes a client fail, and the next request is served", async () => {
    await using twin = await serving(abcdef(fault.cut({ deltas: 2 })), failing(fault.hangUp()), reply("Fine."));
    const failed = (request: Promise<unknown>) =>
      request.then(
        () => "answered",
        () => "failed",
      );

    expect(await failed(ask(twin, streaming))).toBe("failed");
    expect(await failed(ask(twin, streaming))).toBe("failed");
    expect((await ask(twin, streaming)).status).toBe(200);
    expect(twin.requests.map(({ status }) => status)).toEqual([200, undefined, 200]);
  });

  test("comes before any byte when the twin hangs up", async () => {
    await using twin = await serving(failing(fault.hangUp()));

    expect((await rawExchange(twin, streaming)).text).toBe("");
  });
});

describe("silence", () => {
  /** Checks that the answer is still open after the same twin has answered another request. */
  async function staysOpen(twin: Twin, first: Promise<unknown>) {
    await twin.request(0);
    await ask(twin, streaming);
    return Promise.race([
      first.then(
        () => false,
        () => false,
      ),
      Promise.resolve(true),
    ]);
  }

  test("never answers, until the twin closes", async () => {
    await using twin = await serving(failing(fault.silence()), reply("Other."));
    const silent = rawExchange(twin, streaming);

    expect(await staysOpen(twin, silent)).toBe(true);
    expect(twin.requests[0]).toMatchObject({ status: undefined, endedAtMs: undefined });
    await twin.close();
    expect((await silent).text).toBe("");
  });

  test("in the middle comes after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.stall(3)), reply("Other."));
    let seen = "";
    const stalled = rawExchange(twin, streaming, (text) => {
      seen = text;
      return false;
    });

    expect(await staysOpen(twin, stalled)).toBe(true);
    await twin.close();
    expect(await stalled).toMatchObject({ deltas: 3, isComplete: false });
    expect(seen).not.toContain("content_block_stop");
  });

  test("ends when the client goes away", async () => {
    await using twin = await serving(failing(fault.silence()));
    const leaving = new AbortController();
    const request = post(twin, streaming, { signal: leaving.signal }).catch(() => "aborted");
    await twin.request(0);
    leaving.abort();

    expect(await request).toBe("aborted");
    expect((await twin.answered(0)).endedAtMs).toBeNumber();
  });
});

describe("a stream without its end", () => {
  test("lacks only the last event", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const events = parseSse((await ask(twin, streaming)).text);

    expect(events.at(-1)).toMatchObject({ type: "message_delta", delta: { stop_reason: "end_turn" } });
  });

  test("can end after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.noStop(4)));
    const events = parseSse((await ask(twin, streaming)).text);

    expect(events.filter(({ type }) => type === "content_block_delta").length).toBe(4);
    expect(events.at(-1)?.type).toBe("content_block_delta");
  });

  test("is broken JSON when nothing is streamed", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const response = await post(twin, body());
    const text = await response.text();

    expect(() => JSON.parse(text)).toThrow();
    expect(JSON.parse(`${text}}`)).toMatchObject({ type: "message" });
  });
});

test("a scenario that is used up says so, plainly", async () => {
  await using twin = await serving(reply("Only."));
  await ask(twin, streaming);
  const answer = await ask(twin, streaming);

  expect(answer.status).toBe(500);
  expect(answer.json).toMatchObject({
    error: { type: "api_error", message: "model-twin: the scenario has no more replies" },
  });
  expect(answer.headers.get("x-should-retry")).toBe("false");
});
