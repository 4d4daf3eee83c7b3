import { describe, expect, test } from "bun:test";
import { type Fault, failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { eachOrDeep, isDeep, testOfWire, testOrDeep } from "../../../support/deep.ts";
import { doneOf, kinds, retries } from "../anthropic/support.ts";
import { scriptedServer } from "../scripted-server.ts";
import {
  asked,
  KEY,
  KINDS,
  modelOf,
  never,
  placeOf,
  played,
  providerAt,
  reading,
  throughTime,
  wireOf,
} from "./support.ts";

describe.each(KINDS)("over %s", (kind) => {
  const overWire = testOfWire(kind, KINDS);
  /** In `npm test` each fault happens over one of them. */
  const isQuick = (at: number) => at % KINDS.length === KINDS.indexOf(kind);

  const transient: readonly (readonly [string, Fault, number | undefined, RegExp])[] = [
    ["429", fault.rateLimited(), 429, /limits the rate of requests \(429\)/],
    ["an overload", fault.overloaded(), 503, /is overloaded \(503\)/],
    ["500", fault.serverError(), 500, /failed \(500\)/],
    ["504", fault.status(504), 504, /\(504\)/],
    ["408", fault.status(408), 408, /\(408\)/],
    ["a connection that is hung up", fault.hangUp(), undefined, /The connection to 127\.0\.0\.1:\d+ broke/],
  ];
  eachOrDeep(
    "a try that failed with %s is told and made again",
    isQuick,
    transient,
    async (_name, failure, status, message) => {
      const { events, error, requests } = await played(kind, [failing(failure), reply("Hi.")]);
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
    },
  );

  const broken: readonly (readonly [string, Fault])[] = [
    ["an error event", fault.errorEvent(2)],
    ["an error event of an unknown type", fault.errorEvent(2, "new_error", "Odd.")],
    ["a cut", fault.cut({ deltas: 2 })],
    ["an end without its last event", fault.noStop(2)],
  ];
  eachOrDeep("%s in the middle of a stream voids what was shown", isQuick, broken, async (name, failure) => {
    const { events, error } = await played(kind, [
      reply("Hello, world, and all", { deltaChars: 7, fault: failure }),
      reply("Hi."),
    ]);
    expect(error).toBeUndefined();
    // A connection that breaks may take along what had arrived and nobody had read yet.
    const isShown = name !== "a cut" || kinds(events)[0] !== "retry";
    expect(kinds(events)).toEqual(
      expect.arrayContaining([...(isShown ? ["text_delta", "restarted"] : []), "retry", "done"]),
    );
    const shown = events.slice(0, kinds(events).indexOf(isShown ? "restarted" : "retry"));
    expect(shown.every(({ type }) => type === "text_delta" || type === "block_done")).toBe(true);
    expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
  });

  overWire(
    "an end without its last event after everything else is made again, unless the answer was said to be complete",
    async () => {
      const { events, error } = await played(kind, [reply("Hello.", { fault: fault.noStop() }), reply("Hi.")]);
      expect(error).toBeUndefined();
      // Of Chat Completions only the mark [DONE] is missing: the finish reason came.
      const isComplete = kind === "chat" || kind === "compatible";
      expect(kinds(events).filter((type) => type === "restarted")).toHaveLength(isComplete ? 0 : 1);
      expect(doneOf(events).content).toEqual([{ type: "text", text: isComplete ? "Hello." : "Hi." }]);
    },
  );

  testOrDeep(!isDeep)("a cut at any byte is made again", async () => {
    const scenario = reply([thinking("Hm."), text("Hello."), toolUse("Read", { file_path: "a" }, "t1")], {
      deltaChars: 4,
    });
    const first = isDeep ? 1 : 1 + KINDS.indexOf(kind) * 97;
    for (let bytes = first; bytes < 1_100; bytes += isDeep ? 97 : 776) {
      const cut = { ...scenario, fault: fault.cut({ bytes }) };
      const { events, error } = await played(kind, [cut, reply("Hi.")]);
      expect([bytes, error]).toEqual([bytes, undefined]);
      expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
      expect(retries(events)).toHaveLength(1);
    }
  });

  overWire("a retry waits as long as Retry-After says, up to a minute", async () => {
    const { events } = await played(kind, [failing(fault.rateLimited(7)), reply("Hi.")]);
    expect(retries(events)).toMatchObject([{ delayMs: 7_000 }]);
    const { error } = await played(kind, [failing(fault.rateLimited(300))]);
    expect(error).toMatchObject({
      kind: "overloaded",
      status: 429,
      message: expect.stringContaining("asks for a wait of 300 s"),
    });
  });

  const final: readonly (readonly [string, Fault, number, RegExp, string])[] = [
    ["400", fault.badRequest("messages: too odd"), 400, /rejects the request \(400\): messages: too odd\.$/, "other"],
    [
      "401",
      fault.status(401, { message: `Incorrect API key ${KEY}` }),
      401,
      /does not accept the key \(401\): check OPENAI_API_KEY\.$/,
      "other",
    ],
    ["402", fault.status(402, { message: "Pay." }), 402, /billing \(402\): Pay\./, "other"],
    [
      "a spent quota",
      fault.status(429, { errorType: "insufficient_quota", message: "You exceeded your current quota." }),
      429,
      /billing \(429\)/,
      "other",
    ],
    [
      "a prompt that is too long",
      fault.badRequest("This model's maximum context length is 8 tokens."),
      400,
      /\(400\)/,
      "too_long",
    ],
    ["a picture that is too large", fault.badRequest("The image is too large."), 400, /\(400\)/, "image_too_large"],
    [
      "a redirect",
      fault.status(302, { headers: { location: "http://127.0.0.1:9/steal" } }),
      302,
      /redirect \(302\) to http:\/\/127\.0\.0\.1:9\/steal, .* set OPENAI_BASE_URL/,
      "other",
    ],
  ];
  eachOrDeep(
    "%s is said at once, in one line",
    isQuick,
    final,
    async (_name, failure, status, message, failureKind) => {
      const { events, error, requests } = await played(kind, [failing(failure)]);
      expect([events, requests.length]).toEqual([[], 1]);
      expect(error).toMatchObject({ name: "ProviderError", status, kind: failureKind });
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).not.toContain(KEY);
      expect((error as Error).message).not.toContain("\n");
    },
  );

  overWire("an error inside a 200 is read as an error", async () => {
    const { events, error } = await played(kind, [failing(fault.status(500, { message: "Sorry." })), reply("Hi.")], {
      twin: { openai: { chat: { errorsWithStatus200: kind === "responses" ? undefined : "event" } } },
    });
    expect(error).toBeUndefined();
    expect(retries(events)).toHaveLength(1);
  });

  overWire("a missing server is named, and tried ten times", async () => {
    const twin: Twin = await startTwin({ scenario: [] });
    await twin.close();
    const { provider, clock } = providerAt(placeOf(kind, twin), wireOf(kind));
    const read = reading(provider.stream(asked(undefined, { model: modelOf(kind) }), never()));
    const error = await throughTime(read, clock);
    expect(retries(read.events)).toHaveLength(9);
    expect((error as Error).message).toMatch(/refuses the connection \(ECONNREFUSED\).* Quoll tried 10 times\.$/);
  });

  overWire("silence is noted after 30 s, given up after 90 s and asked again", async () => {
    await using twin = await startTwin({
      scenario: [reply("Hello, world", { deltaChars: 5, fault: fault.stall(1) }), reply("Hi.")],
    });
    const { provider, clock } = providerAt(placeOf(kind, twin), wireOf(kind));
    const read = reading(provider.stream(asked(undefined, { model: modelOf(kind) }), never()));
    await read.until("text_delta");
    await clock.advance(30_000);
    await read.until("notice");
    await clock.advance(60_000);
    await read.until("retry");
    await twin.answered(0);
    await clock.advance(500);
    expect(await read.end).toBeUndefined();
    expect(kinds(read.events)).toEqual([
      "text_delta",
      "notice",
      "restarted",
      "retry",
      "text_delta",
      "block_done",
      "done",
    ]);
  });

  overWire("a server on this machine has 10 minutes for its first word", async () => {
    await using twin = await startTwin({ scenario: [failing(fault.silence()), reply("Hi.")] });
    const { provider, clock } = providerAt(placeOf(kind, twin), wireOf(kind));
    const read = reading(provider.stream(asked(undefined, { model: modelOf(kind) }), never()));
    await twin.request(0);
    await clock.advance(599_999);
    expect(read.events).toEqual([]);
    await clock.advance(1);
    await read.until("retry");
    await clock.advance(500);
    expect(await read.end).toBeUndefined();
  });
});

test("a JSON document instead of a stream is an error with the document's own message", async () => {
  const { events, error } = await played("compatible", [failing(fault.status(529)), reply("Hi.")], {
    twin: { openai: { chat: { errorsWithStatus200: "json" } } },
  });
  expect([kinds(events).slice(0, 1), error]).toEqual([["retry"], undefined]);
});

test("the message names a web page that came instead of an answer, and the request is not repeated", async () => {
  await using server = await scriptedServer({ body: "<h1>Log in</h1>", headers: { "content-type": "text/html" } });
  const error = await reading(providerAt(`${server.url}/v1`, wireOf("compatible")).provider.stream(asked(), never()))
    .end;
  expect([server.requests.length, (error as Error).message]).toEqual([
    1,
    `${new URL(server.url).host} returned text/html instead of an event stream: check OPENAI_BASE_URL.`,
  ]);
});

test("an https address of a server without TLS is reported at once", async () => {
  await using server = await scriptedServer({ body: [] });
  const url = server.url.replace("http:", "https:");
  const error = await reading(providerAt(`${url}/v1`, wireOf("compatible")).provider.stream(asked(), never())).end;
  expect((error as Error).message).toMatch(/does not support TLS at this address \(\w+\): try http:\/\/ instead\.$/);
});
