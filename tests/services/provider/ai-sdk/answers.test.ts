import { describe, expect, test } from "bun:test";
import { fault, rawToolUse, reply, STOP_REASONS, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { AssistantBlock, Usage } from "../../../../src/contracts/message.ts";
import { cpuClock } from "../../../support/cpu-clock.ts";
import { deepTest, isDeep, testOfWire, testOrDeep } from "../../../support/deep.ts";
import { doneOf, joinedPieces } from "../anthropic/support.ts";
import { asked, KINDS, modelOf, placeOf, played, providerAt, reading, wireOf } from "./support.ts";

/** Gemini signs its calls, and its thinking not of its own. */
const unsigned = (content: readonly AssistantBlock[]) =>
  content.map((block) => {
    if (!("signature" in block)) return block;
    const { signature: _, ...rest } = block;
    return rest;
  });
const USAGE = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30 };
const call = (id: string, path: string) =>
  ({ type: "tool_use", id, name: "Read", input: { file_path: path } }) as const;

describe.each(KINDS)("over %s, an answer", (kind) => {
  const overWire = testOfWire(kind, KINDS);
  // OpenAI's Chat Completions doesn't send what a model thinks.
  const thought = kind === "chat" ? [] : [{ type: "thinking", thinking: "Größe: 日本語 😀" }];

  testOrDeep(!isDeep)("gives text, thinking and calls, whatever its bytes are cut to", async () => {
    const content = [
      thinking("Größe: 日本語 😀"),
      text("Ünï — 👩‍👩‍👧 done."),
      toolUse("Read", { file_path: "ü😀" }, "t1"),
      toolUse("Read", { file_path: "b" }, "t2"),
    ];
    const seeds = isDeep ? [1, 2, 3, 4] : [1];
    const cuts = [
      undefined,
      [2, 3, 5],
      ...seeds.map((seed) => ({ seed, max: 1 + seed * 7 })),
      ...(isDeep ? [[1]] : []),
    ];
    const all = [];
    for (const cutBytes of cuts) {
      const { events, error } = await played(kind, [
        reply(content, { deltaChars: 3, usage: USAGE, ...(cutBytes && { cutBytes }) }),
      ]);
      expect(error).toBeUndefined();
      all.push(events);
    }
    const message = doneOf(all[0]!);
    expect({ ...message, content: unsigned(message.content) } as unknown).toEqual({
      role: "assistant",
      provider: "openai",
      model: modelOf(kind),
      content: [...thought, { type: "text", text: "Ünï — 👩‍👩‍👧 done." }, call("t1", "ü😀"), call("t2", "b")] as never,
      stopReason: "tool_use",
      usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 0 },
    });
    for (const events of all) expect(joinedPieces(events)).toEqual(joinedPieces(all[0]!));
    const joined = all[0]!.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("");
    expect(joined).toBe("Ünï — 👩‍👩‍👧 done.");
    const blocks = all[0]!.flatMap((event) => (event.type === "block_done" ? [event.block] : []));
    expect(blocks).toEqual(doneOf(all[0]!).content as never);
  });

  test.each(STOP_REASONS.filter((reason) => !["stop_sequence", "pause_turn", "tool_use"].includes(reason)))(
    "that stops with %s is told as such",
    async (stopReason) => {
      const { events, error } = await played(kind, [reply("Half a", { stopReason })]);
      expect(error).toBeUndefined();
      const told = stopReason === "model_context_window_exceeded" ? "max_tokens" : stopReason;
      expect(doneOf(events).stopReason).toBe(told);
    },
  );

  overWire("with a call that is no valid JSON says what came and where it broke", async () => {
    const { events } = await played(kind, [reply([rawToolUse("Read", '{"file_path": "a.txt', "t1")])]);
    expect(unsigned(doneOf(events).content) as unknown).toEqual([
      {
        type: "tool_use",
        // Gemini tells of such a call in words alone.
        id: kind === "google" ? "call" : "t1",
        name: "Read",
        input: {},
        malformed: {
          text: '{"file_path": "a.txt',
          problem: 'unexpected end of string from position 14 to 20, found "\\"a.txt"',
        },
      },
    ]);
  });

  overWire("with a call without an input has an empty one", async () => {
    const { events } = await played(kind, [reply([rawToolUse("Read", "", "t1")])]);
    expect(unsigned(doneOf(events).content) as unknown).toEqual([
      { type: "tool_use", id: "t1", name: "Read", input: {} },
    ]);
  });

  deepTest("of 10 MB in one block takes no more than twice the time of ten of 1 MB", async () => {
    const spentOn = async (chars: number) => {
      const words = "0123456789".repeat(chars / 10);
      const spent = cpuClock();
      const { events, error } = await played(kind, [reply(words, { deltaChars: 100_000 })]);
      expect(error).toBeUndefined();
      const [block] = doneOf(events).content;
      expect(block?.type === "text" && block.text.length).toBe(chars);
      return spent();
    };
    // The first one loads the code.
    await spentOn(1_000_000);
    // Both in turns: on a busy machine the code is compiled late, and then for both.
    let ratio = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && ratio >= 20; round += 1) {
      const small = await spentOn(1_000_000);
      ratio = (await spentOn(10_000_000)) / small;
    }
    expect(ratio).toBeLessThan(20);
  });

  overWire("emits its words before the stream continues", async () => {
    await using twin = await startTwin({ scenario: [reply("Hello, world", { deltaChars: 5, fault: fault.stall(1) })] });
    const controller = new AbortController();
    const read = reading(
      providerAt(placeOf(kind, twin), wireOf(kind)).provider.stream(
        asked(undefined, { model: modelOf(kind) }),
        controller.signal,
      ),
    );
    await read.until("text_delta");
    controller.abort("enough");
    expect(await read.end).toBe("enough");
  });
});

