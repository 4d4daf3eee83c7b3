import { describe, expect, test } from "bun:test";
import {
  type Reply,
  rawToolUse,
  redactedThinking,
  reply,
  STOP_REASONS,
  type StopReason,
  text,
  thinking,
  toolUse,
} from "../../../src/scenario.ts";
import { startTwin, type TwinOptions } from "../../../src/server.ts";
import type { RefusalReason } from "../../../src/wires/gemini/options.ts";
import { callText, sign } from "../../../src/wires/gemini/sent-signatures.ts";
import { ask, type Body } from "../../support/ask.ts";
import {
  askGemini,
  type Chunk,
  GEMINI_HEADERS,
  geminiBody,
  model,
  parseStream,
  partsOf,
  question,
  READ,
  response,
  STREAM,
  streamChunks,
  THOUGHTS,
  tools,
  user,
} from "./ask-gemini.ts";

const starting = (answer: Reply, options: Partial<TwinOptions> = {}) =>
  startTwin({ scenario: () => answer, ...options });

async function chunksOf(answer: Reply, fields: Body = THOUGHTS, options: Partial<TwinOptions> = {}): Promise<Chunk[]> {
  await using twin = await starting(answer, options);
  return await streamChunks(twin, fields);
}

async function wholeOf(answer: Reply, fields: Body = THOUGHTS, options: Partial<TwinOptions> = {}): Promise<Chunk> {
  await using twin = await starting(answer, options);
  return (await askGemini(twin, fields)).json as Chunk;
}

const signatureOf = (name: string, args: Body) => sign(callText({ name, args }));
const textOf = (chunks: readonly Chunk[], isThought: boolean) =>
  partsOf(chunks)
    .filter(({ thought }) => (thought ?? false) === isThought)
    .map((part) => part["text"] ?? "")
    .join("");

describe("a streamed answer", () => {
  test("has every chunk of the API, in its order", async () => {
    const usage = {
      inputTokens: 11,
      outputTokens: 22,
      cacheReadTokens: 33,
      cacheCreationTokens: 44,
      reasoningTokens: 5,
    };
    const chunks = await chunksOf(
      reply([thinking("Hm."), text("Look."), toolUse("Read", { a: 1 }, "call_1"), toolUse("Read", { a: 2 })], {
        usage,
      }),
    );

    const details = [{ modality: "TEXT", tokenCount: 88 }];
    const counts = { promptTokenCount: 88, promptTokensDetails: details, cachedContentTokenCount: 33 };
    const chunk = (part: Body): Chunk => ({
      candidates: [{ content: { parts: [part], role: "model" }, index: 0 }],
      usageMetadata: { ...counts, totalTokenCount: 88 },
      modelVersion: "gemini-test",
      responseId: "twin_000001",
    });
    const calls = [
      { functionCall: { id: "call_1", name: "Read", args: { a: 1 } }, thoughtSignature: signatureOf("Read", { a: 1 }) },
      { functionCall: { id: "fc_twin_000001", name: "Read", args: { a: 2 } } },
    ];
    expect(chunks).toEqual([
      chunk({ text: "Hm.", thought: true }),
      chunk({ text: "Look." }),
      ...calls.map(chunk),
      {
        candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 }],
        usageMetadata: { ...counts, candidatesTokenCount: 17, thoughtsTokenCount: 5, totalTokenCount: 110 },
        modelVersion: "gemini-test",
        responseId: "twin_000001",
      },
    ]);
  });

  test("is server-sent events where it is asked for, with the line ends of the API", async () => {
    await using twin = await starting(reply("Hi."));
    const answer = await askGemini(twin, {}, STREAM);

    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.text).toMatch(/^data: \{.+\}\r\n\r\ndata: \{.+\}\r\n\r\n$/);
  });

  test("is one JSON array by default", async () => {
    await using twin = await starting(reply("abcdef", { deltaChars: 2, pings: { every: 1 } }));
    const answer = await askGemini(twin, {}, STREAM.replace("?alt=sse", ""));

    expect(answer.headers.get("content-type")).toBe("application/json; charset=UTF-8");
    expect(partsOf(answer.json as Chunk[]).map((part) => part["text"])).toEqual(["ab", "cd", "ef", ""]);
  });

  test("comes in deltas of the size asked for, and never halves a surrogate pair", async () => {
    const chunks = await chunksOf(reply([thinking("xyz"), text("ab😀cd")], { deltaChars: 3 }));

    expect(partsOf(chunks).slice(0, -1)).toEqual([{ text: "xyz", thought: true }, { text: "ab😀" }, { text: "cd" }]);
  });

  test("is the same whatever the bytes are cut into", async () => {
    const answer = reply([thinking("Grübel 🤔"), text("Schön 😀 ".repeat(20))], { deltaChars: 5 });
    const whole = await chunksOf(answer);

    expect(await chunksOf({ ...answer, cutBytes: [1] })).toEqual(whole);
    expect(await chunksOf({ ...answer, cutBytes: { seed: 7, max: 11 } })).toEqual(whole);
  });

  test("has pings only where the scenario wants them, as the API sends none", async () => {
    const stream = async (answer: Reply) => {
      await using twin = await starting(answer);
      return (await askGemini(twin, {}, STREAM)).text;
    };

    expect(await stream(reply("abc", { deltaChars: 1 }))).not.toContain(": ping");
    const pinged = await stream(reply("abc", { deltaChars: 1, pings: { atStart: false, every: 2 } }));
    expect(pinged.split("\r\n\r\n").map((block) => block.slice(0, 6))).toEqual([
      "data: ",
      "data: ",
      ": ping",
      "data: ",
      "data: ",
      "",
    ]);
  });

  test("keeps its pace", async () => {
    await using twin = await starting(reply("abcd", { deltaChars: 1, paceMs: 20 }));
    await askGemini(twin, {}, STREAM);
    const { receivedAtMs, endedAtMs } = await twin.answered(0);

    expect(endedAtMs! - receivedAtMs).toBeGreaterThan(55);
  });

  test("says the same as a whole answer", async () => {
    const answer = reply([thinking("Hm."), text("Look."), toolUse("Read", { a: 1 }, "c")], { deltaChars: 100 });
    const chunks = await chunksOf(answer);
    const whole = await wholeOf(answer);

    expect(whole.candidates![0]!.content.parts).toEqual(partsOf(chunks).slice(0, -1));
    expect(whole.usageMetadata).toEqual(chunks.at(-1)!.usageMetadata);
    expect(whole).toMatchObject({ candidates: [{ finishReason: "STOP", index: 0 }], modelVersion: "gemini-test" });
  });
});

