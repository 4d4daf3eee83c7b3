import { describe, expect, test } from "bun:test";
import type { EngineEvent } from "../../../src/contracts/event.ts";
import { type AssistantBlock, NO_USAGE } from "../../../src/contracts/message.ts";
import { MessageLines } from "../../../src/faces/headless/message-lines.ts";
import type { WireLine } from "../../../src/faces/headless/wire-format.ts";
import { countedIds } from "../../support/engine-harness.ts";

const words = (text: string): EngineEvent => ({ type: "text_delta", text });
const thoughts = (text: string): EngineEvent => ({ type: "thinking_delta", text });
const input = (toolUseId: string, json: string): EngineEvent => ({
  type: "tool_input_delta",
  toolUseId,
  toolName: "Read",
  json,
});
const start: EngineEvent = { type: "request_started", step: 1, model: "m" };
const done = (content: readonly AssistantBlock[]): EngineEvent => ({
  type: "assistant_message",
  message: { role: "assistant", id: "final", model: "m", content, stopReason: "end_turn", usage: NO_USAGE },
});

function told(...events: readonly EngineEvent[]): readonly string[] {
  const lines = new MessageLines({ ids: countedIds(), partial: true });
  return events.flatMap((event) => lines.lines(event)).map(outline);
}

/** `+0 text`, `0 "Hello"`, `-0`: a block begins, goes on, ends. */
function outline(line: WireLine): string {
  if (line["type"] !== "stream_event") {
    const message = line["message"] as { id: string } | undefined;
    return [line["type"], message?.id].join(" ");
  }
  const event = line["event"] as Record<string, Record<string, unknown>> & { type: string; index: number };
  switch (event.type) {
    case "content_block_start":
      return `+${event.index} ${event["content_block"]?.["type"]}`;
    case "content_block_delta": {
      const delta = event["delta"] ?? {};
      return `${event.index} ${JSON.stringify(delta["text"] ?? delta["thinking"] ?? delta["partial_json"])}`;
    }
    case "content_block_stop":
      return `-${event.index}`;
    case "message_start":
      return `start ${event["message"]?.["id"]}`;
    case "message_delta":
      return `end ${event["delta"]?.["stop_reason"]}`;
    default:
      return event.type;
  }
}

const text = (value: string): AssistantBlock => ({ type: "text", text: value });
const use = (id: string): AssistantBlock => ({ type: "tool_use", id, name: "Read", input: { a: 1 } });

describe("an answer while it comes", () => {
  test("is reported block by block, and its line has the same id", () => {
    const blocks = [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      text("Hello"),
      use("t1"),
      use("t2"),
    ] as const;
    expect(
      told(
        start,
        thoughts("Hm."),
        words("Hel"),
        words("lo"),
        input("t1", '{"a"'),
        input("t1", ":1}"),
        input("t2", "{}"),
        done(blocks),
      ),
    ).toEqual([
      ...["start id-1", "+0 thinking", '0 "Hm."', "-0", "+1 text", '1 "Hel"', '1 "lo"', "-1"],
      ...["+2 tool_use", '2 "{\\"a\\""', '2 ":1}"', "-2", "+3 tool_use", '3 "{}"', "-3"],
      ...["end end_turn", "message_stop", "assistant id-1"],
    ]);
  });

  test("that came without deltas is reported in full at its end", () => {
    expect(told(start, done([text("Hi"), use("t1")]))).toEqual([
      ...["start id-1", "+0 text", '0 "Hi"', "-0", "+1 tool_use", '1 "{\\"a\\":1}"', "-1"],
      ...["end end_turn", "message_stop", "assistant id-1"],
    ]);
    const redacted = { type: "redacted_thinking", data: "x" } as const;
    expect(told(start, words("Hi"), done([redacted, text("Hi")]))).toEqual([
      ...["start id-1", "+0 text", '0 "Hi"', "-0", "+1 redacted_thinking", "-1"],
      ...["end end_turn", "message_stop", "assistant id-1"],
    ]);
  });

  test("that is begun anew starts with another message", () => {
    expect(
      told(start, words("Hal"), { type: "restarted", reason: "cut" }, words("Hello"), done([text("Hello")])),
    ).toEqual([
      ...["start id-1", "+0 text", '0 "Hal"'],
      ...["start id-2", "+0 text", '0 "Hello"', "-0", "end end_turn", "message_stop", "assistant id-2"],
    ]);
  });

  test("is followed by the next one of the turn with an id of its own", () => {
    expect(
      told(start, words("a"), done([text("a")]), start, words("b"), done([text("b")])).filter((line) =>
        /^(start|assistant)/.test(line),
      ),
    ).toEqual([...["start id-1", "assistant id-1", "start id-2", "assistant id-2"]]);
  });
});

describe("lines of messages", () => {
  const lines = (event: EngineEvent, ...before: readonly EngineEvent[]) => {
    const made = new MessageLines({ ids: countedIds(), partial: false });
    for (const earlier of before) made.lines(earlier);
    return made.lines(event);
  };

  test("tell a try to come by what failed", () => {
    const retry = { type: "retry", attempt: 2, maxAttempts: 11, delayMs: 500, message: "Overloaded." } as const;
    const errors = [529, 429, 401, 500, 418, undefined].map((status) => lines({ ...retry, status })[0]?.["error"]);
    expect(errors).toEqual(["overloaded", "rate_limit", "authentication_failed", "server_error", "unknown", "unknown"]);
    expect(lines({ ...retry, status: 529 })).toEqual([
      {
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 500,
        error_status: 529,
        error: "overloaded",
        message: "Overloaded.",
      },
    ]);
  });

  test("tell a summary as a boundary with the sizes before and after, and cleared results in one line", () => {
    const before: EngineEvent = { type: "context_changed", usedTokens: 900, windowTokens: 1_000 };
    const compacted: EngineEvent = { type: "compacted", why: "full", freedTokens: 400, note: "" };
    expect(lines({ type: "compaction_started", why: "full", usedTokens: 900 })).toEqual([
      { type: "system", subtype: "status", status: "compacting" },
    ]);
    const begun: EngineEvent = { type: "compaction_started", why: "full", usedTokens: 900 };
    const ended = { type: "system", subtype: "status", status: null };
    expect(lines({ type: "request_started", step: 1, model: "m" }, begun)).toEqual([ended]);
    expect(lines({ type: "request_started", step: 1, model: "m" })).toEqual([]);
    expect(lines({ ...compacted, note: "Cleared 3." }, before, begun)).toEqual([
      ended,
      { type: "system", subtype: "informational", content: "Cleared 3.", level: "notice" },
    ]);
    const report = { droppedMessages: 4, keptMessages: 2, checked: 0, added: [] };
    expect(lines({ ...compacted, report }, before, begun)).toEqual([
      ended,
      {
        type: "system",
        subtype: "compact_boundary",
        compact_metadata: { trigger: "auto", pre_tokens: 900, post_tokens: 500 },
      },
    ]);
  });

  test("show words that a hook put in, and not those that the program itself sent", () => {
    const message = { role: "user", id: "u", content: [{ type: "text", text: "go on" }] } as const;
    expect(lines({ type: "words_added", message, by: "user", prompt: "go on" })).toEqual([]);
    expect(lines({ type: "words_added", message, by: "hook", prompt: "go on" })).toMatchObject([
      { type: "user", isSynthetic: true, uuid: "u" },
    ]);
  });
});
