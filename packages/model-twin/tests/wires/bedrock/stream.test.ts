import { describe, expect, test } from "bun:test";
import { type Reply, reply, text, toolUse } from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import { encodeEvent } from "../../../src/wires/bedrock/event-stream.ts";
import { READ_TOOL } from "../../support/ask.ts";
import { FULL_ANSWER, fullEvents } from "../../support/claude.ts";
import { askBedrock, bedrockBody, MODEL, messageEvents, parseEvents, STREAM, streamEvents } from "./ask-bedrock.ts";

const usage = { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheCreationTokens: 44 };
const counts = { input_tokens: 11, cache_creation_input_tokens: 44, cache_read_input_tokens: 33 };

async function eventsOf(answer: Reply) {
  await using twin = await startTwin({ scenario: [answer] });
  return await streamEvents(twin);
}

describe("the framing", () => {
  // The lengths are counted manually; the checksums are checked by the reader of these tests, and by the published
  // client.
  test("has lengths, their checksum, headers, payload and a checksum", () => {
    const bytes = Buffer.from(encodeEvent({ ":event-type": "chunk" }, {}));

    expect(bytes.toString("hex")).toBe(
      [
        "00000026",
        "00000014",
        bytes.toString("hex", 8, 12),
        "0b",
        Buffer.from(":event-type").toString("hex"),
        "07",
        "0005",
        Buffer.from("chunk").toString("hex"),
        "7b7d",
        bytes.subarray(-4).toString("hex"),
      ].join(""),
    );
    expect(parseEvents(bytes)).toEqual([{ headers: { ":event-type": "chunk" }, payload: {} }]);
  });

  test("tells when a byte was lost or changed", () => {
    const bytes = Buffer.from(encodeEvent({ ":event-type": "chunk" }, { text: "é" }));

    for (const [at, byte] of bytes.entries()) {
      const damaged = Buffer.from(bytes);
      damaged[at] = byte ^ 1;
      expect(() => parseEvents(damaged)).toThrow();
    }
    expect(() => parseEvents(bytes.subarray(0, -1))).toThrow("ends in the middle");
  });

  test("wraps each event in base64 and padding", async () => {
    const events = await eventsOf(reply("Hi."));

    expect(events[0]).toEqual({
      headers: { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
      payload: { bytes: expect.any(String) as string, p: "a" },
    });
    expect(events[3]!.payload["p"]).toBe("abcd");
  });
});

describe("a streamed answer", () => {
  test("has every event of the Messages API, and Bedrock's counts in the last", async () => {
    const last = {
      "amazon-bedrock-invocationMetrics": {
        inputTokenCount: 11,
        outputTokenCount: 22,
        invocationLatency: 1,
        firstByteLatency: 1,
        cacheReadInputTokenCount: 33,
        cacheWriteInputTokenCount: 44,
      },
    };
    expect(messageEvents(await eventsOf(FULL_ANSWER))).toEqual(
      fullEvents({ id: "msg_bdrk_twin_000001", model: MODEL, ping: false, last }),
    );
  });

  test("has the headers of the API", async () => {
    await using twin = await startTwin({ scenario: [reply("Hi.")] });
    const { headers } = await askBedrock(twin, bedrockBody(), { path: STREAM });

    expect(headers.get("content-type")).toBe("application/vnd.amazon.eventstream");
    expect(headers.get("x-amzn-bedrock-content-type")).toBe("application/json");
    expect(headers.get("x-amzn-requestid")).toBe("00000000-0000-4000-8000-000000000001");
  });

  test("is the same whatever the bytes are cut into, and has no pings", async () => {
    const answer = reply("Schön 😀 ".repeat(20), { deltaChars: 5, pings: { every: 1 } });
    const whole = await eventsOf(answer);

    expect(messageEvents(whole).filter(({ type }) => type === "ping")).toEqual([]);
    expect(await eventsOf({ ...answer, cutBytes: [1] })).toEqual(whole);
    expect(await eventsOf({ ...answer, cutBytes: { seed: 3, max: 11 } })).toEqual(whole);
  });
});

test("a whole answer is that of the Messages API, with Bedrock's counts in its headers", async () => {
  await using twin = await startTwin({ scenario: [reply([text("Look."), toolUse("Read", { a: 1 }, "t")], { usage })] });
  const { json, headers } = await askBedrock(twin, bedrockBody({ tools: [READ_TOOL] }));

  expect(json).toEqual({
    id: "msg_bdrk_twin_000001",
    type: "message",
    role: "assistant",
    model: MODEL,
    content: [
      { type: "text", text: "Look." },
      { type: "tool_use", id: "t", name: "Read", input: { a: 1 } },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    stop_details: null,
    usage: { ...counts, output_tokens: 22 },
  });
  expect(headers.get("x-amzn-bedrock-input-token-count")).toBe("11");
  expect(headers.get("x-amzn-bedrock-output-token-count")).toBe("22");
});
