import { describe, expect, test } from "bun:test";
import { type ReplyBlock, redactedThinking, reply, text, thinking, toolUse } from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import type { Body } from "../../support/ask.ts";
import { askResponses, errorOf, RESPONSES_TOOL } from "../../support/openai.ts";

type Item = Body & { type: string };

const STATELESS = { store: false, include: ["reasoning.encrypted_content"], reasoning: { summary: "auto" } };
const KEPT = "the reasoning items that were sent before this function_call must stand before it";
const question = { role: "user", content: "Hello." };

async function outputOf(twin: Parameters<typeof askResponses>[0], fields: Body): Promise<Item[]> {
  const answer = await askResponses(twin, { tools: [RESPONSES_TOOL], ...fields });
  if (answer.status !== 200) throw new Error(errorOf(answer).message);
  return (answer.json as { output: Item[] }).output;
}

const outputsOf = (items: readonly Item[]) =>
  items
    .filter(({ type }) => type === "function_call")
    .map(({ call_id: id }) => ({ type: "function_call_output", call_id: id, output: "ok" }));

/** Lets a fresh twin send one answer, changes it, and sends it back with the outputs of its calls. */
async function sendBack(
  sent: readonly ReplyBlock[],
  change: (items: Item[]) => Body[],
  { fields = STATELESS, last }: { fields?: Body; last?: Body[] } = {},
) {
  await using twin = await startTwin({ scenario: [reply(sent), reply("Done.")] });
  const items = await outputOf(twin, { input: [question], ...fields });
  const input = [question, ...change(items), ...outputsOf(items), ...(last ?? [])];
  return await askResponses(twin, { tools: [RESPONSES_TOOL], ...fields, input });
}

const LOOP = [thinking("I need the file."), text("Let me see."), toolUse("Read", { file_path: "a" })];
const INTERLEAVED = [thinking("One."), toolUse("Read", {}, "t1"), thinking("Two."), toolUse("Read", {}, "t2")];
const isReasoning = ({ type }: Item) => type === "reasoning";
const without =
  (...names: string[]) =>
  (items: Item[]): Body[] =>
    items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))));

describe("reasoning that comes back in an open tool loop", () => {
  test.each<[string, readonly ReplyBlock[]]>([
    ["one thought", LOOP],
    ["two thoughts between calls", INTERLEAVED],
    [
      "the same thought twice",
      [thinking("Hm."), toolUse("Read", {}, "t1"), thinking("Hm."), toolUse("Read", {}, "t2")],
    ],
    ["hidden thinking", [redactedThinking("c2VjcmV0"), toolUse("Read", {})]],
    ["content that the scenario sealed", [thinking("Hm.", "sig-1"), toolUse("Read", {})]],
    ["a call without reasoning", [toolUse("Read", {})]],
  ])("is accepted as it was sent: %s", async (_name, sent) => {
    expect((await sendBack(sent, (items) => items)).status).toBe(200);
  });

  test("is accepted without ids and states, as clients send it that keep none", async () => {
    expect((await sendBack(LOOP, without("id", "status"))).status).toBe(200);
  });

  test.each<[string, readonly ReplyBlock[], (items: Item[]) => Body[], string]>([
    ["dropped", LOOP, (items) => items.filter((item) => !isReasoning(item)), KEPT],
    [
      "dropped where it is hidden",
      [redactedThinking("c2VjcmV0"), toolUse("Read", {})],
      (items) => items.slice(1),
      KEPT,
    ],
    ["moved behind the call", INTERLEAVED, ([a, b, c, d]) => [a!, b!, d!, c!], "a reasoning item must be followed by"],
    ["moved before an earlier call", INTERLEAVED, ([a, b, c, d]) => [a!, c!, b!, d!], KEPT],
    ["put in another order", INTERLEAVED, ([a, b, c, d]) => [c!, b!, a!, d!], KEPT],
    ["half dropped", INTERLEAVED, ([a, b, _c, d]) => [a!, b!, d!], KEPT],
    ["doubled", LOOP, ([a, b, c]) => [a!, a!, b!, c!], KEPT],
    [
      "altered in its summary",
      LOOP,
      ([a, ...rest]) => [{ ...a!, summary: [{ type: "summary_text", text: "I need it." }] }, ...rest],
      "input[1].encrypted_content: could not be verified",
    ],
    [
      "altered in content that the scenario sealed",
      [thinking("Hm.", "sig-1"), toolUse("Read", {})],
      ([a, ...rest]) => [{ ...a!, encrypted_content: "sig-2" }, ...rest],
      "input[1].encrypted_content: could not be verified",
    ],
    ["given another id", LOOP, ([a, ...rest]) => [{ ...a!, id: "rs_other" }, ...rest], "could not be verified"],
  ])("is refused when it was %s", async (_name, sent, change, message) => {
    const answer = await sendBack(sent, change);

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });

  test("is refused with 404 without its content, as nothing is kept", async () => {
    expect((await sendBack(LOOP, without("encrypted_content"))).status).toBe(404);
  });

  test("cannot come back when it wasn't sent encrypted, and isn't asked for", async () => {
    const answer = await sendBack(LOOP, (items) => items.filter((item) => !isReasoning(item)), {
      fields: { store: false },
    });

    expect(answer.status).toBe(200);
  });

  test("may be dropped when the loop is closed", async () => {
    const last = [{ role: "assistant", content: "Done." }, question];

    expect((await sendBack(LOOP, (items) => items.filter((item) => !isReasoning(item)), { last })).status).toBe(200);
  });
});

