import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, type Reply, reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { type Answered, rawExchange } from "../../support/ask.ts";
import {
  askGemini,
  type Chunk,
  errorOf,
  GEMINI_HEADERS,
  geminiBody,
  parseStream,
  partsOf,
  STREAM,
} from "./ask-gemini.ts";

const abcdef = (failure: Fault): Reply => reply("abcdef", { deltaChars: 1, fault: failure });
const serving = (...scenario: Reply[]) => startTwin({ scenario });
const stream = (twin: Twin) => askGemini(twin, {}, STREAM);
const raw = (twin: Twin, until?: (received: string) => boolean) =>
  rawExchange(twin, geminiBody(), until, { path: STREAM, headers: GEMINI_HEADERS });

const RPC = "type.googleapis.com/google.rpc";
const letters = (chunks: readonly Chunk[]) =>
  partsOf(chunks)
    .map((part) => part["text"])
    .join("");
const lettersIn = (received: string) => [...received.matchAll(/"text":"(\w)"/g)].map(([, letter]) => letter).join("");
const failed = (request: Promise<Answered>) =>
  request.then(
    () => "answered",
    () => "failed",
  );

describe("an HTTP error", () => {
  test.each<[Fault, number, string]>([
    [fault.rateLimited(), 429, "RESOURCE_EXHAUSTED"],
    [fault.overloaded(), 503, "UNAVAILABLE"],
    [fault.serverError(), 500, "INTERNAL"],
    [fault.status(503), 503, "UNAVAILABLE"],
    [fault.status(504), 504, "DEADLINE_EXCEEDED"],
    [fault.status(401), 401, "UNAUTHENTICATED"],
    [fault.status(403), 403, "PERMISSION_DENIED"],
    [fault.status(404), 404, "NOT_FOUND"],
    [fault.status(418), 418, "INVALID_ARGUMENT"],
    [fault.status(429, { errorType: "billing_error" }), 429, "RESOURCE_EXHAUSTED"],
    [fault.status(400, { errorType: "FAILED_PRECONDITION" }), 400, "FAILED_PRECONDITION"],
    [fault.status(500, { errorType: "ODD" }), 500, "ODD"],
  ])("%j has the API's code and status", async (failure, code, status) => {
    await using twin = await serving(failing(failure), reply("Again."));
    const answer = await stream(twin);

    expect(answer.status).toBe(code);
    expect(errorOf(answer)).toMatchObject({ code, status });
    expect((await stream(twin)).status).toBe(200);
  });

  test("says how long to wait in its details, not in a header", async () => {
    await using twin = await serving(failing(fault.rateLimited(7)), failing(fault.status(503, { retryAfter: "1.5" })));
    const limited = await stream(twin);

    expect(limited.json).toEqual({
      error: {
        code: 429,
        message: "Too many requests for this model: try again later",
        status: "RESOURCE_EXHAUSTED",
        details: [
          {
            "@type": `${RPC}.QuotaFailure`,
            violations: [
              {
                quotaMetric: "generativelanguage.googleapis.com/generate_content_requests",
                quotaId: "GenerateRequestsPerMinutePerProjectPerModel",
              },
            ],
          },
          { "@type": `${RPC}.RetryInfo`, retryDelay: "7s" },
        ],
      },
    });
    expect(limited.headers.get("retry-after")).toBeNull();
    expect(errorOf(await stream(twin)).details).toEqual([{ "@type": `${RPC}.RetryInfo`, retryDelay: "1.5s" }]);
  });

  test("says a date in the header, for which its details have no place", async () => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    await using twin = await serving(failing(fault.rateLimited(date)));
    const answer = await stream(twin);

    expect(answer.headers.get("retry-after")).toBe(date);
    expect(errorOf(answer).details).toHaveLength(1);
  });

  test("of a quota names the day's", async () => {
    await using twin = await serving(failing(fault.status(429, { errorType: "billing_error" })));
    const { message, details } = errorOf(await stream(twin));

    expect(message).toBe("You exceeded your current quota: check your plan and billing details");
    expect(details).toMatchObject([{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] }]);
  });

  test("of a bad key names its reason", async () => {
    await using twin = await serving(failing(fault.status(400, { errorType: "authentication_error" })));

    expect(errorOf(await stream(twin)).details).toMatchObject([{ reason: "API_KEY_INVALID" }]);
  });

  test("tells its own words and headers, and of a prompt that is too long in the API's", async () => {
    await using twin = await serving(
      failing(fault.status(400, { message: "so it is", headers: { "x-own": "1" } })),
      failing(fault.badRequest("prompt is too long: 210000 tokens > 200000 maximum")),
      failing(fault.badRequest("Prompt is too long")),
    );
    const answer = await stream(twin);

    expect(errorOf(answer).message).toBe("so it is");
    expect(answer.headers.get("x-own")).toBe("1");
    expect(errorOf(await stream(twin)).message).toBe(
      "The input token count (210000) exceeds the maximum number of tokens allowed (200000).",
    );
    expect(errorOf(await stream(twin)).message).toContain("exceeds the maximum number of tokens allowed");
  });
});

