import { describe, expect, test } from "bun:test";
import { deepTest, isDeep, testOrDeep } from "../../../../../tests/support/deep.ts";
import { type Reply, rawToolUse, redactedThinking, reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import type { ChatQuirks } from "../../../src/wires/openai/options.ts";
import { type Body, isEnded, writtenSizes } from "../../support/ask.ts";
import {
  askChat,
  CHAT,
  CHAT_TOOL,
  type Chunk,
  chatBody,
  chatChunks,
  deltasOf,
  errorOf,
  finishOf,
  parseChat,
  rawOpenAi,
} from "../../support/openai.ts";

async function chunksOf(answer: Reply, chat: ChatQuirks = {}, fields: Body = {}) {
  await using twin = await startTwin({ scenario: [answer], openai: { chat } });
  return await chatChunks(twin, fields);
}

async function wholeOf(answer: Reply, chat: ChatQuirks = {}, fields: Body = {}) {
  await using twin = await startTwin({ scenario: [answer], openai: { chat } });
  return (await askChat(twin, fields)).json as {
    choices: { message: Body; finish_reason: string }[];
    usage?: Body;
  };
}

const ENVELOPE = {
  id: "chatcmpl-twin_000001",
  created: 1_767_225_600,
  model: "gpt-test",
  service_tier: "default",
  system_fingerprint: "fp_twin",
};
const USAGE = { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheCreationTokens: 44, reasoningTokens: 5 };
const WIRE_USAGE = {
  prompt_tokens: 88,
  completion_tokens: 22,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 33, cache_write_tokens: 44 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const include = { stream_options: { include_usage: true } };

describe("a streamed answer", () => {
  test("has every chunk of the API, in its order", async () => {
    const answer = reply([thinking("Hm."), text("Look."), toolUse("Read", { a: 1 }, "t1"), toolUse("Read", {}, "t2")], {
      usage: USAGE,
      deltaChars: 4,
    });
    const chunk = (delta: Body, reason: string | null = null) => ({
      ...ENVELOPE,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      usage: null,
    });
    const head = (index: number, id: string) => ({
      tool_calls: [{ index, id, type: "function", function: { name: "Read", arguments: "" } }],
    });
    const part = (index: number, json: string) => ({ tool_calls: [{ index, function: { arguments: json } }] });

    expect(await chunksOf(answer, {}, include)).toEqual([
      chunk({ role: "assistant", content: "", refusal: null }),
      ": ping",
      chunk({ reasoning_content: "Hm." }),
      chunk({ content: "Look" }),
      chunk({ content: "." }),
      chunk(head(0, "t1")),
      chunk(part(0, '{"a"')),
      chunk(part(0, ":1}")),
      chunk(head(1, "t2")),
      chunk(part(1, "{}")),
      chunk({}, "tool_calls"),
      { ...ENVELOPE, object: "chat.completion.chunk", choices: [], usage: WIRE_USAGE } as unknown as Chunk,
      "[DONE]",
    ] as never);
  });

  test("tells no usage unless it is asked to", async () => {
    const chunks = await chunksOf(reply("Hi.", { usage: USAGE }));

    expect(chunks.some((chunk) => typeof chunk !== "string" && "usage" in chunk)).toBe(false);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  });

  test("begins without content when it only calls", async () => {
    const [first] = await chunksOf(reply([toolUse("Read")]));

    expect(first).toMatchObject({ choices: [{ delta: { role: "assistant", content: null } }] });
  });

  test("has the headers of the API", async () => {
    await using twin = await startTwin({ scenario: [reply("Hi.")] });
    const { headers } = await askChat(twin, { stream: true });

    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("x-request-id")).toBe("req_twin_000001");
  });

  test("never halves a surrogate pair, and pings as asked", async () => {
    const chunks = await chunksOf(reply("ab😀cd", { deltaChars: 3, pings: { atStart: false, every: 1 } }));

    expect(deltasOf(chunks)).toEqual([{ content: "ab😀" }, { content: "cd" }]);
    expect(chunks.map((chunk) => (typeof chunk === "string" ? chunk : "chunk"))).toEqual([
      ...["chunk", "chunk", ": ping", "chunk", ": ping"],
      ...["chunk", "[DONE]"],
    ]);
  });

  test("sends broken arguments as they were written", async () => {
    const chunks = await chunksOf(reply([rawToolUse("Read", '{"file_path": "a', "t1")], { stopReason: "max_tokens" }));
    const json = deltasOf(chunks).map((delta) => (delta as ToolDelta).tool_calls[0]!.function.arguments);

    expect(json.join("")).toBe('{"file_path": "a');
    expect(finishOf(chunks)).toBe("length");
  });

  test("leaves hidden thinking out", async () => {
    expect(deltasOf(await chunksOf(reply([redactedThinking("c2VjcmV0"), text("Yes.")])))).toEqual([
      { content: "Yes." },
    ]);
  });

  test("estimates its usage from the text, thinking counted with what is said", async () => {
    const chunks = await chunksOf(reply([thinking("x".repeat(400)), text("y".repeat(80))]), {}, include);

    expect((chunks.at(-2) as Chunk).usage).toEqual({
      prompt_tokens: 6,
      completion_tokens: 120,
      total_tokens: 126,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 100 },
    });
  });

  test("keeps its pace between deltas", async () => {
    await using twin = await startTwin({ scenario: [reply("abcde", { deltaChars: 1, paceMs: 10 })] });
    await chatChunks(twin);
    const { receivedAtMs, endedAtMs } = await twin.answered(0);

    expect(endedAtMs! - receivedAtMs).toBeGreaterThanOrEqual(39);
  });
});

