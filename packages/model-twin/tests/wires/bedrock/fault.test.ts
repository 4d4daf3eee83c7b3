import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, type Reply, reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { type AwsEvent, askBedrock, bedrockBody, errorOf, messageEvents, parseEvents, STREAM } from "./ask-bedrock.ts";

const abcdef = (failure: Fault): Reply => reply("abcdef", { deltaChars: 1, fault: failure });
const serving = (...scenario: Reply[]) => startTwin({ scenario });
const stream = (twin: Twin) => askBedrock(twin, bedrockBody(), { path: STREAM });
const failed = (request: Promise<unknown>) =>
  request.then(
    () => "answered",
    () => "failed",
  );
const letters = (events: readonly AwsEvent[]) =>
  messageEvents(events)
    .map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? "")
    .join("");
const typesOf = (events: readonly AwsEvent[]) => messageEvents(events).map(({ type }) => type);

/** The bytes that arrive before a connection breaks; `onBody` sees those that are there so far. */
async function bytesBeforeBreak(twin: Twin, onBody?: (body: Buffer) => void) {
  const { connect } = await import("node:net");
  const payload = JSON.stringify(bedrockBody());
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(twin.url).port), "127.0.0.1", () => {
      socket.write(
        `POST ${STREAM} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: ${payload.length}\r\n\r\n${payload}`,
      );
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      onBody?.(unchunked(Buffer.concat(chunks)));
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
  return unchunked(Buffer.concat(chunks));
}

/** The body of a chunked response, as far as it came. */
function unchunked(raw: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = raw.indexOf("\r\n\r\n") + 4; at > 3 && at < raw.length; ) {
    const lineEnd = raw.indexOf("\r\n", at);
    const size = Number.parseInt(raw.toString("latin1", at, lineEnd), 16);
    if (!size || lineEnd + 2 + size > raw.length) break;
    pieces.push(raw.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}

describe("an HTTP error", () => {
  test.each<[Fault, number, string, string | null]>([
    [fault.rateLimited(7), 429, "ThrottlingException", "7"],
    [fault.rateLimited(), 429, "ThrottlingException", null],
    [fault.overloaded(), 503, "ServiceUnavailableException", null],
    [fault.serverError(), 500, "InternalServerException", null],
    [fault.status(403), 403, "AccessDeniedException", null],
    [fault.status(404), 404, "ResourceNotFoundException", null],
    [fault.status(408), 408, "ModelTimeoutException", null],
    [fault.status(424), 424, "ModelErrorException", null],
    [fault.status(418), 418, "ValidationException", null],
    [fault.status(502), 502, "InternalServerException", null],
    [fault.status(400, { errorType: "billing_error" }), 400, "ServiceQuotaExceededException", null],
    [fault.status(429, { errorType: "ModelNotReadyException" }), 429, "ModelNotReadyException", null],
  ])("%j has AWS's status, exception and headers", async (failure, status, exception, retryAfter) => {
    await using twin = await serving(failing(failure), reply("Again."));
    const answer = await stream(twin);

    expect(errorOf(answer)).toMatchObject({ status, exception });
    expect(answer.json).toEqual({ message: expect.any(String) as string });
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(answer.headers.get("x-amzn-requestid")).toBe("00000000-0000-4000-8000-000000000001");
    expect((await stream(twin)).status).toBe(200);
  });

  test("tells its own words and headers", async () => {
    await using twin = await serving(failing(fault.status(400, { message: "so it is", headers: { "x-own": "1" } })));
    const answer = await stream(twin);

    expect(errorOf(answer).message).toBe("so it is");
    expect(answer.headers.get("x-own")).toBe("1");
  });
});

describe("an exception in the stream", () => {
  test("comes after the deltas asked for, and is the last that comes", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(2, "api_error", "It broke.")));
    const answer = await stream(twin);
    const events = parseEvents(answer.bytes);

    expect(answer.status).toBe(200);
    expect(letters(events)).toBe("ab");
    expect(events.at(-1)).toEqual({
      headers: {
        ":message-type": "exception",
        ":exception-type": "internalServerException",
        ":content-type": "application/json",
      },
      payload: { message: "It broke." },
    });
  });

  test.each([
    ["overloaded_error", "serviceUnavailableException"],
    ["rate_limit_error", "throttlingException"],
    ["timeout_error", "modelTimeoutException"],
    ["invalid_request_error", "validationException"],
    ["ThrottlingException", "throttlingException"],
  ])("for %s is a %s", async (type, exception) => {
    await using twin = await serving(abcdef(fault.errorEvent(0, type, "Words.")));
    const events = parseEvents((await stream(twin)).bytes);

    expect(typesOf(events)).toEqual(["message_start", "content_block_start"]);
    expect(events.at(-1)).toMatchObject({ headers: { ":exception-type": exception }, payload: { message: "Words." } });
  });

  test.each([
    ["permission_error", 403],
    ["odd_error", 500],
    ["ModelStreamErrorException", 500],
  ])("for %s, which a stream has no exception for, is the model's own", async (type, status) => {
    await using twin = await serving(abcdef(fault.errorEvent(0, type, "Words.")));

    expect(parseEvents((await stream(twin)).bytes).at(-1)).toMatchObject({
      headers: { ":exception-type": "modelStreamErrorException" },
      payload: { message: "Words.", originalStatusCode: status, originalMessage: "Words." },
    });
  });

  test("is a status without a stream", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(0)), abcdef(fault.errorEvent(0, "rate_limit_error")));

    expect(errorOf(await askBedrock(twin, bedrockBody()))).toEqual({
      status: 503,
      exception: "ServiceUnavailableException",
      message: "Overloaded",
    });
    expect(errorOf(await askBedrock(twin, bedrockBody()))).toMatchObject({ status: 429 });
  });
});