describe("an error in the stream", () => {
  test("comes after the deltas asked for, and is the last that comes", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(2, "api_error", "It broke.")));
    const answer = await stream(twin);
    const chunks = parseStream(answer.text);

    expect(answer.status).toBe(200);
    expect(letters(chunks.slice(0, -1))).toBe("ab");
    expect(chunks.at(-1)).toEqual({ error: { code: 500, message: "It broke.", status: "INTERNAL" } });
  });

  test("says overloaded if nothing else was asked for, and is a status without a stream", async () => {
    await using twin = await serving(abcdef(fault.errorEvent(0)), abcdef(fault.errorEvent(0)));

    expect(parseStream((await stream(twin)).text)).toEqual([
      { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } },
    ]);
    expect((await askGemini(twin)).status).toBe(503);
  });

  test("comes before the end even of an answer without anything", async () => {
    await using twin = await serving(failing(fault.errorEvent(0)));
    const chunks = parseStream((await stream(twin)).text);

    expect(chunks.map(({ candidates, error }) => candidates?.[0]?.finishReason ?? error?.status)).toEqual([
      undefined,
      "UNAVAILABLE",
    ]);
  });

  test.each([0, 3])("is an item of the array, after %i deltas", async (deltas) => {
    await using twin = await serving(abcdef(fault.errorEvent(deltas)));
    const { json } = await askGemini(twin, {}, STREAM.replace("?alt=sse", ""));

    expect(json).toHaveLength(deltas + 1);
    expect((json as Chunk[]).at(-1)).toMatchObject({ error: { code: 503 } });
  });
});

describe("a broken connection", () => {
  test.each([0, 1, 3, 6, 99])("comes after %i deltas", async (deltas) => {
    await using twin = await serving(abcdef(fault.cut({ deltas })));
    const seen = await raw(twin);

    expect(lettersIn(seen.text)).toBe("abcdef".slice(0, deltas));
    expect(seen.isComplete).toBe(false);
    expect(seen.text).not.toContain("finishReason");
  });

  test.each([1, 25, 333])("comes after %i bytes of the body", async (bytes) => {
    await using twin = await serving(abcdef(fault.cut({ bytes })));
    const seen = await raw(twin);
    const chunks = seen.text.slice(seen.text.indexOf("\r\n\r\n") + 4);
    const sizes = [...chunks.matchAll(/(?:^|\r\n)([0-9a-f]+)\r\n(?=data|[^\r])/g)].map(([, size]) =>
      Number.parseInt(size!, 16),
    );

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
    expect(seen.isComplete).toBe(false);
  });

  test("comes before any byte when the twin hangs up", async () => {
    await using twin = await serving(failing(fault.hangUp()), reply("Fine."));

    expect((await raw(twin)).text).toBe("");
    expect(await failed(stream(twin))).toBe("answered");
  });
});

describe("silence", () => {
  test("never answers, until the twin closes", async () => {
    await using twin = await serving(failing(fault.silence()), reply("Other."));
    const silent = raw(twin);
    await twin.request(0);

    expect((await stream(twin)).status).toBe(200);
    expect(twin.requests[0]).toMatchObject({ status: undefined, endedAtMs: undefined });
    await twin.close();
    expect((await silent).text).toBe("");
  });

  test("in the middle comes after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.stall(3)), reply("Other."));
    const third = Promise.withResolvers<void>();
    const stalled = raw(twin, (seen) => {
      if (lettersIn(seen) === "abc") third.resolve();
      return false;
    });
    await third.promise;

    expect((await stream(twin)).status).toBe(200);
    expect(twin.requests[0]).toMatchObject({ status: 200, endedAtMs: undefined });
    await twin.close();
    expect(lettersIn((await stalled).text)).toBe("abc");
  });
});

describe("a stream without its end", () => {
  test("lacks the finish reason", async () => {
    await using twin = await serving(abcdef(fault.noStop()));
    const chunks = parseStream((await stream(twin)).text);

    expect(letters(chunks)).toBe("abcdef");
    expect(chunks.map(({ candidates }) => candidates![0]!.finishReason)).toEqual(Array(6).fill(undefined));
  });

  test("can end after the deltas asked for", async () => {
    await using twin = await serving(abcdef(fault.noStop(4)));

    expect(letters(parseStream((await stream(twin)).text))).toBe("abcd");
  });

  test("is broken JSON when nothing is streamed, or a whole array is", async () => {
    await using twin = await serving(abcdef(fault.noStop()), abcdef(fault.noStop()));
    const send = async (path: string) => {
      const request = { method: "POST", headers: GEMINI_HEADERS, body: JSON.stringify(geminiBody()) };
      return await (await fetch(`${twin.url}${path}`, request)).text();
    };
    const whole = await send(STREAM.replace("streamGenerateContent?alt=sse", "generateContent"));
    const array = await send(STREAM.replace("?alt=sse", ""));

    expect(() => JSON.parse(whole)).toThrow();
    expect(JSON.parse(`${whole}}`)).toHaveProperty("candidates");
    expect(() => JSON.parse(array)).toThrow();
    expect(JSON.parse(`${array}]`)).toHaveLength(6);
  });
});