type ToolDelta = { tool_calls: { index?: number; id?: string; function: { name?: string; arguments: string } }[] };

test.each([
  ["end_turn", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["refusal", "content_filter"],
  ["model_context_window_exceeded", "length"],
] as const)("the stop reason %s is told as %s, streamed or not", async (stopReason, expected) => {
  expect(finishOf(await chunksOf(reply("Hi.", { stopReason })))).toBe(expected);
  expect((await wholeOf(reply("Hi.", { stopReason }))).choices[0]!.finish_reason).toBe(expected);
});

describe("an answer without a stream", () => {
  test("is the whole completion", async () => {
    const answer = reply([thinking("Hm."), text("Lo"), text("ok."), toolUse("Read", { a: 1 }, "t1")], { usage: USAGE });

    expect(await wholeOf(answer)).toEqual({
      ...ENVELOPE,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Look.",
            refusal: null,
            annotations: [],
            reasoning_content: "Hm.",
            tool_calls: [{ id: "t1", type: "function", function: { name: "Read", arguments: '{"a":1}' } }],
          },
          logprobs: null,
          finish_reason: "tool_calls",
        },
      ],
      usage: WIRE_USAGE,
    } as never);
  });

  test("has no content when it only calls, and empty content when it says nothing", async () => {
    expect((await wholeOf(reply([toolUse("Read")]))).choices[0]!.message).toMatchObject({ content: null });
    expect((await wholeOf(reply([]))).choices[0]!.message).toMatchObject({ content: "" });
  });
});

