import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, reply } from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { ProviderError } from "../../../../src/contracts/errors.ts";
import {
  asked,
  doneOf,
  joinedPieces,
  KEY,
  kinds,
  never,
  played,
  providerAt,
  reading,
  retries,
  throughTime,
} from "./support.ts";

describe("a failed attempt", () => {
  const transient: readonly (readonly [string, Fault, number | undefined, RegExp])[] = [
    ["429", fault.rateLimited(), 429, /limits the rate of requests \(429\)/],
    ["529", fault.overloaded(), 529, /is overloaded \(529\)/],
    ["500", fault.serverError(), 500, /failed \(500\)/],
    ["503", fault.status(503), 503, /failed \(503\)/],
    ["408", fault.status(408), 408, /\(408\)/],
    ["409", fault.status(409), 409, /\(409\)/],
    ["a connection that is hung up", fault.hangUp(), undefined, /The connection to 127\.0\.0\.1:\d+ broke/],
  ];
  test.each(transient)("with %s is told and made again", async (_name, failure, status, message) => {
    const { events, error, requests } = await played([failing(failure), reply("Hi.")]);
    expect(error).toBeUndefined();
    expect(events[0]).toEqual({
      type: "retry",
      attempt: 2,
      maxAttempts: 10,
      delayMs: 500,
      status,
      message: expect.stringMatching(message) as never,
    });
    expect(kinds(events)).toEqual(["retry", "text_delta", "block_done", "done"]);
    expect(requests[1]?.bodyText).toBe(requests[0]!.bodyText);
  });

  const broken: readonly (readonly [string, Fault, number | undefined, RegExp])[] = [
    ["an error event", fault.errorEvent(2), 529, /overloaded \(529\): Overloaded/],
    ["an error event of an unknown type", fault.errorEvent(2, "new_error", "Odd."), undefined, /^Odd\.$/],
    [
      "a cut",
      fault.cut({ deltas: 2 }),
      undefined,
      /The connection to 127\.0\.0\.1:\d+ broke|ended before the message was complete/,
    ],
    ["an end without message_stop", fault.noStop(2), undefined, /ended before the message was complete/],
  ];
  test.each(broken)(
    "in the middle of the stream, by %s, voids what was shown",
    async (name, failure, status, message) => {
      const { events, error } = await played([
        reply("Hello, world, and all", { deltaChars: 7, fault: failure }),
        reply("Hi."),
      ]);
      expect(error).toBeUndefined();
      const reason = expect.stringMatching(message) as never;
      // A connection that breaks may take along what had arrived and nobody had read yet.
      const [first, ...others] = joinedPieces(events);
      const isShown = first?.type === "text_delta";
      if (isShown) expect("Hello, world, ").toStartWith(first.text);
      if (name !== "a cut") expect(first).toEqual({ type: "text_delta", text: "Hello, world, " });
      expect((isShown ? others : joinedPieces(events)).slice(0, isShown ? 2 : 1)).toEqual([
        ...(isShown ? [{ type: "restarted" as const, reason }] : []),
        {
          type: "retry",
          attempt: 2,
          maxAttempts: name.startsWith("an end") ? 3 : 10,
          delayMs: 500,
          status,
          message: reason,
        },
      ]);
      expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
    },
  );

  test("at the very end, after every block, is made again too", async () => {
    const { events } = await played([reply("Hello.", { fault: fault.noStop() }), reply("Hi.")]);
    expect(kinds(events)).toEqual([
      "text_delta",
      "block_done",
      "restarted",
      "retry",
      "text_delta",
      "block_done",
      "done",
    ]);
  });

  test("waits as long as the server asks, up to a minute", async () => {
    const { events } = await played([
      failing(fault.rateLimited(7)),
      failing(fault.rateLimited("Fri, 02 Jan 2026 03:05:00 GMT")),
      failing(fault.rateLimited(60)),
      reply("Hi."),
    ]);
    expect(retries(events).map((event) => event.type === "retry" && event.delayMs)).toEqual([7_000, 48_000, 60_000]);
  });

  test("that asks for more than a minute is not waited for, and says until when", async () => {
    const { events, error } = await played([failing(fault.rateLimited(300))]);
    expect(events).toEqual([]);
    expect(error).toBeInstanceOf(ProviderError);
    expect((error as ProviderError).status).toBe(429);
    expect((error as ProviderError).message).toMatch(
      /asks for a wait of 300 s, more than the limit of 60 s: try again after 2026-01-02T03:09:05Z\.$/,
    );
  });

  test("is made ten times in all, and then given up", async () => {
    const { events, error, requests } = await played(() => failing(fault.overloaded()));
    expect(retries(events).map((event) => event.type === "retry" && [event.attempt, event.delayMs])).toEqual(
      [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000].map((delayMs, index) => [index + 2, delayMs]),
    );
    expect(requests).toHaveLength(10);
    expect(error).toMatchObject({
      name: "ProviderError",
      status: 529,
      message: expect.stringContaining("Quoll tried 10 times."),
    });
  });
});