test("the whole loop is judged, not only its last round", async () => {
  const scenario = [
    reply([thinking("One."), toolUse("Read", {}, "t1")]),
    reply([toolUse("Read", {}, "t2")]),
    reply("Done."),
  ];
  await using twin = await startTwin({ scenario });
  const first = await outputOf(twin, { ...STATELESS, input: [question] });
  const round = [question, ...first, ...outputsOf(first)];
  const second = await outputOf(twin, { ...STATELESS, input: round });
  const input = [question, ...first.slice(1), ...outputsOf(first), ...second, ...outputsOf(second)];
  const answer = await askResponses(twin, { tools: [RESPONSES_TOOL], ...STATELESS, input });

  expect(errorOf(answer).message).toStartWith(`input[1]: ${KEPT}`);
});

test("reasoning that one twin sealed is known to the next, equal thoughts of both too", async () => {
  const scenario = [reply([thinking("Hm."), toolUse("Read", {})]), reply("Done.")];
  await using first = await startTwin({ scenario });
  await using second = await startTwin({ scenario });
  await using third = await startTwin({ scenario: [reply("Over.")] });
  const one = await outputOf(first, { ...STATELESS, input: [question] });
  const early = [question, ...one, ...outputsOf(one)];
  const two = await outputOf(second, { ...STATELESS, input: early });
  const answer = await askResponses(third, {
    tools: [RESPONSES_TOOL],
    ...STATELESS,
    input: [...early, ...two, ...outputsOf(two)],
  });

  expect(two.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
  expect(answer.status).toBe(200);
});

describe("a server that keeps what it answers", () => {
  const KEEPING = { reasoning: { summary: "auto" } };
  const reference = ({ id }: Item): Body => ({ type: "item_reference", id });

  test("takes references instead of items", async () => {
    expect((await sendBack(LOOP, (items) => items.map(reference), { fields: KEEPING })).status).toBe(200);
  });

  test("misses the reasoning before a call that names itself", async () => {
    const dropped = (items: Item[]) => items.filter((item) => !isReasoning(item));
    const answer = await sendBack(LOOP, dropped, { fields: KEEPING });
    const nameless = await sendBack(LOOP, (items) => without("id")(dropped(items)), { fields: KEEPING });

    expect(errorOf(answer).message).toContain(KEPT);
    expect(nameless.status).toBe(200);
  });

  test("knows no references when it was told not to keep", async () => {
    expect((await sendBack(LOOP, (items) => items.map(reference))).status).toBe(404);
  });

  test("goes on from a response that it kept", async () => {
    await using twin = await startTwin({ scenario: [reply(LOOP), reply("Done.")] });
    const first = (await askResponses(twin, { tools: [RESPONSES_TOOL] })).json as { id: string; output: Item[] };
    const continueWith = (input: readonly unknown[]) =>
      askResponses(twin, { tools: [RESPONSES_TOOL], previous_response_id: first.id, input });

    expect(errorOf(await continueWith([question])).message).toBe(
      "previous_response_id: no function_call_output was found for the call call_twin_000001",
    );
    expect((await continueWith(outputsOf(first.output))).json).toMatchObject({ previous_response_id: first.id });
  });
});