describe("a server of another kind", () => {
  const calling = reply([text("Look."), toolUse("Read", { a: 1 }, "t1")], { deltaChars: 3 });

  test.each<[ChatQuirks["reasoningField"], Body[]]>([
    ["reasoning_content", [{ reasoning_content: "Hm." }, { content: "Yes." }]],
    ["reasoning", [{ reasoning: "Hm." }, { content: "Yes." }]],
    ["none", [{ content: "Yes." }]],
  ])("sends thinking in the field %s", async (reasoningField, deltas) => {
    const answer = reply([thinking("Hm."), text("Yes.")]);
    const { message } = (await wholeOf(answer, { reasoningField })).choices[0]!;

    expect(deltasOf(await chunksOf(answer, { reasoningField }))).toEqual(deltas);
    expect(message).toEqual({ role: "assistant", refusal: null, annotations: [], ...Object.assign({}, ...deltas) });
  });

  test("sends calls without ids", async () => {
    const [, head] = deltasOf(await chunksOf(calling, { callIds: "missing", reasoningField: "none" })).slice(1);
    const { message } = (await wholeOf(calling, { callIds: "missing" })).choices[0]!;

    expect(head).toEqual({ tool_calls: [{ index: 0, type: "function", function: { name: "Read", arguments: "" } }] });
    expect(message["tool_calls"]).toEqual([{ type: "function", function: { name: "Read", arguments: '{"a":1}' } }]);
  });

  test("sends calls without their index", async () => {
    const deltas = deltasOf(await chunksOf(calling, { callIndex: false })).slice(2) as ToolDelta[];

    expect(deltas[0]!.tool_calls[0]).toEqual({
      id: "t1",
      type: "function",
      function: { name: "Read", arguments: "" },
    } as never);
    expect(deltas.every(({ tool_calls: [call] }) => !("index" in call!))).toBe(true);
  });

  test("sends arguments in one piece", async () => {
    expect(deltasOf(await chunksOf(calling, { argumentPieces: false })).slice(2)).toEqual([
      { tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "Read", arguments: '{"a":1}' } }] },
    ]);
  });

  test("makes ids of nine letters", async () => {
    const { message } = (await wholeOf(reply([toolUse("Read")]), { callIds: "nine_letters" })).choices[0]!;

    expect(message["tool_calls"]).toMatchObject([{ id: "twn000001" }]);
  });

  test("says stop where it calls", async () => {
    expect(finishOf(await chunksOf(calling, { finishReasonOfCalls: "stop" }))).toBe("stop");
    expect(finishOf(await chunksOf(calling))).toBe("tool_calls");
  });

  test("tells a refusal in its own field", async () => {
    const refusing = reply("No way.", { stopReason: "refusal" });
    const chunks = await chunksOf(refusing, { refusals: "refusal_field" });
    const [choice] = (await wholeOf(refusing, { refusals: "refusal_field" })).choices;

    expect(deltasOf(chunks)).toEqual([{ refusal: "No way." }]);
    expect(finishOf(chunks)).toBe("stop");
    expect(choice).toMatchObject({ message: { content: null, refusal: "No way." }, finish_reason: "stop" });
  });

  test("tells its usage unasked, with the finish reason, or never", async () => {
    const answer = reply("Hi.", { usage: USAGE });
    const told = async (usage: ChatQuirks["usage"], fields: Body = {}) => {
      const chunks = (await chunksOf(answer, { usage }, fields)).filter((chunk) => typeof chunk !== "string");
      return chunks
        .filter((chunk) => chunk.usage)
        .map((chunk) => ({ choices: chunk.choices.length, usage: chunk.usage }));
    };

    expect(await told("always")).toEqual([{ choices: 0, usage: WIRE_USAGE }]);
    expect(await told("with_finish")).toEqual([{ choices: 1, usage: WIRE_USAGE }]);
    expect(await told("never", include)).toEqual([]);
    expect((await wholeOf(answer, { usage: "never" })).usage).toBeUndefined();
  });
});