test("over the Responses API a call is reported as soon as it is complete", async () => {
  const content = [toolUse("Read", { file_path: "a" }, "t1"), text("and")];
  await using twin = await startTwin({ scenario: [reply(content, { deltaChars: 100, fault: fault.stall(3) })] });
  const controller = new AbortController();
  const read = reading(providerAt(`${twin.url}/v1`, wireOf("responses")).provider.stream(asked(), controller.signal));
  await read.until("block_done");
  expect(read.events.at(-1)).toEqual({ type: "block_done", block: call("t1", "a") });
  controller.abort("enough");
  await read.end;
});

describe("a compatible server", () => {
  const content = [
    thinking("Hm."),
    text("Yes."),
    toolUse("Read", { file_path: "a" }, "t1"),
    toolUse("Read", { file_path: "b" }, "t2"),
  ];
  const chat = (quirks: object) => ({ twin: { openai: { requireKey: false, chat: quirks } } });

  test.each([
    ["sends reasoning in another field", { reasoningField: "reasoning" }],
    ["sends no index of calls", { callIndex: false }],
    ["sends each call at once", { argumentPieces: false }],
    ["says stop after calls", { finishReasonOfCalls: "stop" }],
    ["sends usage with the finish", { usage: "with_finish" }],
    ["sends usage unasked", { usage: "always" }],
  ] as const)("that %s is understood all the same", async (_name, quirks) => {
    const { events, error } = await played("compatible", [reply(content, { usage: USAGE })], chat(quirks));
    expect(error).toBeUndefined();
    expect(doneOf(events)).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "" },
        { type: "text", text: "Yes." },
        call("t1", "a"),
        call("t2", "b"),
      ],
      stopReason: "tool_use",
      usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30 },
    });
  });

  test("that sends no ids gets some, each its own", async () => {
    const { events, error } = await played("compatible", [reply(content)], chat({ callIds: "missing" }));
    expect(error).toBeUndefined();
    const ids = doneOf(events).content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    expect([ids.length, new Set(ids).size, ids.every((id) => id !== "")]).toEqual([2, 2, true]);
  });

  test("that never tells the usage gets an estimate, marked as one", async () => {
    const spent: Usage[] = [];
    const request = asked(undefined, { spent: (usage) => void spent.push(usage) });
    const { events } = await played("compatible", [reply("Hi.")], { ...chat({ usage: "never" }), request });
    const { usage } = doneOf(events);
    expect(usage).toMatchObject({ outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true });
    expect(usage.inputTokens).toBeGreaterThan(10);
    expect(spent).toEqual([usage]);
  });

  test("that tells a refusal in a field of its own is refused by", async () => {
    const { events } = await played(
      "compatible",
      [reply("No.", { stopReason: "refusal" })],
      chat({ refusals: "refusal_field" }),
    );
    expect(doneOf(events)).toMatchObject({ stopReason: "refusal", content: [{ type: "text", text: "No." }] });
  });
});