describe("thoughts", () => {
  test("are sent only on request, and counted in any case", async () => {
    const answer = reply([thinking("x".repeat(40)), text("y".repeat(40))]);
    const hidden = await chunksOf(answer, {});

    expect(textOf(hidden, true)).toBe("");
    expect(hidden.at(-1)!.usageMetadata).toMatchObject({ thoughtsTokenCount: 10, candidatesTokenCount: 10 });
    expect(textOf(await chunksOf(answer), true)).toBe("x".repeat(40));
  });

  test("that are hidden are never sent, but their text signs the call", async () => {
    const chunks = await chunksOf(reply([redactedThinking("c2VjcmV0"), toolUse("Read", {}, "c")]));

    expect(partsOf(chunks)).toEqual([
      { functionCall: { id: "c", name: "Read", args: {} }, thoughtSignature: "c2VjcmV0" },
      { text: "" },
    ]);
  });

  test("without a call leave their signature at the end", async () => {
    const answer = reply([thinking("Hm."), text("Hi.")], { deltaChars: 100 });

    expect(partsOf(await chunksOf(answer)).at(-1)).toEqual({ text: "", thoughtSignature: sign("Hm.") });
    expect((await wholeOf(answer)).candidates![0]!.content.parts).toEqual([
      { text: "Hm.", thought: true },
      { text: "Hi." },
      { text: "", thoughtSignature: sign("Hm.") },
    ]);
  });

  test("give the scenario's own signature to the first call", async () => {
    const chunks = await chunksOf(
      reply([thinking("a", "sig-a"), thinking("b", "sig-b"), toolUse("Read", {}, "c"), toolUse("Read", {}, "d")]),
    );

    expect(partsOf(chunks).map(({ thoughtSignature }) => thoughtSignature)).toEqual([
      undefined,
      undefined,
      "sig-b",
      undefined,
      undefined,
    ]);
  });
});

