import { describe, expect, test } from "bun:test";
import type { ProviderEvent } from "../../../../src/contracts/provider.ts";
import { MessageAssembler } from "../../../../src/services/provider/anthropic/from-stream.ts";
import type { WireEvent } from "../../../../src/services/provider/anthropic/server-events.ts";
import { doneOf } from "./support.ts";

const start: WireEvent = {
  type: "message_start",
  message: { model: "claude-x-20260101", usage: { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 7 } },
};
const stop: WireEvent = { type: "message_stop" };
const ending = (reason: unknown, usage: WireEvent["usage"] = { output_tokens: 42 }): WireEvent => ({
  type: "message_delta",
  delta: { stop_reason: reason },
  usage: usage ?? null,
});
const opening = (index: number, block: WireEvent["content_block"]): WireEvent => ({
  type: "content_block_start",
  index,
  content_block: block ?? null,
});
const delta = (index: number, value: NonNullable<WireEvent["delta"]>): WireEvent => ({
  type: "content_block_delta",
  index,
  delta: value,
});
const closing = (index: number): WireEvent => ({ type: "content_block_stop", index });

function assembled(...events: readonly WireEvent[]): readonly ProviderEvent[] {
  const assembler = new MessageAssembler("asked");
  return events.flatMap((event) => assembler.accept(event));
}

const content = (...events: readonly WireEvent[]) =>
  doneOf(assembled(start, ...events, ending("end_turn"), stop)).content;

test("an answer is reported delta by delta, block by block, and ends with the stop reason and the final usage", () => {
  const events = assembled(
    start,
    opening(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Hm" }),
    delta(0, { type: "thinking_delta", thinking: "…" }),
    delta(0, { type: "signature_delta", signature: "sig" }),
    closing(0),
    opening(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "Hel" }),
    delta(1, { type: "text_delta", text: "lo" }),
    closing(1),
    opening(2, { type: "tool_use", id: "t1", name: "Read", input: {} }),
    delta(2, { type: "input_json_delta", partial_json: "" }),
    delta(2, { type: "input_json_delta", partial_json: '{"file_path"' }),
    delta(2, { type: "input_json_delta", partial_json: ':"a"}' }),
    closing(2),
    ending("tool_use", { output_tokens: 42, cache_creation_input_tokens: 3 }),
    stop,
  );
  const thinking = { type: "thinking", thinking: "Hm…", signature: "sig" } as const;
  const text = { type: "text", text: "Hello" } as const;
  const use = { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } } as const;
  const json = (part: string) => ({ type: "tool_input_delta", toolUseId: "t1", toolName: "Read", json: part }) as const;
  expect(events).toEqual([
    { type: "thinking_delta", text: "Hm" },
    { type: "thinking_delta", text: "…" },
    { type: "block_done", block: thinking },
    { type: "text_delta", text: "Hel" },
    { type: "text_delta", text: "lo" },
    { type: "block_done", block: text },
    json('{"file_path"'),
    json(':"a"}'),
    { type: "block_done", block: use },
    {
      type: "done",
      message: {
        role: "assistant",
        model: "claude-x-20260101",
        content: [thinking, text, use],
        stopReason: "tool_use",
        usage: { inputTokens: 5, outputTokens: 42, cacheReadTokens: 7, cacheWriteTokens: 3 },
      },
    },
  ]);
});

test.each([
  ["end_turn", "end_turn"],
  ["tool_use", "tool_use"],
  ["max_tokens", "max_tokens"],
  ["stop_sequence", "stop_sequence"],
  ["pause_turn", "pause_turn"],
  ["refusal", "refusal"],
  ["model_context_window_exceeded", "context_exceeded"],
  ["something_new", "other"],
  ["toString", "other"],
  [null, "end_turn"],
] as const)("the stop reason %p is %s", (sent, expected) => {
  expect(doneOf(assembled(start, ending(sent), stop)).stopReason).toBe(expected);
});

test("text that the start event repeats is not doubled", () => {
  expect(
    content(
      opening(0, { type: "text", text: "Hel" }),
      delta(0, { type: "text_delta", text: "Hel" }),
      delta(0, { type: "text_delta", text: "lo" }),
      closing(0),
    ),
  ).toEqual([{ type: "text", text: "Hello" }]);
});

test("a block that comes whole in its start event, without a delta, counts", () => {
  expect(
    content(
      opening(0, { type: "thinking", thinking: "T", signature: "S" }),
      closing(0),
      opening(1, { type: "redacted_thinking", data: "opaque" }),
      closing(1),
      opening(2, { type: "text", text: "Whole." }),
      closing(2),
      opening(3, { type: "tool_use", id: "t", name: "Read", input: { a: 1 } }),
      closing(3),
    ),
  ).toEqual([
    { type: "thinking", thinking: "T", signature: "S" },
    { type: "redacted_thinking", data: "opaque" },
    { type: "text", text: "Whole." },
    { type: "tool_use", id: "t", name: "Read", input: { a: 1 } },
  ]);
});