describe("a broken connection", () => {
  test.each([0, 1, 3, 6, 99])("comes after %i deltas, between two messages", async (deltas) => {
    await using twin = await serving(abcdef(fault.cut({ deltas })));
    const events = parseEvents(await bytesBeforeBreak(twin));

    expect(letters(events)).toBe("abcdef".slice(0, deltas));
    expect(typesOf(events)).not.toContain("content_block_stop");
  });

  test.each([1, 12, 333])("comes after %i bytes, in the middle of a message", async (bytes) => {
    await using twin = await serving(abcdef(fault.cut({ bytes })));
    const seen = await bytesBeforeBreak(twin);

    expect(seen.length).toBe(bytes);
    expect(() => parseEvents(seen)).toThrow();
  });

  test("comes before any byte when the twin hangs up, and the next request is served", async () => {
    await using twin = await serving(failing(fault.hangUp()), reply("Fine."));

    expect((await bytesBeforeBreak(twin)).length).toBe(0);
    expect(await failed(stream(twin))).toBe("answered");
  });
});

test("silence and a stall last until the twin closes", async () => {
  await using twin = await serving(failing(fault.silence()), abcdef(fault.stall(3)), reply("Other."));
  const silent = bytesBeforeBreak(twin);
  await twin.request(0);
  const third = Promise.withResolvers<void>();
  const stalled = bytesBeforeBreak(twin, (body) => {
    if (letters(parseEvents(body)) === "abc") third.resolve();
  });
  await third.promise;

  expect((await stream(twin)).status).toBe(200);
  expect(twin.requests.map(({ endedAtMs }) => endedAtMs === undefined)).toEqual([true, true, false]);
  await twin.close();
  expect((await silent).length).toBe(0);
  expect(letters(parseEvents(await stalled))).toBe("abc");
});

test("a stream without its end lacks the last event, or ends after the deltas asked for", async () => {
  await using twin = await serving(abcdef(fault.noStop()), abcdef(fault.noStop(4)));
  const first = parseEvents((await stream(twin)).bytes);

  expect(typesOf(first).at(-1)).toBe("message_delta");
  expect(letters(parseEvents((await stream(twin)).bytes))).toBe("abcd");
});

test("a scenario that is used up says so, plainly", async () => {
  await using twin = await serving();
  const answer = await stream(twin);

  expect(errorOf(answer)).toEqual({
    status: 500,
    exception: "InternalServerException",
    message: "model-twin: the scenario has no more replies",
  });
  expect(answer.headers.get("x-should-retry")).toBe("false");
});