describe("a call", () => {
  test("is signed even without a thought", async () => {
    const [part] = partsOf(await chunksOf(reply([toolUse("Read", { a: [1] }, "c")])));

    expect(part!["thoughtSignature"]).toBe(signatureOf("Read", { a: [1] }));
  });

  test("goes without an id where the twin's options say so, unless the scenario names one", async () => {
    const answer = reply([toolUse("Read"), toolUse("Read", {}, "mine")]);
    const chunks = await chunksOf(answer, {}, { gemini: { callIds: "missing" } });

    expect(partsOf(chunks).flatMap(({ functionCall }) => (functionCall ? [functionCall] : []))).toEqual([
      { name: "Read", args: {} },
      { id: "mine", name: "Read", args: {} },
    ]);
  });

  test("gets an id that the history does not hold", async () => {
    await using twin = await starting(reply([toolUse("Read")]));
    const call = { functionCall: { id: "fc_twin_000001", name: "Read", args: {} } };
    const answer = user({ functionResponse: { id: "fc_twin_000001", name: "Read", response: {} } });
    const contents = [question, model({ ...call, thoughtSignature: signatureOf("Read", {}) }), answer];
    const [part] = partsOf(await streamChunks(twin, { contents }));

    expect(part!["functionCall"]).toMatchObject({ id: "fc_twin_000002" });
  });

  test.each([
    ["broken", '{"file_path": '],
    ["no object", "[1]"],
    ["half a word", "nul"],
  ])("whose arguments are %s is told as malformed, and no call is sent", async (_name, inputText) => {
    const answer = reply([text("Look."), toolUse("Read", { a: 1 }), rawToolUse("Write", inputText)]);
    const chunks = await chunksOf(answer);

    expect(partsOf(chunks)).toEqual([{ text: "Look." }, { text: "" }]);
    expect(chunks.at(-1)!.candidates).toEqual([
      {
        content: { parts: [{ text: "" }], role: "model" },
        finishReason: "MALFORMED_FUNCTION_CALL",
        finishMessage: `Malformed function call: Write(${inputText})`,
        index: 0,
      },
    ]);
    expect((await wholeOf(answer)).candidates![0]).toMatchObject({ finishReason: "MALFORMED_FUNCTION_CALL" });
  });

  test("that was cut short by the token limit is left out, and the limit is told", async () => {
    const chunks = await chunksOf(reply([rawToolUse("Read", '{"file_')], { stopReason: "max_tokens" }));

    expect(partsOf(chunks)).toEqual([{ text: "" }, { text: "" }]);
    expect(chunks.at(-1)!.candidates![0]!.finishReason).toBe("MAX_TOKENS");
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ["", {}],
  ])("whose arguments are given as the text %j is a call", async (inputText, args) => {
    const [part] = partsOf(await chunksOf(reply([rawToolUse("Read", inputText, "c")])));

    expect(part!["functionCall"]).toEqual({ id: "c", name: "Read", args });
  });
});

describe("the end", () => {
  const REASONS: Record<StopReason, string> = {
    end_turn: "STOP",
    tool_use: "STOP",
    stop_sequence: "STOP",
    pause_turn: "STOP",
    max_tokens: "MAX_TOKENS",
    model_context_window_exceeded: "MAX_TOKENS",
    refusal: "SAFETY",
  };

  test.each([...STOP_REASONS])("of %s is told in the API's words, streamed or not", async (stopReason) => {
    const answer = reply("Hi.", { stopReason });

    expect((await chunksOf(answer)).map(({ candidates }) => candidates![0]!.finishReason)).toEqual([
      undefined,
      REASONS[stopReason],
    ]);
    expect((await wholeOf(answer)).candidates![0]!.finishReason).toBe(REASONS[stopReason]);
  });

  test.each<RefusalReason>(["RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST", "LANGUAGE", "OTHER"])(
    "of a refusal can be %s",
    async (refusals) => {
      const chunks = await chunksOf(reply("Hi", { stopReason: "refusal" }), {}, { gemini: { refusals } });

      expect(chunks.at(-1)!.candidates![0]).toEqual({
        content: { parts: [{ text: "" }], role: "model" },
        finishReason: refusals,
        index: 0,
      });
    },
  );

  test("of a refusal for safety says what was found", async () => {
    expect((await chunksOf(reply("Hi", { stopReason: "refusal" }))).at(-1)!.candidates![0]).toMatchObject({
      finishReason: "SAFETY",
      safetyRatings: [{ probability: "HIGH", blocked: true }],
    });
  });

  test("of a refusal without a word is a prompt that is blocked", async () => {
    const answer = reply([], { stopReason: "refusal", usage: { inputTokens: 5, outputTokens: 0 } });
    const details = [{ modality: "TEXT", tokenCount: 5 }];
    const blocked = {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 5, promptTokensDetails: details, candidatesTokenCount: 0, totalTokenCount: 5 },
      modelVersion: "gemini-test",
      responseId: "twin_000001",
    };
    const options: Partial<TwinOptions> = { gemini: { refusals: "PROHIBITED_CONTENT" } };

    expect(await chunksOf(answer, {}, options)).toEqual([blocked]);
    expect(await wholeOf(answer, {}, options)).toEqual(blocked);
    expect((await wholeOf(answer)).promptFeedback).toMatchObject({ blockReason: "SAFETY" });
  });

  test("of a recitation without a word is no blocked prompt", async () => {
    const whole = await wholeOf(reply([], { stopReason: "refusal" }), {}, { gemini: { refusals: "RECITATION" } });

    expect(whole).toMatchObject({ candidates: [{ content: { role: "model" }, finishReason: "RECITATION" }] });
    expect(whole).not.toHaveProperty("promptFeedback");
  });

  test("of an answer without anything is told after an empty chunk", async () => {
    const chunks = await chunksOf(reply([]));

    expect(partsOf(chunks)).toEqual([{ text: "" }, { text: "" }]);
    expect(chunks.map(({ candidates }) => candidates![0]!.finishReason)).toEqual([undefined, "STOP"]);
  });
});