describe("a server without parallel calls", () => {
  const question = { role: "user", content: "Hello." };
  const scenario = [
    reply([
      thinking("Hm."),
      toolUse("Read", { a: 1 }),
      text("And."),
      toolUse("Read", { a: 2 }),
      toolUse("Read", { a: 3 }),
    ]),
    reply("Done."),
  ];

  /** Answers each call with "ok" until nothing is called any more. */
  async function run(chat: ChatQuirks, fields: Body = {}) {
    await using twin = await startTwin({ scenario, openai: { chat } });
    const messages: Body[] = [question];
    const rounds: Body[] = [];
    for (;;) {
      const answer = await askChat(twin, { tools: [CHAT_TOOL], messages, ...fields });
      if (answer.status !== 200) throw new Error(errorOf(answer).message);
      const { message } = (answer.json as { choices: { message: Body }[] }).choices[0]!;
      const {
        tool_calls: calls = [],
        content,
        reasoning_content: reasoning,
      } = message as {
        tool_calls?: { id?: string; function: { arguments: string } }[];
        content: string;
        reasoning_content?: string;
      };
      rounds.push({ content, reasoning, calls: calls.map((call) => call.function.arguments) });
      if (calls.length === 0) return rounds;
      const named = calls.map((call, index) => ({ ...call, id: call.id ?? `mine_${rounds.length}_${index}` }));
      messages.push({ role: "assistant", content, tool_calls: named });
      for (const { id } of named) messages.push({ role: "tool", tool_call_id: id, content: "ok" });
    }
  }

  const ONE_BY_ONE = [
    { content: null, reasoning: "Hm.", calls: ['{"a":1}'] },
    { content: "And.", calls: ['{"a":2}'] },
    { content: null, calls: ['{"a":3}'] },
    { content: "Done.", calls: [] },
  ];

  test("replies with one call at a time", async () => {
    expect(await run({ parallelCalls: false })).toEqual(ONE_BY_ONE);
  });

  test("does so too if the client invents the ids", async () => {
    expect(await run({ parallelCalls: false, callIds: "missing" })).toEqual(ONE_BY_ONE);
  });

  test("is any server that a request asks for single calls", async () => {
    expect(await run({}, { parallel_tool_calls: false })).toEqual(ONE_BY_ONE);
    expect(await run({})).toEqual([
      { content: "And.", reasoning: "Hm.", calls: ['{"a":1}', '{"a":2}', '{"a":3}'] },
      { content: "Done.", calls: [] },
    ]);
  });
});

test("a call's id is never one that the history holds already, even from another twin", async () => {
  const scenario = [reply([toolUse("Read")])];
  await using twin = await startTwin({ scenario });
  const messages = [
    { role: "user", content: "Hello." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_twin_000001", type: "function", function: { name: "Read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_twin_000001", content: "ok" },
  ];

  expect((await askChat(twin, { tools: [CHAT_TOOL], messages })).json).toMatchObject({
    choices: [{ message: { tool_calls: [{ id: "call_twin_000002" }] } }],
  });
});

describe("a body that is cut into pieces", () => {
  const answer = reply([thinking("Größe — 思考"), text("naïve 😀 日本語"), toolUse("Read", { path: "ü/😀" }, "t1")], {
    deltaChars: 2,
  });
  const streaming = chatBody({ stream: true });

  testOrDeep(!isDeep)("parses to the same chunks for any seed", async () => {
    const whole = await chunksOf(answer);
    for (let seed = 0; seed < 20; seed += isDeep ? 1 : 5)
      expect(await chunksOf({ ...answer, cutBytes: { seed, max: 1 + (seed % 17) } })).toEqual(whole);
  });

  deepTest("is written in the sizes asked for", async () => {
    await using twin = await startTwin({ scenario: [{ ...answer, cutBytes: [1, 2] }] });
    const sizes = writtenSizes((await rawOpenAi(twin, CHAT, streaming, isEnded)).text);

    expect(sizes.slice(0, 6)).toEqual([1, 2, 1, 2, 1, 2]);
  });
});

deepTest("ten megabytes of text arrive whole", async () => {
  const long = "Zeile für Zeile. ".repeat(600_000);
  await using twin = await startTwin({ scenario: [reply(long, { deltaChars: 65_536 })] });
  const deltas = deltasOf(parseChat((await askChat(twin, { stream: true })).text));

  expect(deltas.map(({ content }) => content).join("") === long).toBe(true);
});
