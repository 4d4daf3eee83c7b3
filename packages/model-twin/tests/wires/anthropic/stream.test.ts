import { describe, expect, test } from "bun:test";
import { deepTest, isDeep, testOrDeep } from "../../../../../tests/support/deep.ts";
import {
  type Reply,
  rawToolUse,
  redactedThinking,
  reply,
  STOP_REASONS,
  text,
  thinking,
  toolUse,
} from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import {
  ask,
  body,
  isEnded,
  parseSse,
  post,
  READ_TOOL,
  rawExchange,
  type SseEvent,
  streamEvents,
  writtenSizes,
} from "../../support/ask.ts";
import { FULL_ANSWER, fullEvents } from "../../support/claude.ts";

async function eventsOf(answer: Reply): Promise<SseEvent[]> {
  await using twin = await startTwin({ scenario: [answer] });
  return await streamEvents(twin);
}

const typesOf = (events: SseEvent[]) => events.map(({ type }) => type);
const deltasOf = (events: SseEvent[]) =>
  events.filter(({ type }) => type === "content_block_delta").map(({ index, delta }) => [index, delta]);

type BlockEvent = {
  readonly type: string;
  readonly index: number;
  readonly content_block: { readonly type: string };
  readonly delta: { readonly text?: string; readonly thinking?: string; readonly partial_json?: string };
};

/** Assembles a stream as a client does, by joining the deltas. */
function assemble(events: SseEvent[]) {
  const blocks: { type: string; text: string }[] = [];
  for (const { type, index, content_block: block, delta } of events as unknown as BlockEvent[]) {
    if (type === "content_block_start") blocks[index] = { type: block.type, text: "" };
    if (type === "content_block_delta") blocks[index]!.text += delta.text ?? delta.thinking ?? delta.partial_json ?? "";
  }
  return blocks;
}

describe("a streamed answer", () => {
  test("has every event of the API, in its order", async () => {
    expect(await eventsOf(FULL_ANSWER)).toEqual(
      fullEvents({ id: "msg_twin_000001", model: "claude-test", ping: true }),
    );
  });

  test("has the headers of the API", async () => {
    await using twin = await startTwin({ scenario: [reply("Hi.")] });
    const { headers } = await ask(twin, body({ stream: true }));

    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("request-id")).toBe("req_twin_000001");
  });

  test.each([...STOP_REASONS])("can stop for %s, streamed or not", async (stopReason) => {
    await using twin = await startTwin({ scenario: () => reply("Hi.", { stopReason, stopSequence: "END" }) });
    const details = stopReason === "refusal" ? { type: "refusal", category: null, explanation: null } : null;
    const end = { stop_reason: stopReason, stop_sequence: "END", stop_details: details };

    expect((await streamEvents(twin)).at(-2)).toMatchObject({ type: "message_delta", delta: end });
    expect((await ask(twin, body())).json).toMatchObject(end);
  });

  test("stops for tool_use when it calls a tool, else at the end of its turn", async () => {
    const stopOf = async (answer: Reply) => (await eventsOf(answer)).at(-2)?.["delta"];

    expect(await stopOf(reply([toolUse("Read")]))).toMatchObject({ stop_reason: "tool_use" });
    expect(await stopOf(reply("Done."))).toMatchObject({ stop_reason: "end_turn" });
  });

  test("comes in deltas of the size asked for, and never halves a surrogate pair", async () => {
    const events = await eventsOf(reply("ab😀cd", { deltaChars: 3 }));

    expect(deltasOf(events)).toEqual([
      [0, { type: "text_delta", text: "ab😀" }],
      [0, { type: "text_delta", text: "cd" }],
    ]);
  });

  test("sends one empty input delta and no more for a call without arguments", async () => {
    expect(deltasOf(await eventsOf(reply([toolUse("Read")])))).toEqual([
      [0, { type: "input_json_delta", partial_json: "" }],
    ]);
  });

  test("sends broken input as it was written", async () => {
    const events = await eventsOf(reply([rawToolUse("Read", '{"file_path": "a', "t1")], { stopReason: "max_tokens" }));

    expect(assemble(events)).toEqual([{ type: "tool_use", text: '{"file_path": "a' }]);
  });

  test("sends hidden thinking whole, in its start", async () => {
    const events = await eventsOf(reply([redactedThinking("c2VjcmV0")]));

    expect(events).toContainEqual({
      type: "content_block_start",
      index: 0,
      content_block: { type: "redacted_thinking", data: "c2VjcmV0" },
    });
    expect(deltasOf(events)).toEqual([]);
  });

  test("can repeat the first delta in the block's start", async () => {
    const events = await eventsOf(reply([thinking("abcd"), text("efgh")], { deltaChars: 2, repeatFirstDelta: true }));

    expect(events.filter(({ type }) => type === "content_block_start").map((event) => event["content_block"])).toEqual([
      { type: "thinking", thinking: "ab", signature: "" },
      { type: "text", text: "ef" },
    ]);
    expect(assemble(events)).toEqual([
      { type: "thinking", text: "abcd" },
      { type: "text", text: "efgh" },
    ]);
  });

  test("pings at its start and in between as asked", async () => {
    const start = ["message_start", "content_block_start"];
    const delta = "content_block_delta";
    const end = ["content_block_stop", "message_delta", "message_stop"];

    expect(typesOf(await eventsOf(reply("abcd", { deltaChars: 1, pings: { atStart: false, every: 2 } })))).toEqual([
      ...start,
      ...[delta, delta, "ping", delta, delta, "ping"],
      ...end,
    ]);
  });

  test("keeps its pace between deltas", async () => {
    await using twin = await startTwin({ scenario: [reply("abcde", { deltaChars: 1, paceMs: 10 })] });
    await streamEvents(twin);
    const { receivedAtMs, endedAtMs } = await twin.answered(0);

    expect(endedAtMs! - receivedAtMs).toBeGreaterThanOrEqual(39);
    expect(endedAtMs! - receivedAtMs).toBeLessThan(5000);
  });

  test("estimates its usage from the text", async () => {
    const [started] = await eventsOf(reply("x".repeat(400)));

    expect(started).toMatchObject({ message: { usage: { input_tokens: 6, output_tokens: 1 } } });
    expect((await eventsOf(reply("x".repeat(400)))).at(-2)).toMatchObject({ usage: { output_tokens: 100 } });
  });
});

