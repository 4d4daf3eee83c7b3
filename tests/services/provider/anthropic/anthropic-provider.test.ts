import { describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  fault,
  rawToolUse,
  redactedThinking,
  reply,
  STOP_REASONS,
  text,
  thinking,
  toolUse,
} from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { AssistantMessage, Message } from "../../../../src/contracts/message.ts";
import { eventually } from "../../../support/eventually.ts";
import {
  asked,
  assistant,
  deepFrozen,
  doneOf,
  eventsOf,
  joinedPieces,
  KEY,
  kinds,
  MODEL,
  never,
  played,
  providerAt,
  reading,
  result,
  user,
} from "./support.ts";

const USAGE = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 40 };

describe("an answer over real HTTP", () => {
  test.each(STOP_REASONS)("that stops with %s is told as such", async (stopReason) => {
    const { events, error } = await played([reply("Half a", { stopReason, usage: USAGE })]);
    expect(error).toBeUndefined();
    expect(doneOf(events)).toEqual({
      role: "assistant",
      provider: "anthropic",
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
    for (const events of all) expect(joinedPieces(events)).toEqual(joinedPieces(all[0]!));
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
          problem: 'unexpected end of string from position 14 to 20, found "\\"a.txt"',
        },
      },
    ]);
  });

  test("emits a complete call before the stream continues", async () => {
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
        await eventually("the connection is free", () => clock.sleeping === 0);
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

test("the message names a web page that came instead of an answer, and the request is not repeated", async () => {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume().on("end", () => response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const error = await reading(providerAt(`http://127.0.0.1:${port}`).provider.stream(asked(), never())).end;
    expect([count, (error as Error).message]).toEqual([
      1,
      `127.0.0.1:${port} returned text/html instead of an event stream: check ANTHROPIC_BASE_URL.`,
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
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

test("a model that the table does not know goes through with one notice", async () => {
  await using twin = await startTwin({ scenario: () => reply("Hi.") });
  const { provider } = providerAt(twin.url);
  const first = await eventsOf(provider.stream(asked(undefined, { model: "my-own-model" }), never()));
  const second = await eventsOf(provider.stream(asked(undefined, { model: "my-own-model" }), never()));
  expect(first[0]).toEqual({
    type: "notice",
    message:
      'Quoll has no data about the model "my-own-model": it assumes a window of 200000 tokens and at most 32000 output tokens, and the price is unknown (correct this with the setting models.my-own-model).',
  });
  expect(kinds(second)).toEqual(["text_delta", "block_done", "done"]);
  expect(doneOf(second).model).toBe("my-own-model");
});

test("a provider without a key is refused at once, unless the server is on this machine", () => {
  expect(() => providerAt("https://api.example.com", {})).toThrow(
    "There is no key for api.example.com: set ANTHROPIC_API_KEY.",
  );
  expect(() => providerAt("ftp://api.example.com")).toThrow(
    'ANTHROPIC_BASE_URL is "ftp://api.example.com", which is not an http or https address',
  );
  expect(providerAt("http://localhost:1", {}).provider.name).toBe("anthropic");
});