describe("errors that a retry cannot help are reported at once, in one line", () => {
  const final: readonly (readonly [string, Fault, number, RegExp])[] = [
    ["400", fault.badRequest("messages: too odd"), 400, /rejects the request \(400\): messages: too odd\.$/],
    [
      "401",
      fault.status(401, { message: `invalid x-api-key ${KEY}` }),
      401,
      /does not accept the key \(401\): check ANTHROPIC_API_KEY\.$/,
    ],
    [
      "403",
      fault.status(403, { message: "Not yours." }),
      403,
      /does not allow this key to use "claude-sonnet-5-5" \(403\): Not yours\. Check ANTHROPIC_API_KEY, or choose another model\.$/,
    ],
    [
      "404",
      fault.status(404, { message: "model: claude" }),
      404,
      /has no model "claude-sonnet-5-5" \(404\): choose another model; "quoll models" lists names\.$/,
    ],
    [
      "404 of another server",
      fault.status(404, { errorType: "page_missing" }),
      404,
      /no Messages API at http:\/\/127\.0\.0\.1:\d+\/v1\/messages \(404\): check ANTHROPIC_BASE_URL\.$/,
    ],
    ["413", fault.status(413, { message: "Too big." }), 413, /too large for 127\.0\.0\.1:\d+ \(413\): Too big\./],
    ["402", fault.status(402, { message: "Pay." }), 402, /billing \(402\): Pay\. Check the account's plan/],
    ["400 about credit", fault.badRequest("Your credit balance is too low to access the API."), 400, /billing \(400\)/],
    [
      "429 about a quota",
      fault.status(429, { message: "You have exceeded your monthly quota." }),
      429,
      /billing \(429\)/,
    ],
    [
      "429 about a spend limit",
      fault.status(429, { errorType: "enforced_spend_limit_reached", message: "No." }),
      429,
      /billing \(429\)/,
    ],
    [
      "a redirect",
      fault.status(302, { headers: { location: "http://127.0.0.1:9/steal" } }),
      302,
      /redirect \(302\) to http:\/\/127\.0\.0\.1:9\/steal, which Quoll does not follow with a key/,
    ],
    [
      "a 500 that asks not to be tried again",
      fault.status(500, { headers: { "x-should-retry": "false" } }),
      500,
      /failed \(500\)/,
    ],
  ];
  test.each(final)("%s", async (_name, failure, status, message) => {
    const { events, error, requests } = await played([failing(failure)]);
    expect(events).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(error).toBeInstanceOf(ProviderError);
    expect((error as ProviderError).status).toBe(status);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain("\n");
    expect((error as Error).message).not.toContain(KEY);
  });

  test("an error event that is the request's own fault", async () => {
    const { events, error } = await played([
      reply("Hello", { fault: fault.errorEvent(1, "invalid_request_error", `Bad\n${KEY}`) }),
    ]);
    expect(kinds(events)).toEqual(["text_delta"]);
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/\(400\): Bad …$/) });
  });

  test("a refused token names its own variable", async () => {
    await using twin = await startTwin({ scenario: [], apiKey: "another" });
    const { provider } = providerAt(twin.url, { authToken: "tok" });
    const error = await reading(provider.stream(asked(), never())).end;
    expect((error as Error).message).toMatch(/check ANTHROPIC_AUTH_TOKEN\.$/);
  });
});

test("a missing server is named, and tried ten times", async () => {
  const twin: Twin = await startTwin({ scenario: [] });
  await twin.close();
  const { provider, clock } = providerAt(twin.url);
  const read = reading(provider.stream(asked(), never()));
  const error = await throughTime(read, clock);
  const host = new URL(twin.url).host;
  expect(retries(read.events)).toHaveLength(9);
  expect(error).toMatchObject({
    name: "ProviderError",
    status: undefined,
    message: `${host} refuses the connection (ECONNREFUSED): check the address and whether the server is running. Quoll tried 10 times.`,
  });
});

describe("a silent server", () => {
  test("is noted after 30 s, given up after 90 s and asked again", async () => {
    await using twin = await startTwin({
      scenario: [reply("Hello, world", { deltaChars: 5, fault: fault.stall(1) }), reply("Hi.")],
    });
    const { provider, clock } = providerAt(twin.url);
    const read = reading(provider.stream(asked(), never()));
    await read.until("text_delta");
    await clock.advance(29_999);
    expect(kinds(read.events)).toEqual(["text_delta"]);
    await clock.advance(1);
    await read.until("notice");
    await clock.advance(59_999);
    expect(kinds(read.events)).toEqual(["text_delta", "notice"]);
    await clock.advance(1);
    await read.until("retry");
    await twin.answered(0);
    await clock.advance(500);
    await read.end;
    expect(read.events.slice(1, 4)).toEqual([
      { type: "notice", message: "The model has sent nothing for 30 s; Quoll retries in 60 s." },
      { type: "restarted", reason: "The model sent nothing for 90 s." },
      {
        type: "retry",
        attempt: 2,
        maxAttempts: 10,
        delayMs: 500,
        status: undefined,
        message: "The model sent nothing for 90 s.",
      },
    ]);
    expect(kinds(read.events).at(-1)).toBe("done");
  });

  test("on this machine has 10 minutes for its first word", async () => {
    await using twin = await startTwin({ scenario: [failing(fault.silence()), reply("Hi.")] });
    const { provider, clock } = providerAt(twin.url);
    const read = reading(provider.stream(asked(), never()));
    await twin.request(0);
    await clock.advance(599_999);
    expect(read.events).toEqual([]);
    await clock.advance(1);
    await read.until("retry");
    await clock.advance(500);
    await read.end;
    expect(kinds(read.events)).toEqual(["retry", "text_delta", "block_done", "done"]);
  });
});
