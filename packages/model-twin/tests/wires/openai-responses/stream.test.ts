import { describe, expect, test } from "bun:test";
import { isDeep, testOrDeep } from "../../../../../tests/support/deep.ts";
import { type Reply, rawToolUse, redactedThinking, reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import type { ResponsesOptions } from "../../../src/wires/openai/options.ts";
import { sealReasoning } from "../../../src/wires/openai-responses/sent-items.ts";
import type { Body } from "../../support/ask.ts";
import { askResponses, type Event, errorOf, RESPONSES_TOOL, responsesEvents } from "../../support/openai.ts";

const REASONING = {
  include: ["reasoning.encrypted_content"],
  reasoning: { effort: "low", summary: "auto" },
  store: false,
};

async function eventsOf(answer: Reply, fields: Body = {}, responses: ResponsesOptions = {}): Promise<Event[]> {
  await using twin = await startTwin({ scenario: [answer], openai: { responses } });
  return await responsesEvents(twin, fields);
}

async function wholeOf(answer: Reply, fields: Body = {}, responses: ResponsesOptions = {}): Promise<Body> {
  await using twin = await startTwin({ scenario: [answer], openai: { responses } });
  return (await askResponses(twin, fields)).json as Body;
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const deltasOf = (events: readonly Event[]) =>
  events.flatMap(({ type, delta }) => (type.endsWith(".delta") ? [delta] : []));
const itemsOf = (events: readonly Event[]) =>
  events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item as Body] : []));

const USAGE = { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheCreationTokens: 44, reasoningTokens: 5 };
const RESPONSE = {
  id: "resp_twin_000001",
  object: "response",
  created_at: 1_767_225_600,
  background: false,
  error: null,
  incomplete_details: null,
  instructions: "Be short.",
  max_output_tokens: 99,
  model: "gpt-test",
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: "low", summary: "auto" },
  service_tier: "default",
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [RESPONSES_TOOL],
  top_p: 1,
  truncation: "disabled",
  metadata: {},
};
const FIELDS = { ...REASONING, instructions: "Be short.", max_output_tokens: 99, tools: [RESPONSES_TOOL] };
const ANSWER = reply([thinking("Hm."), text("Look."), toolUse("Read", { a: 1 }, "t1")], {
  usage: USAGE,
  deltaChars: 4,
});

const [RS, MSG, FC] = ["rs_twin_000001_0", "msg_twin_000001_1", "fc_twin_000001_2"];
const THOUGHT = {
  id: RS,
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: sealReasoning(RS!, "Hm."),
};
const PART = { type: "output_text", text: "Look.", annotations: [], logprobs: [] };
const MESSAGE = { id: MSG, type: "message", role: "assistant", status: "completed", content: [PART] };
const CALL = { id: FC, type: "function_call", status: "completed", call_id: "t1", name: "Read", arguments: '{"a":1}' };
const ENDED = {
  ...RESPONSE,
  status: "completed",
  output: [THOUGHT, MESSAGE, CALL],
  usage: {
    input_tokens: 88,
    input_tokens_details: { cached_tokens: 33, cache_write_tokens: 44 },
    output_tokens: 22,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 110,
  },
};

