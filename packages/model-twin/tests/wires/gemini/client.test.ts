import { expect, test } from "bun:test";
import { createGoogle } from "@ai-sdk/google";
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { failing, fault, type Reply, rawToolUse, reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin, type Twin, type TwinOptions } from "../../../src/server.ts";

const tools = [
  {
    type: "function" as const,
    name: "Read",
    description: "Reads a file.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object" as const,
      properties: { file_path: { type: "string" as const } },
      additionalProperties: false,
    },
  },
];
const providerOptions = { google: { thinkingConfig: { includeThoughts: true } } };
const question: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: "Read a.txt." }] };

const starting = (scenario: readonly Reply[], options: Partial<TwinOptions> = {}) =>
  startTwin({ scenario, ...options });
const client = (twin: Twin, model = "gemini-3-test") =>
  createGoogle({ apiKey: "k", baseURL: `${twin.url}/v1beta` })(model);

async function round(twin: Twin, prompt: LanguageModelV4Prompt, model?: string): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await client(twin, model).doStream({ prompt, tools, providerOptions });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>) parts.push(part);
  return parts;
}

type Call = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;
const callsOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.filter((part): part is Call => part.type === "tool-call");
const joined = (parts: readonly LanguageModelV4StreamPart[], type: "text-delta" | "reasoning-delta") =>
  parts.map((part) => (part.type === type ? part.delta : "")).join("");

/** The messages with which a client goes on: what was called, and what came of it. */
function withResults(calls: readonly Call[]): LanguageModelV4Prompt {
  return [
    {
      role: "assistant",
      content: calls.map(({ toolCallId, toolName, input, providerMetadata }) => ({
        type: "tool-call",
        toolCallId,
        toolName,
        input: JSON.parse(input) as unknown,
        ...(providerMetadata && { providerOptions: providerMetadata }),
      })),
    },
    {
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "text", value: "ok" },
      })),
    },
  ];
}

test.each(["sent", "missing"] as const)("the published client runs a loop of three rounds, ids %s", async (callIds) => {
  await using twin = await starting(
    [
      reply([thinking("Ich prüfe…"), toolUse("Read", { file_path: "ü.txt" }), toolUse("Read", { file_path: "b" })], {
        deltaChars: 3,
        cutBytes: { seed: 4, max: 9 },
      }),
      reply([text("Another."), toolUse("Read", { file_path: "c" })], { cutBytes: [1] }),
      reply([thinking("So."), text("Fertig 😀")], { cutBytes: [2] }),
      reply("Again."),
    ],
    { gemini: { callIds } },
  );
  const prompt: LanguageModelV4Prompt = [{ role: "system", content: "Be brief." }, question];
  const first = await round(twin, prompt);
  prompt.push(...withResults(callsOf(first)));
  const second = await round(twin, prompt);
  prompt.push(...withResults(callsOf(second)));
  const third = await round(twin, prompt);
  const signed = third.findLast((part) => part.type === "text-delta" || part.type === "text-end");
  prompt.push({
    role: "assistant",
    content: [{ type: "text", text: joined(third, "text-delta"), ...providerOptionsOf(signed) }],
  });
  const fourth = await round(twin, [...prompt, question]);

  expect(twin.requests.map(({ rejected }) => rejected)).toEqual([[], [], [], []]);
  expect(joined(first, "reasoning-delta")).toBe("Ich prüfe…");
  expect(callsOf(first).map(({ input }) => JSON.parse(input) as unknown)).toEqual([
    { file_path: "ü.txt" },
    { file_path: "b" },
  ]);
  expect(callsOf(second)).toHaveLength(1);
  expect(joined(third, "text-delta")).toBe("Fertig 😀");
  expect(joined(fourth, "text-delta")).toBe("Again.");
});

const providerOptionsOf = (part: LanguageModelV4StreamPart | undefined) =>
  part && "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {};

test("a client that loses a signature is refused, for the models that need it", async () => {
  await using twin = await starting([reply([toolUse("Read", { file_path: "a" })]), reply("Done."), reply("Done.")]);
  const [call] = callsOf(await round(twin, [question], "gemini-3-test"));
  const { providerMetadata: _lost, ...unsigned } = call!;

  // The client fills the gap with a placeholder, which stands for calls of others only.
  await expect(round(twin, [question, ...withResults([unsigned])], "gemini-3-test")).rejects.toThrow(
    "a placeholder stands where this model sent a thought signature",
  );
  expect(joined(await round(twin, [question, ...withResults([unsigned])], "gemini-3-other"), "text-delta")).toBe(
    "Done.",
  );
  expect(joined(await round(twin, [question, ...withResults([unsigned])], "gemini-2.5-pro"), "text-delta")).toBe(
    "Done.",
  );
});

test("the published client counts what was thought, and tells how an answer ended", async () => {
  const usage = { inputTokens: 70, cacheReadTokens: 30, outputTokens: 20, reasoningTokens: 5 };
  await using twin = await starting([
    reply([thinking("Hm."), text("Hi.")], { usage }),
    reply("Hi", { stopReason: "max_tokens" }),
    reply("Hi", { stopReason: "refusal" }),
    reply([], { stopReason: "refusal" }),
    reply([rawToolUse("Read", '{"file_path": ')]),
  ]);
  const ends = [];
  for (let index = 0; index < 5; index += 1) ends.push((await round(twin, [question])).at(-1));

  expect(ends[0]).toMatchObject({
    usage: {
      inputTokens: { total: 100, noCache: 70, cacheRead: 30 },
      outputTokens: { total: 20, text: 15, reasoning: 5 },
    },
  });
  expect(ends.map((end) => (end as { finishReason: unknown }).finishReason)).toEqual([
    { unified: "stop", raw: "STOP" },
    { unified: "length", raw: "MAX_TOKENS" },
    { unified: "content-filter", raw: "SAFETY" },
    { unified: "content-filter", raw: "SAFETY" },
    { unified: "error", raw: "MALFORMED_FUNCTION_CALL" },
  ]);
});

test("the published client recognises the errors as the API's", async () => {
  await using twin = await starting([
    failing(fault.rateLimited(3)),
    failing(fault.overloaded()),
    reply("abc", { deltaChars: 1, fault: fault.errorEvent(1) }),
  ]);
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error as { statusCode: number; isRetryable: boolean },
    );

  expect(await failure(round(twin, [question]))).toMatchObject({ statusCode: 429, isRetryable: true });
  expect(await failure(round(twin, [question]))).toMatchObject({ statusCode: 503, isRetryable: true });
  const parts = await round(twin, [question]);
  expect(joined(parts, "text-delta")).toBe("a");
  expect(parts.find(({ type }) => type === "error")).toMatchObject({ error: { statusCode: 503 } });
});
