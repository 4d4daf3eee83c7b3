import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { redactedThinking, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { AssistantBlock, Message, UserBlock } from "../../../../src/contracts/message.ts";
import { deepTest } from "../../../support/deep.ts";
import { asked, assistant, deepFrozen, doneOf, eventsOf, providerAt, result, user } from "./support.ts";

const ROUNDS = 60;
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TEXTS = ["", " \n", "Hello.", "ends in space ", "half \ud83d", "ü😀", "\udc00 other half", "a".repeat(500)];
const never = () => new AbortController().signal;

/** Draws histories that hold whatever an engine, a crash, another provider or a hand may leave behind. */
function historyDrawer(random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
  const some = <Item>(most: number, draw: () => Item): readonly Item[] => Array.from({ length: below(most + 1) }, draw);
  const id = () => pick(["t1", "t2", "t3", "call:4", "", "toolu_01", "ü"]);
  const picture = { type: "image", mediaType: "image/png", data: pick(["", PNG]) } as const;

  const assistantBlock = (): AssistantBlock =>
    pick<() => AssistantBlock>([
      () => ({ type: "text", text: pick(TEXTS) }),
      () => ({
        type: "tool_use",
        id: id(),
        name: pick(["Read", "bash.run", "", "ä".repeat(200)]),
        input: { "k\ud800": pick(TEXTS) },
      }),
      () => ({ type: "tool_use", id: id(), name: "Read", input: {}, malformed: { text: "{", problem: "cut" } }),
      () => ({ type: "thinking", thinking: pick(TEXTS), signature: "" }),
    ])();
  const userBlock = (): UserBlock =>
    pick<() => UserBlock>([
      () => ({ type: "text", text: pick(TEXTS) }),
      () => picture,
      () => result(id(), pick(TEXTS), random() < 0.5),
      () => ({
        type: "tool_result",
        toolUseId: id(),
        isError: random() < 0.5,
        content: [picture, { type: "text", text: pick(TEXTS) }],
      }),
    ])();
  const foreign = (): AssistantBlock => ({ type: "thinking", thinking: "Of another.", signature: "other" });
  const message = (): Message =>
    pick([
      () => user(...some(4, userBlock)),
      () => assistant(some(4, assistantBlock)),
      () => assistant([foreign(), ...some(3, assistantBlock)], "claude-opus-5-5"),
    ])();
  return () => [...some(8, message), user("The last word.")];
}

test("the strict server takes a history whatever it holds, and the same history is the same bytes", async () => {
  await using twin = await startTwin({ scenario: () => reply("Yes.") });
  const { provider } = providerAt(twin.url);
  const draw = historyDrawer(seededRandom(20_261));
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = deepFrozen(asked(draw(), { system: round % 2 ? "" : "half \ud83d" }));
    doneOf(await eventsOf(provider.stream(request, never())));
    doneOf(await eventsOf(provider.stream(request, never())));
    const [first, second] = twin.requests.slice(-2);
    expect([round, first!.rejected]).toEqual([round, []]);
    expect(second!.bodyText).toBe(first!.bodyText);
  }
});

deepTest("random talks with thinking and calls are taken back at every step, and marks stay few", async () => {
  const random = seededRandom(99);
  const below = (limit: number) => Math.floor(random() * limit);
  const thought = () =>
    below(2) ? [thinking(`Thought ${below(99)}`)] : below(4) ? [] : [redactedThinking(`cmVk${below(99)}`)];
  const scenario = () => {
    const calls = Array.from({ length: below(3) }, () => toolUse("Read", { file_path: "a" }));
    const words = calls.length === 0 || below(2) ? [text("Words.")] : [];
    return reply([...thought(), ...words, ...calls], {
      deltaChars: 5,
      stopReason: below(6) ? undefined : "max_tokens",
    } as object);
  };
  await using twin = await startTwin({ scenario });
  const { provider } = providerAt(twin.url);
  let history: readonly Message[] = [user("Go.")];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { content, ...rest } = doneOf(await eventsOf(provider.stream(deepFrozen(asked(history)), never())));
    const results = content.flatMap((block) =>
      block.type === "tool_use" && below(8) ? [result(block.id, "A", !below(3))] : [],
    );
    history = [
      ...history,
      { ...rest, content, id: `m${round}` },
      ...(results.length > 0 || below(2) ? [user(...results, "Next.")] : []),
    ];
    expect([round, twin.requests.at(-1)!.rejected]).toEqual([round, []]);
    expect(twin.requests.at(-1)!.bodyText.match(/cache_control/g)!.length).toBeLessThanOrEqual(4);
  }
});