describe("an answer without a stream", () => {
  test("is the whole message", async () => {
    await using twin = await startTwin({ scenario: [reply([text("Look."), toolUse("Read", { a: 1 }, "t1")])] });

    expect((await ask(twin, body())).json).toEqual({
      id: "msg_twin_000001",
      type: "message",
      role: "assistant",
      model: "claude-test",
      content: [
        { type: "text", text: "Look." },
        { type: "tool_use", id: "t1", name: "Read", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 9,
      },
    });
  });
});

test("a call's id is never one that the history holds already, even from another twin", async () => {
  const scenario = [reply([toolUse("Read")])];
  await using first = await startTwin({ scenario });
  await using second = await startTwin({ scenario });
  const { content } = (await ask(first, body({ tools: [READ_TOOL] }))).json as { content: { id: string }[] };
  const messages = [
    { role: "user", content: "Hello." },
    { role: "assistant", content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: content[0]!.id, content: "ok" }] },
  ];
  const again = (await ask(second, body({ tools: [READ_TOOL], messages }))).json as { content: { id: string }[] };

  expect([content[0]!.id, again.content[0]!.id]).toEqual(["toolu_twin_000001", "toolu_twin_000002"]);
});

describe("a body that is cut into pieces", () => {
  const answer = reply(
    [
      thinking("Größe — 思考"),
      text('naïve 😀 \\u0041 "quoted"\n日本語'),
      toolUse("Read", { file_path: "ü/😀.txt" }, "t1"),
    ],
    {
      deltaChars: 2,
    },
  );

  /** The sizes in which a client sees the body; neighbours may arrive together. */
  async function piecesOf(cutBytes: Reply["cutBytes"]) {
    await using twin = await startTwin({ scenario: [{ ...answer, ...(cutBytes && { cutBytes }) }] });
    const response = await post(twin, body({ stream: true }));
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
    return pieces;
  }

  testOrDeep(!isDeep)("parses to the same events for any seed", async () => {
    const whole = parseSse(Buffer.concat(await piecesOf(undefined)).toString("utf8"));
    const seeds = Array.from({ length: isDeep ? 40 : 8 }, (_, seed) => seed);
    const bodies = await Promise.all(seeds.map((seed) => piecesOf({ seed, max: 1 + (seed % 17) })));

    for (const pieces of bodies) expect(parseSse(Buffer.concat(pieces).toString("utf8"))).toEqual(whole);
  });

  deepTest("is really cut inside characters and inside events", async () => {
    await using twin = await startTwin({ scenario: [{ ...answer, cutBytes: [1] }] });
    const sizes = writtenSizes((await rawExchange(twin, body({ stream: true }), isEnded)).text);

    expect(sizes.length).toBeGreaterThan(1000);
    expect(new Set(sizes)).toEqual(new Set([1, 0]));
  });
});