test("unknown events and deltas, and fields of the wrong type, are passed over; unknown blocks are kept as they came", () => {
  expect(
    content(
      { type: "something_new" },
      {},
      opening(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"q":1}' }),
      closing(0),
      opening(1, null),
      closing(1),
      opening(2, { type: "tool_use", id: 7, name: "Read" }),
      closing(2),
      opening(3, { type: "text", text: "" }),
      delta(3, { type: "citations_delta", citation: {} }),
      delta(3, { type: "input_json_delta", partial_json: "no" }),
      delta(3, { type: "text_delta", text: 5 }),
      delta(3, { type: "text_delta", text: "ok" }),
      delta(9, { type: "text_delta", text: "nowhere" }),
      closing(3),
      closing(9),
    ),
  ).toEqual([
    { type: "opaque", data: { type: "server_tool_use", id: "s", name: "web_search", input: { q: 1 } } },
    { type: "text", text: "ok", citations: [{}] },
  ]);
});

test("server-run tool blocks are kept whole, with the text that cites them", () => {
  const found = {
    type: "web_search_tool_result",
    tool_use_id: "s",
    content: [{ type: "web_search_result", url: "u" }],
  };
  const citation = { type: "web_search_result_location", cited_text: "x", encrypted_index: "e", title: null, url: "u" };
  expect(
    content(
      opening(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"que' }),
      delta(0, { type: "input_json_delta", partial_json: 'ry":"x"}' }),
      closing(0),
      opening(1, found),
      closing(1),
      opening(2, { type: "text", text: "", citations: [] }),
      delta(2, { type: "citations_delta", citation }),
      delta(2, { type: "text_delta", text: "As said." }),
      closing(2),
    ),
  ).toEqual([
    { type: "opaque", data: { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } } },
    { type: "opaque", data: found },
    { type: "text", text: "As said.", citations: [citation] },
  ]);
});

test("blocks that hold nothing leave nothing", () => {
  expect(
    content(opening(0, { type: "text", text: "" }), closing(0), opening(1, { type: "thinking" }), closing(1)),
  ).toEqual([]);
});

test("a block without its end is finished with the message", () => {
  const events = assembled(
    start,
    opening(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "cut" }),
    ending("max_tokens"),
    stop,
  );
  expect(events.map(({ type }) => type)).toEqual(["text_delta", "block_done", "done"]);
});

test("a later usage report replaces the earlier count, and null does not", () => {
  const events = assembled(
    start,
    ending("end_turn", { input_tokens: null, cache_read_input_tokens: 9, output_tokens: 2 }),
    stop,
  );
  expect(doneOf(events).usage).toEqual({ inputTokens: 5, outputTokens: 2, cacheReadTokens: 9, cacheWriteTokens: 0 });
});

test("zeros at the end, which gateways send for counts that they leave out, do not replace the prompt's counts", () => {
  const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 42 };
  const { usage } = doneOf(assembled(start, ending("end_turn", zeros), stop));
  expect(usage).toEqual({ inputTokens: 5, outputTokens: 42, cacheReadTokens: 7, cacheWriteTokens: 0 });
});

test("a later report of a prompt that was read from the cache as a whole replaces an earlier estimate", () => {
  const cached = { input_tokens: 0, cache_read_input_tokens: 12, output_tokens: 42 };
  const { usage } = doneOf(assembled(start, ending("end_turn", cached), stop));
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 42, cacheReadTokens: 12, cacheWriteTokens: 0 });
});

test("a server that does not name the model answers for the one that was asked", () => {
  expect(doneOf(assembled({ type: "message_start" }, stop)).model).toBe("asked");
});

describe("a call's input", () => {
  const inputOf = (...parts: readonly string[]) =>
    content(
      opening(0, { type: "tool_use", id: "t", name: "Read", input: {} }),
      ...parts.map((part) => delta(0, { type: "input_json_delta", partial_json: part })),
      closing(0),
    )[0];

  test("is empty when no text came", () => {
    expect(inputOf("", " ")).toEqual({ type: "tool_use", id: "t", name: "Read", input: {} });
  });

  test("that is broken is kept as text, with the place", () => {
    expect(inputOf('{"file_path": "a', '.txt", }')).toEqual({
      type: "tool_use",
      id: "t",
      name: "Read",
      input: {},
      malformed: {
        text: '{"file_path": "a.txt", }',
        problem: 'property name expected at position 23, found "}"',
      },
    });
  });

  test.each([
    ["[1]", "it must be a JSON object, not an array"],
    ["null", "it must be a JSON object, not null"],
    ['"x"', "it must be a JSON object, not a string"],
  ])("that is %s is malformed", (text, problem) => {
    expect(inputOf(text)).toMatchObject({ input: {}, malformed: { text, problem } });
  });

  test("may hold a key named __proto__ and harms nobody", () => {
    const block = inputOf('{"__proto__":{"polluted":true}}');
    expect(JSON.stringify(block)).toContain('"__proto__":{"polluted":true}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
