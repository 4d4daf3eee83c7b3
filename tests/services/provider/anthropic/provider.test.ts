import { describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Fault,
  failing,
  fault,
  rawToolUse,
  redactedThinking,
  reply,
  STOP_REASONS,
  text,
  thinking,
  toolUse,
} from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { ProviderError } from "../../../../src/contracts/errors.ts";
import type { AssistantMessage, Message } from "../../../../src/contracts/message.ts";
import type { ProviderEvent } from "../../../../src/contracts/provider.ts";
import {
  asked,
  assistant,
  deepFrozen,
  doneOf,
  eventsOf,
  KEY,
  MODEL,
  providerAt,
  reading,
  result,
  throughTime,
  user,
} from "./support.ts";

const never = () => new AbortController().signal;
const USAGE = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 40 };

/** Plays the scenario from its start to its end, letting time pass over retries. */
async function played(scenario: Parameters<typeof startTwin>[0]["scenario"], request = asked()) {
  await using twin = await startTwin({ scenario });
  const { provider, clock } = providerAt(twin.url);
  const read = reading(provider.stream(request, never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, requests: [...twin.requests] };
}

const kinds = (events: readonly ProviderEvent[]) => events.map(({ type }) => type);
const retries = (events: readonly ProviderEvent[]) => events.filter((event) => event.type === "retry");

describe("an answer over real HTTP", () => {
  test.each(STOP_REASONS)("that stops with %s is told as such", async (stopReason) => {
    const { events, error } = await played([reply("Half a", { stopReason, usage: USAGE })]);
    expect(error).toBeUndefined();
    expect(doneOf(events)).toEqual({
      role: "assistant",
      model: MODEL,
      content: [{ type: "text", text: "Half a" }],
      stopReason: stopReason === "model_context_window_exceeded" ? "context_exceeded" : stopReason,
      usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40 },
    });
  });

  test("gives the same events however its bytes are cut", async () => {
    const content = [
      thinking("Größe: 日本語 😀"),
      text("Ünï — 👩‍👩‍👧 done."),
      toolUse("Read", { file_path: "ü😀.txt" }, "t1"),
    ];
    const base = { deltaChars: 3, pings: { atStart: true, every: 2 }, usage: USAGE };
    const cuts = [undefined, [1], [2, 3, 5], ...[1, 2, 3, 4, 5, 6, 7, 8].map((seed) => ({ seed, max: 1 + seed * 4 }))];
    const all = [];
    for (const cutBytes of cuts) {
      const { events } = await played([reply(content, cutBytes ? { ...base, cutBytes } : base)]);
      all.push(events);
    }
    expect(doneOf(all[0]!).content).toEqual([
      { type: "thinking", thinking: "Größe: 日本語 😀", signature: expect.any(String) as never },
      { type: "text", text: "Ünï — 👩‍👩‍👧 done." },
      { type: "tool_use", id: "t1", name: "Read", input: { file_path: "ü😀.txt" } },
    ]);
    for (const events of all) expect(events).toEqual(all[0]!);
  });

  test("is not doubled by a server that repeats the first delta in the start event", async () => {
    const { events } = await played([
      reply([thinking("One two three four five"), text("six seven eight nine ten")], { repeatFirstDelta: true }),
    ]);
    expect(doneOf(events).content).toEqual([
      { type: "thinking", thinking: "One two three four five", signature: expect.any(String) as never },
      { type: "text", text: "six seven eight nine ten" },
    ]);
  });

  test("with a call that is no valid JSON says what came and where it broke", async () => {
    const { events } = await played([
      reply([rawToolUse("Read", '{"file_path": "a.txt', "t1")], { stopReason: "max_tokens" }),
    ]);
    expect(doneOf(events).content).toEqual([
      {
        type: "tool_use",
        id: "t1",
        name: "Read",
        input: {},
        malformed: {
          text: '{"file_path": "a.txt',
          problem: "at position 20 the text ends inside a string that began at 14",
        },
      },
    ]);
  });

  test("tells a complete call before the stream goes on", async () => {
    await using twin = await startTwin({
      scenario: [
        reply([toolUse("Read", { file_path: "a" }, "t1"), text("and")], { deltaChars: 100, fault: fault.stall(3) }),
      ],
    });
    const controller = new AbortController();
    const read = reading(providerAt(twin.url).provider.stream(asked(), controller.signal));
    await read.until("block_done");
    expect(read.events.at(-1)).toEqual({
      type: "block_done",
      block: { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
    });
    controller.abort(new Error("enough"));
    expect(await read.end).toEqual(new Error("enough"));
  });

  test("leaves its connection open for the next request", async () => {
    const frames = ["message_start", "message_delta", "message_stop"].map(
      (type) => `event: ${type}\ndata: {"type":"${type}"}\n\n`,
    );
    const server = createServer((request, response) => {
      request
        .resume()
        .on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(frames.join("")));
    });
    let connections = 0;
    server.on("connection", () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { provider, clock } = providerAt(`http://127.0.0.1:${port}`);
      for (let round = 0; round < 3; round += 1) {
        await eventsOf(provider.stream(asked(), never()));
        while (clock.sleeping > 0) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(connections).toBe(1);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test("whose connection does not end with it is cut off after a second", async () => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(200).write('data: {"type":"message_stop"}\n\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const closed = new Promise<void>((resolve) =>
      server.on("connection", (socket) => socket.once("close", () => resolve())),
    );
    try {
      const { port } = server.address() as AddressInfo;
      const { provider, clock } = providerAt(`http://127.0.0.1:${port}`);
      expect(kinds(await eventsOf(provider.stream(asked(), never())))).toEqual(["done"]);
      await clock.advance(1_000);
      await closed;
      expect(clock.sleeping).toBe(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("the request on the wire", () => {
  async function headersWith(options: Parameters<typeof providerAt>[1], path = "") {
    await using twin = await startTwin({ scenario: [reply("Hi.")] });
    await eventsOf(providerAt(`${twin.url}${path}`, options).provider.stream(asked(), never()));
    const { headers, path: requested } = twin.requests[0]!;
    return {
      bearer: headers["authorization"],
      path: requested,
      encoding: headers["content-type"],
    };
  }

  test("carries the API key, and forgives an address that ends in /v1", async () => {
    const expected = { bearer: `Bearer ${KEY}`, path: "/v1/messages", encoding: "application/json" };
    expect(await headersWith({ apiKey: KEY })).toEqual(expected);
    expect(await headersWith({ apiKey: KEY }, "/v1/")).toEqual(expected);
    expect(await headersWith({ apiKey: KEY, authToken: "tok" })).toEqual(expected);
  });

  test("carries the token as a Bearer token, and for this machine a placeholder when there is neither", async () => {
    expect(await headersWith({ authToken: "tok" })).toMatchObject({ bearer: "Bearer tok" });
    expect(await headersWith({})).toMatchObject({ bearer: "Bearer local" });
  });

  test("follows an alias, and changes nothing that it was given", async () => {
    const request = deepFrozen(
      asked(
        [
          user("Go."),
          assistant([{ type: "tool_use", id: "t", name: "Read", input: { a: 1 } }]),
          user(result("t", "A")),
        ],
        { model: "default" },
      ),
    );
    const { requests } = await played([reply("Hi.")], request);
    expect(requests.map(({ rejected, body }) => [rejected, (body as { model: string }).model])).toEqual([[[], MODEL]]);
  });
});

test("thinking goes round a tool loop unchanged: the strict server takes it back", async () => {
  const think = (round: number) => [thinking(`Step ${round}: ü😀\n`), redactedThinking(`b3Bh${round}`)];
  const scenario = [
    reply(
      [
        ...think(1),
        text("Look."),
        toolUse("Read", { file_path: "a" }, "t1"),
        toolUse("Read", { file_path: "b" }, "t2"),
      ],
      { deltaChars: 2 },
    ),
    reply([...think(2), toolUse("Read", {}, "t3")]),
    reply([...think(3), text("Done.")]),
    reply("Bye."),
  ];
  await using twin = await startTwin({ scenario });
  const { provider } = providerAt(twin.url);
  const history: Message[] = [user("Go.")];
  const step = async (...answers: Message[]) => {
    const message = doneOf(await eventsOf(provider.stream(deepFrozen(asked([...history])), never())));
    history.push({ ...message, id: `m${history.length}` } satisfies AssistantMessage, ...answers);
  };
  await step(user(result("t1", "A"), result("t2", "B")));
  await step(user(result("t3", "", true)));
  await step(user("Thanks."));
  await step();
  expect(twin.requests.map(({ status, rejected }) => [status, rejected])).toEqual(
    Array.from({ length: 4 }, () => [200, []]),
  );
  for (const { bodyText } of twin.requests) expect(bodyText.match(/cache_control/g)!.length).toBeLessThanOrEqual(4);
  const plain = twin.requests.map(({ bodyText }) =>
    bodyText.replaceAll(',"cache_control":{"type":"ephemeral"}', "").replace(/\],"stream":true\}$/, ""),
  );
  for (const [index, body] of plain.slice(1).entries()) expect(body.startsWith(plain[index]!)).toBe(true);
});

describe("a failed try", () => {
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
    async (_name, failure, status, message) => {
      const { events, error } = await played([
        reply("Hello, world, and all", { deltaChars: 7, fault: failure }),
        reply("Hi."),
      ]);
      expect(error).toBeUndefined();
      const reason = expect.stringMatching(message) as never;
      expect(events.slice(0, 4)).toEqual([
        { type: "text_delta", text: "Hello, " },
        { type: "text_delta", text: "world, " },
        { type: "restarted", reason },
        { type: "retry", attempt: 2, maxAttempts: 10, delayMs: 500, status, message: reason },
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
      /asks to wait 300 s, more than the 60 s .* try again after 2026-01-02T03:09:05Z\.$/,
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
      message: expect.stringContaining("It was tried 10 times."),
    });
  });
});

describe("what trying again cannot help is said at once, in one line", () => {
  const final: readonly (readonly [string, Fault, number, RegExp])[] = [
    ["400", fault.badRequest("messages: too odd"), 400, /refuses the request \(400\): messages: too odd$/],
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
      /does not allow this key to use "claude-sonnet-5-5" \(403\): Not yours\.$/,
    ],
    [
      "404",
      fault.status(404, { message: "model: claude" }),
      404,
      /has no model "claude-sonnet-5-5" \(404\): name another one with --model; "quoll models" lists names\.$/,
    ],
    [
      "404 of another server",
      fault.status(404, { errorType: "page_missing" }),
      404,
      /no Messages API at http:\/\/127\.0\.0\.1:\d+\/v1\/messages \(404\): check ANTHROPIC_BASE_URL\.$/,
    ],
    ["413", fault.status(413, { message: "Too big." }), 413, /too large for 127\.0\.0\.1:\d+ \(413\): Too big\./],
    ["402", fault.status(402, { message: "Pay." }), 402, /billing \(402\): Pay\. Check the plan/],
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
      /redirect \(302\) to http:\/\/127\.0\.0\.1:9\/steal, which is not followed with a key/,
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

test("a server that is not there is named, and tried ten times", async () => {
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
    message: `${host} refuses the connection (ECONNREFUSED): is the address right and the server up? It was tried 10 times.`,
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
      { type: "notice", message: "Nothing came from the model for 30 s; in 60 s the request is tried again." },
      { type: "restarted", reason: "Nothing came from the model for 90 s." },
      {
        type: "retry",
        attempt: 2,
        maxAttempts: 10,
        delayMs: 500,
        status: undefined,
        message: "Nothing came from the model for 90 s.",
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

describe("an abort", () => {
  const content = [thinking("Let me see."), text("Yes, of course."), toolUse("Read", { file_path: "a" }, "t1")];

  test("at any event ends the stream with its reason, and leaves no open connection", async () => {
    const { events: whole } = await played([reply(content, { deltaChars: 6 })]);
    for (let index = 0; index < whole.length; index += 1) {
      // Stalled after its last delta, so that only the abort can end it; the last two events come with the end alone.
      const stalled = index < whole.length - 2 ? { fault: fault.stall(99) } : {};
      await using twin = await startTwin({ scenario: [reply(content, { deltaChars: 6, ...stalled })] });
      const controller = new AbortController();
      const reason = new Error(`abort ${index}`);
      let count = 0;
      let thrown: unknown;
      try {
        for await (const _event of providerAt(twin.url).provider.stream(asked(), controller.signal)) {
          if (count === index) controller.abort(reason);
          count += 1;
        }
      } catch (error) {
        thrown = error;
      }
      expect([count, thrown]).toEqual(index < whole.length - 1 ? [index + 1, reason] : [whole.length, undefined]);
      await twin.answered(0);
    }
  });

  test("before the answer, and while a retry is waited for, ends at once too", async () => {
    await using twin = await startTwin({ scenario: [failing(fault.silence()), failing(fault.overloaded())] });
    const { provider, clock } = providerAt(twin.url);
    for (const [index, waiting] of [() => twin.request(0), undefined].entries()) {
      const controller = new AbortController();
      const read = reading(provider.stream(asked(), controller.signal));
      await (waiting?.() ?? read.until("retry"));
      controller.abort("stop");
      expect(await read.end).toBe("stop");
      await twin.answered(index);
    }
    expect(clock.sleeping).toBe(0);
    expect(twin.requests).toHaveLength(2);
  });

  test("that came before sends nothing", async () => {
    await using twin = await startTwin({ scenario: [] });
    expect(await reading(providerAt(twin.url).provider.stream(asked(), AbortSignal.abort("no"))).end).toBe("no");
    expect(twin.requests).toHaveLength(0);
  });

  test("leaves no listener on the signal, however the stream ended", async () => {
    await using twin = await startTwin({
      scenario: [failing(fault.overloaded()), reply("Hi."), reply("Hello"), failing(fault.badRequest("x"))],
    });
    const { provider, clock } = providerAt(twin.url);
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    }) as never;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    }) as never;
    await throughTime(reading(provider.stream(asked(), signal)), {
      ...clock,
      get sleeping() {
        return clock.sleeping;
      },
    });
    for await (const _event of provider.stream(asked(), signal)) break;
    await reading(provider.stream(asked(), signal)).end;
    expect(listeners).toBe(0);
  });
});

test("a consumer that goes away frees the connection", async () => {
  await using twin = await startTwin({ scenario: [reply("Hello, world", { deltaChars: 3, fault: fault.stall(2) })] });
  for await (const event of providerAt(twin.url).provider.stream(asked(), never()))
    if (event.type === "text_delta") break;
  expect((await twin.answered(0)).status).toBe(200);
});

test("a model that the table does not know goes through with one notice", async () => {
  await using twin = await startTwin({ scenario: () => reply("Hi.") });
  const { provider } = providerAt(twin.url);
  const first = await eventsOf(provider.stream(asked(undefined, { model: "my-own-model" }), never()));
  const second = await eventsOf(provider.stream(asked(undefined, { model: "my-own-model" }), never()));
  expect(first[0]).toEqual({
    type: "notice",
    message:
      'The model "my-own-model" is not in the table of models: a window of 200000 tokens and at most 32000 tokens of output are assumed, and its price is unknown.',
  });
  expect(kinds(second)).toEqual(["text_delta", "block_done", "done"]);
  expect(doneOf(second).model).toBe("my-own-model");
});

test("a provider without a key is refused at once, unless the server is on this machine", () => {
  expect(() => providerAt("https://api.example.com", {})).toThrow(
    "There is no key for api.example.com: set ANTHROPIC_API_KEY.",
  );
  expect(() => providerAt("ftp://api.example.com")).toThrow(
    'ANTHROPIC_BASE_URL is "ftp://api.example.com", which is no http or https address',
  );
  expect(providerAt("http://localhost:1", {}).provider.name).toBe("anthropic");
});
