import { describe, expect, test } from "bun:test";
import {
  failing,
  fault,
  rawToolUse,
  redactedThinking,
  reply,
  STOP_REASONS,
  text,
  thinking,
  toolUse,
} from "../src/scenario.ts";
import { parseScenario, ScenarioError } from "../src/scenario-json.ts";

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("everything that the builders make survives JSON", () => {
  const scenario = [
    reply("Hi."),
    reply(
      [
        thinking("Hm."),
        thinking("Hm.", "sig"),
        redactedThinking("AA"),
        text("x"),
        toolUse("Read"),
        toolUse("Read", { a: 1 }, "t1"),
        rawToolUse("Read", "{", "t2"),
      ],
      {
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4, reasoningTokens: 5 },
        deltaChars: 1,
        cutBytes: [1, 2],
        paceMs: 0.5,
        pings: { atStart: false, every: 2 },
        repeatFirstDelta: true,
        stopSequence: "END",
      },
    ),
    reply("x", { cutBytes: { seed: 1, min: 1, max: 9 } }),
    ...STOP_REASONS.map((stopReason) => reply("x", { stopReason })),
    ...[
      fault.rateLimited(1),
      fault.rateLimited("Wed, 21 Oct 2026 07:28:00 GMT"),
      fault.overloaded(),
      fault.serverError(),
      fault.badRequest("no"),
      fault.status(502, { headers: { a: "b" }, errorType: "x" }),
      fault.errorEvent(1),
      fault.cut({ deltas: 1 }),
      fault.cut({ bytes: 0 }),
      fault.reset(),
      fault.reset({ deltas: 2 }),
      fault.hangUp(),
      fault.silence(),
      fault.stall(0),
      fault.noStop(),
      fault.noStop(2),
    ].map(failing),
  ];

  expect(parseScenario(asJson(scenario))).toEqual(scenario);
});

test("a reply that is only a fault needs no content", () => {
  expect(parseScenario([{ fault: { kind: "silence" } }])).toEqual([failing(fault.silence())]);
});

describe("a scenario with a mistake names its place", () => {
  const inReply = (fields: object) => [{ content: [], ...fields }];
  const inBlock = (block: unknown) => [{ content: [{ type: "text", text: "x" }, block] }];

  test.each<[string, unknown, string]>([
    ["no list", {}, "replies: must be an array, not an object"],
    ["an empty list", [], "replies: must hold at least 1 item"],
    ["a reply that is text", ["Hi."], "replies.0: must be an object, not a string"],
    ["no content", [{}], "replies.0.content: is required"],
    ["an unknown field", inReply({ pace: 5 }), "replies.0.pace: is not a field that is known here"],
    [
      "an unknown stop reason",
      inReply({ stopReason: "tired" }),
      'replies.0.stopReason: "tired" is not one of "end_turn"',
    ],
    ["an unknown block", inBlock({ type: "image" }), 'replies.0.content.1.type: "image" is not one of "text"'],
    ["a text block without text", inBlock({ type: "text" }), "replies.0.content.1.text: is required"],
    ["a call without a name", inBlock({ type: "tool_use", input: {} }), "replies.0.content.1.name: is required"],
    ["a call without input", inBlock({ type: "tool_use", name: "Read" }), "replies.0.content.1.input: is required"],
    [
      "a call with both inputs",
      inBlock({ type: "tool_use", name: "Read", input: {}, inputText: "" }),
      "replies.0.content.1.input: is not a field",
    ],
    ["deltas of no size", inReply({ deltaChars: 0 }), "replies.0.deltaChars: must be at least 1"],
    ["a pace in words", inReply({ paceMs: "fast" }), "replies.0.paceMs: must be a number"],
    ["cuts of no size", inReply({ cutBytes: [4, 0] }), "replies.0.cutBytes.1: must be at least 1"],
    ["no cuts", inReply({ cutBytes: [] }), "replies.0.cutBytes: must hold at least 1 item"],
    ["a cut without a seed", inReply({ cutBytes: { max: 3 } }), "replies.0.cutBytes.seed: is required"],
    [
      "a usage of less than nothing",
      inReply({ usage: { inputTokens: -1 } }),
      "replies.0.usage.inputTokens: must be at least 0",
    ],
    ["an unknown fault", inReply({ fault: { kind: "fire" } }), 'replies.0.fault.kind: "fire" is not one of'],
    ["a fault without kind", inReply({ fault: { status: 429 } }), "replies.0.fault.kind: is required"],
    [
      "a status that is no error",
      inReply({ fault: { kind: "status", status: 200 } }),
      "replies.0.fault.status: must be at least 400",
    ],
    ["a cut at no place", inReply({ fault: { kind: "cut" } }), "replies.0.fault.afterDeltas: is required"],
    ["a stall at no place", inReply({ fault: { kind: "stall" } }), "replies.0.fault.afterDeltas: is required"],
    [
      "a header that is a number",
      inReply({ fault: { kind: "status", status: 500, headers: { a: 1 } } }),
      "replies.0.fault.headers.a: must be a string",
    ],
  ])("%s", (_name, json, message) => {
    expect(() => parseScenario(json)).toThrow(ScenarioError);
    expect(() => parseScenario(json)).toThrow(message);
  });

  test("an error counts the further mistakes", () => {
    expect(() => parseScenario([{}, {}, { content: 1 }])).toThrow(
      "replies.0.content: is required (and 2 more problems)",
    );
  });
});