describe("a signature", () => {
  const own = { thoughtSignature: "own-signature" };

  /** A first round on this twin, then what comes back of its call. */
  async function goesOn(part: Body, options: Partial<TwinOptions> = {}) {
    await using twin = await startTwin({
      scenario: [reply([thinking("Hm.", own.thoughtSignature), toolUse("Read", { a: 1 }, "c")]), reply("Done.")],
      ...options,
    });
    const [, sent] = partsOf(await streamChunks(twin, { ...THOUGHTS, ...tools(READ) }));
    expect(sent).toEqual({ functionCall: { id: "c", name: "Read", args: { a: 1 } }, ...own });
    const contents = [question, model(part), user(response("Read", { id: "c" }))];
    await askGemini(twin, { contents, ...tools(READ) });
    return twin.requests[1]!.rejected;
  }
  const call = (args: Body, more: Body = {}) => ({ functionCall: { id: "c", name: "Read", args }, ...more });

  test("that the scenario gave comes back as it was sent", async () => {
    expect(await goesOn(call({ a: 1 }, own))).toEqual([]);
  });

  test.each([
    ["gone", call({ a: 1 }), "function call `Read` is missing a thought_signature"],
    ["changed", call({ a: 1 }, { thoughtSignature: "own-signaturE" }), "corrupted thought signature"],
    ["with other arguments", call({ a: 2 }, own), "corrupted thought signature"],
    ["a placeholder", call({ a: 1 }, { thoughtSignature: "skip_thought_signature_validator" }), "a placeholder stands"],
  ])("is refused when it is %s", async (_name, part, message) => {
    expect((await goesOn(part)).join()).toContain(message);
  });

  test("may be a placeholder once its turn is over, or where another call says the same", async () => {
    await using twin = await starting(reply([toolUse("Read", { a: 1 }, "c")]));
    const placeholder = { thoughtSignature: "skip_thought_signature_validator" };
    const sameWords = { functionCall: { id: "other", name: "Read", args: { a: 1 } }, ...placeholder };
    const send = (...contents: unknown[]) => askGemini(twin, { contents, ...tools(READ) });
    await send(question);
    const first = [question, model(call({ a: 1 }, placeholder)), user(response("Read", { id: "c" }))];

    expect((await send(...first)).status).toBe(400);
    expect((await send(...first, model({ text: "Done." }), question)).status).toBe(200);
    expect((await send(question, model(sameWords), user(response("Read", { id: "other" })))).status).toBe(200);
  });

  test("that another twin generated is known here, one from its scenario is not", async () => {
    await using twin = await starting(reply("Done."));
    const send = (part: Body) =>
      ask(twin, geminiBody({ contents: [question, model(part), user(response("Read", { id: "c" }))] }), {
        path: STREAM,
        headers: GEMINI_HEADERS,
      });

    expect((await send(call({ a: 1 }, { thoughtSignature: signatureOf("Read", { a: 1 }) }))).status).toBe(200);
    expect((await send(call({ a: 1 }, own))).status).toBe(400);
  });
});

test("a scenario that is used up says so, plainly", async () => {
  await using twin = await startTwin({ scenario: [] });
  const answer = await askGemini(twin, {}, STREAM);

  expect(answer.json).toEqual({
    error: { code: 500, message: "model-twin: the scenario has no more replies", status: "INTERNAL" },
  });
  expect(answer.headers.get("x-should-retry")).toBe("false");
});

test("a stream is read strictly by these tests", () => {
  expect(() => parseStream("data: {}\n\n")).toThrow("in the middle of an event");
});