describe("a streamed answer", () => {
  test("has every event of the API, in its order", async () => {
    const started = { ...RESPONSE, status: "in_progress", output: [], usage: null };
    const summary = { item_id: RS, output_index: 0, summary_index: 0 };
    const content = { item_id: MSG, output_index: 1, content_index: 0 };
    const args = { item_id: FC, output_index: 2 };
    const expected = [
      { type: "response.created", response: started },
      { type: "response.in_progress", response: started },
      { type: "response.output_item.added", output_index: 0, item: { ...THOUGHT, summary: [] } },
      { type: "response.reasoning_summary_part.added", ...summary, part: { type: "summary_text", text: "" } },
      { type: "response.reasoning_summary_text.delta", ...summary, delta: "Hm." },
      { type: "response.reasoning_summary_text.done", ...summary, text: "Hm." },
      { type: "response.reasoning_summary_part.done", ...summary, part: { type: "summary_text", text: "Hm." } },
      { type: "response.output_item.done", output_index: 0, item: THOUGHT },
      { type: "response.output_item.added", output_index: 1, item: { ...MESSAGE, status: "in_progress", content: [] } },
      { type: "response.content_part.added", ...content, part: { ...PART, text: "" } },
      { type: "response.output_text.delta", ...content, delta: "Look", logprobs: [] },
      { type: "response.output_text.delta", ...content, delta: ".", logprobs: [] },
      { type: "response.output_text.done", ...content, text: "Look.", logprobs: [] },
      { type: "response.content_part.done", ...content, part: PART },
      { type: "response.output_item.done", output_index: 1, item: MESSAGE },
      { type: "response.output_item.added", output_index: 2, item: { ...CALL, status: "in_progress", arguments: "" } },
      { type: "response.function_call_arguments.delta", ...args, delta: '{"a"' },
      { type: "response.function_call_arguments.delta", ...args, delta: ":1}" },
      { type: "response.function_call_arguments.done", ...args, name: "Read", arguments: '{"a":1}' },
      { type: "response.output_item.done", output_index: 2, item: CALL },
      { type: "response.completed", response: ENDED },
    ];

    expect(await eventsOf(ANSWER, FIELDS)).toEqual(
      expected.map((event, index) => ({ ...event, sequence_number: index })) as unknown as Event[],
    );
  });

  test("has the headers of the API, and pings in comments", async () => {
    await using twin = await startTwin({ scenario: [reply("Hi.", { pings: { every: 1 } })] });
    const { headers, text: body } = await askResponses(twin, { stream: true });

    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("x-request-id")).toBe("req_twin_000001");
    expect(body.split(": ping\n\n").length - 1).toBe(2);
  });

  test("tells no summary that wasn't asked for, and nothing encrypted", async () => {
    const [item, ...others] = itemsOf(await eventsOf(reply([thinking("Hm."), text("Yes.")])));

    expect(item).toEqual({ id: RS, type: "reasoning", summary: [] });
    expect(others.length).toBe(1);
  });

  test("sends hidden thinking as reasoning without a summary", async () => {
    const [item] = itemsOf(await eventsOf(reply([redactedThinking("c2VjcmV0"), text("Yes.")]), REASONING));

    expect(item).toEqual({ id: RS, type: "reasoning", summary: [], encrypted_content: "c2VjcmV0" });
  });

  test("has one summary part for each paragraph where it is told to", async () => {
    const answer = reply([thinking("One.\n\nTwo."), text("Yes.")]);
    const events = await eventsOf(answer, REASONING, { summaryParts: "paragraphs" });
    const deltas = events.filter(({ type }) => type === "response.reasoning_summary_text.delta");

    expect(deltas.map(({ summary_index: index, delta }) => [index, delta])).toEqual([
      [0, "One."],
      [1, "Two."],
    ]);
    expect(itemsOf(await eventsOf(answer, REASONING))[0]!["summary"]).toEqual([
      { type: "summary_text", text: "One.\n\nTwo." },
    ]);
  });

  test("can repeat the first delta in the part's start", async () => {
    const events = await eventsOf(
      reply([thinking("abcd"), text("efgh")], { deltaChars: 2, repeatFirstDelta: true }),
      REASONING,
    );

    expect(events.filter(({ type }) => type.endsWith("part.added")).map(({ part }) => part)).toMatchObject([
      { text: "ab" },
      { text: "ef" },
    ]);
    expect(deltasOf(events)).toEqual(["ab", "cd", "ef", "gh"]);
  });

  test("sends broken arguments as they were written, in an item that is incomplete", async () => {
    const answer = reply([text("Look."), rawToolUse("Read", '{"a": "b', "t1")], { stopReason: "max_tokens" });
    const events = await eventsOf(answer);

    expect(deltasOf(events).slice(1).join("")).toBe('{"a": "b');
    expect(itemsOf(events)).toMatchObject([{ status: "completed" }, { status: "incomplete", arguments: '{"a": "b' }]);
  });

  testOrDeep(!isDeep)("never halves a surrogate pair, and is the same in any pieces", async () => {
    const answer = reply([thinking("思考 😀"), text("ab😀cd 日本"), toolUse("Read", { ü: "😀" }, "t1")], {
      deltaChars: 3,
    });
    const whole = await eventsOf(answer, REASONING);

    expect(deltasOf(whole)).toContain("ab😀");
    for (let seed = 0; seed < 20; seed += isDeep ? 1 : 5)
      expect(await eventsOf({ ...answer, cutBytes: { seed, max: 1 + seed } }, REASONING)).toEqual(whole);
  });
});

