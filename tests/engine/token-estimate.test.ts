import { expect, test } from "bun:test";
import type { AssistantMessage, Message } from "../../src/contracts/message.ts";
import { blockTokens, estimateInputTokens, textTokens } from "../../src/contracts/token-estimate.ts";
import { outputTokensFor } from "../../src/engine/request-size.ts";

const user = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({
  role: "user",
  id: "u",
  content,
});
const answer = (inputTokens: number, outputTokens: number, content: AssistantMessage["content"] = []): Message => ({
  role: "assistant",
  id: "a",
  model: "m",
  content,
  stopReason: "end_turn",
  usage: { inputTokens, outputTokens, cacheReadTokens: 100, cacheWriteTokens: 10 },
});

/** A black picture, encoded by the runtime. */
function picture(width: number, height: number) {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const bmp = Buffer.alloc(54 + rowBytes * height);
  bmp.write("BM", 0, "latin1");
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(54, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(width, 18);
  bmp.writeInt32LE(height, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  return new Bun.Image(bmp);
}

test("before the first answer everything is estimated, prompt and schemas too", () => {
  expect(estimateInputTokens([user({ type: "text", text: "x".repeat(41) })], 400)).toBe(
    100 + textTokens("x".repeat(41)),
  );
});

test("after an answer, its exact count is the base, and only later messages are estimated", () => {
  const old = user({ type: "text", text: "x".repeat(4_000) });
  const since = user({ type: "tool_result", toolUseId: "t", content: "x".repeat(400), isError: false });
  expect(estimateInputTokens([old, answer(1_000, 50), since], 4_000)).toBe(1_160 + textTokens("x".repeat(400)));
});

test("an answer that was broken off has no count and is estimated as well", () => {
  const cut: Message = {
    ...(answer(0, 0, [{ type: "text", text: "x".repeat(40) }]) as AssistantMessage),
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  };
  expect(estimateInputTokens([answer(1_000, 50), cut], 0)).toBe(1_160 + textTokens("x".repeat(40)));
});

test("every kind of block counts: a call by its JSON, a picture of unknown size by the largest size", () => {
  const picture = { type: "image", mediaType: "image/png", data: "x".repeat(1_000_000) } as const;
  const blocks: Message = {
    ...(answer(0, 0) as AssistantMessage),
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    content: [
      { type: "thinking", thinking: "x".repeat(40), signature: "s".repeat(400) },
      { type: "redacted_thinking", data: "x".repeat(40) },
      { type: "tool_use", id: "t", name: "Read", input: { a: "x".repeat(12) } },
    ],
  };
  expect(estimateInputTokens([blocks], 0)).toBe(
    textTokens("x".repeat(40)) + 10 + textTokens(JSON.stringify({ a: "x".repeat(12) })),
  );
  const result = user(picture, {
    type: "tool_result",
    toolUseId: "t",
    content: [{ type: "text", text: "abcd" }, picture],
    isError: false,
  });
  expect(estimateInputTokens([result], 0)).toBe(3_300 + 1 + 3_300);
});

test.each([
  ["png", 1_500, 100, 200],
  ["jpeg", 750, 400, 400],
  ["webp", 300, 250, 100],
] as const)("a picture counts by its pixels: %s of %d × %d", async (format, width, height, tokens) => {
  const data = (await picture(width, height)[format]().buffer()).toString("base64");
  expect(blockTokens({ type: "image", mediaType: `image/${format}`, data })).toBe(tokens);
});

test("a picture counts as no larger than what providers make of it", async () => {
  const data = (await picture(2_000, 1_000).png().buffer()).toString("base64");
  expect(blockTokens({ type: "image", mediaType: "image/png", data })).toBe(Math.ceil((1_568 * 784) / 750));
  const gif = Buffer.from("GIF89a\x58\x02\x2c\x01".padEnd(40, "\0"), "latin1").toString("base64");
  expect(blockTokens({ type: "image", mediaType: "image/gif", data: gif })).toBe((600 * 300) / 750);
});

test("the output that is asked for fits window, model and 32,000; a full window leaves none", () => {
  const abilities = { images: true, documents: true, thinking: true, tools: true, parallelCalls: true, efforts: [] };
  const model = { ...abilities, contextWindow: 200_000, maxOutputTokens: 64_000, known: true };
  expect([
    outputTokensFor(1_000, model),
    outputTokensFor(180_000, model),
    outputTokensFor(1_000, { ...model, maxOutputTokens: 8_000 }),
    outputTokensFor(196_000, model),
    outputTokensFor(500, { ...model, contextWindow: 8_000 }),
  ]).toEqual([32_000, 16_000, 8_000, 0, 7_340]);
});

test("a PDF is counted by its pages if they are known, and not by the size of its scans", () => {
  const pdf = { type: "document", mediaType: "application/pdf", data: "x".repeat(1_600_000) } as const;
  expect(blockTokens({ ...pdf, pages: 2 })).toBe(5_000);
  expect(blockTokens(pdf)).toBe(100_000);
});