describe("an answer without a stream", () => {
  test("is the whole response", async () => {
    expect(await wholeOf(ANSWER, FIELDS)).toEqual(ENDED as unknown as Body);
  });

  test("is the same as the stream's last event", async () => {
    const last = (await eventsOf(ANSWER, FIELDS)).at(-1)!;

    expect(last["response"]).toEqual(await wholeOf(ANSWER, FIELDS));
  });
});

test.each([
  ["end_turn", "completed", null],
  ["tool_use", "completed", null],
  ["stop_sequence", "completed", null],
  ["pause_turn", "completed", null],
  ["refusal", "completed", null],
  ["max_tokens", "incomplete", { reason: "max_output_tokens" }],
  ["model_context_window_exceeded", "incomplete", { reason: "max_output_tokens" }],
] as const)("the stop reason %s is told as %s, streamed or not", async (stopReason, status, details) => {
  const last = (await eventsOf(reply("Hi.", { stopReason }))).at(-1)!;

  expect(last).toMatchObject({ type: `response.${status}`, response: { status, incomplete_details: details } });
  expect(await wholeOf(reply("Hi.", { stopReason }))).toMatchObject({ status, incomplete_details: details });
});

describe("a refusal", () => {
  const refusing = reply("No way.", { stopReason: "refusal", deltaChars: 4 });

  test("is a part of the message", async () => {
    const events = await eventsOf(refusing);

    expect(typesOf(events).slice(2, -1)).toEqual([
      "response.output_item.added",
      "response.content_part.added",
      "response.refusal.delta",
      "response.refusal.delta",
      "response.refusal.done",
      "response.content_part.done",
      "response.output_item.done",
    ]);
    expect(itemsOf(events)).toMatchObject([
      { content: [{ type: "refusal", refusal: "No way." }], status: "completed" },
    ]);
  });

  test("can be an answer that is cut by the filter, and is one when nothing was said", async () => {
    const filtered = { status: "incomplete", incomplete_details: { reason: "content_filter" } };

    expect(await wholeOf(refusing, {}, { refusals: "content_filter" })).toMatchObject({
      ...filtered,
      output: [{ content: [{ type: "output_text", text: "No way." }], status: "incomplete" }],
    });
    expect(await wholeOf(reply([], { stopReason: "refusal" }))).toMatchObject({ ...filtered, output: [] });
  });
});

test("calls come one at a time when the request asks for it", async () => {
  await using twin = await startTwin({
    scenario: [reply([thinking("Hm."), toolUse("Read", { a: 1 }), toolUse("Read", { a: 2 })]), reply("Done.")],
  });
  const input: unknown[] = [{ role: "user", content: "Hello." }];
  const rounds: string[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const answer = await askResponses(twin, {
      ...REASONING,
      tools: [RESPONSES_TOOL],
      parallel_tool_calls: false,
      input,
    });
    if (answer.status !== 200) throw new Error(errorOf(answer).message);
    const { output } = answer.json as { output: (Body & { type: string })[] };
    rounds.push(output.map(({ type }) => type));
    input.push(...output);
    for (const { type, call_id: id } of output)
      if (type === "function_call") input.push({ type: "function_call_output", call_id: id, output: "ok" });
  }

  expect(rounds).toEqual([["reasoning", "function_call"], ["function_call"], ["message"]]);
});

test("a call's id is never one that the history holds already, even from another twin", async () => {
  await using twin = await startTwin({ scenario: [reply([toolUse("Read")])] });
  const input = [
    { role: "user", content: "Hello." },
    { type: "function_call", call_id: "call_twin_000001", name: "Read", arguments: "{}" },
    { type: "function_call_output", call_id: "call_twin_000001", output: "ok" },
  ];

  expect((await askResponses(twin, { input })).json).toMatchObject({ output: [{ call_id: "call_twin_000002" }] });
});
