import { describe, expect, test } from "bun:test";
import {
  type Reply,
  type ReplyBlock,
  redactedThinking,
  reply,
  text,
  thinking,
  toolUse,
} from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import { ask, type Body, body, errorMessage, READ_TOOL } from "../../support/ask.ts";

type Block = Body & { type: string };

const KEPT = "the thinking blocks that were sent before this tool_use must stand before it";

/** Lets a fresh twin send one message, changes it, and sends it back with the results of its calls. */
async function sendBack(
  sent: readonly ReplyBlock[],
  change: (content: Block[]) => Block[],
  fields: Body = {},
  last?: Body,
) {
  const answers: Reply[] = [reply(sent), reply("Done.")];
  await using twin = await startTwin({ scenario: answers });
  const first = await ask(twin, body({ tools: [READ_TOOL], ...fields }));
  const { content } = first.json as { content: Block[] };
  const results = content
    .filter(({ type }) => type === "tool_use")
    .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const history = [
    { role: "user", content: "Hello." },
    { role: "assistant", content: change(content) },
    ...(results.length > 0 ? [{ role: "user", content: results }] : []),
    ...(last ? [last] : []),
  ];
  return await ask(twin, body({ tools: [READ_TOOL], ...fields, messages: history }));
}

const LOOP = [thinking("I need the file."), text("Let me see."), toolUse("Read", { file_path: "a" })];
const INTERLEAVED = [thinking("One."), toolUse("Read", {}, "t1"), thinking("Two."), toolUse("Read", {}, "t2")];
const isThinking = ({ type }: Block) => type === "thinking" || type === "redacted_thinking";

describe("thinking that comes back in an open tool loop", () => {
  test.each<[string, readonly ReplyBlock[]]>([
    ["one thought", LOOP],
    ["two thoughts between calls", INTERLEAVED],
    ["hidden thinking", [redactedThinking("c2VjcmV0"), toolUse("Read", {})]],
    ["a signature that the scenario gave", [thinking("Hm.", "sig-1"), toolUse("Read", {})]],
    ["text sent before the thinking", [text("First."), thinking("Hm."), toolUse("Read", {})]],
    ["a call without thinking", [toolUse("Read", {})]],
  ])("is accepted as it was sent: %s", async (_name, sent) => {
    expect(await sendBack(sent, (content) => content)).toMatchObject({ status: 200 });
  });

  test.each<[string, readonly ReplyBlock[], (content: Block[]) => Block[], string]>([
    ["dropped", LOOP, (content) => content.filter((block) => !isThinking(block)), KEPT],
    [
      "dropped where it is hidden",
      [redactedThinking("c2VjcmV0"), toolUse("Read", {})],
      (content) => content.slice(1),
      KEPT,
    ],
    [
      "moved behind the text",
      LOOP,
      ([a, b, c]) => [b!, a!, c!],
      "messages.1.content.0: a message with thinking must begin with it",
    ],
    ["moved behind its call", INTERLEAVED, ([a, b, c, d]) => [a!, b!, d!, c!], "messages.1: the last block"],
    ["moved before an earlier call", INTERLEAVED, ([a, b, c, d]) => [a!, c!, b!, d!], KEPT],
    ["put in another order", INTERLEAVED, ([a, b, c, d]) => [c!, b!, a!, d!], KEPT],
    ["half dropped", INTERLEAVED, ([a, b, _c, d]) => [a!, b!, d!], KEPT],
    ["doubled", LOOP, ([a, b, c]) => [a!, a!, b!, c!], KEPT],
    [
      "altered in its text",
      LOOP,
      ([a, ...rest]) => [{ ...a!, thinking: "I need the file" }, ...rest],
      "messages.1.content.0.signature: does not belong to this text",
    ],
    [
      "altered in a signature that the scenario gave",
      [thinking("Hm.", "sig-1"), toolUse("Read", {})],
      ([a, ...rest]) => [{ ...a!, signature: "sig-2" }, ...rest],
      "messages.1.content.0.signature: does not belong to this text",
    ],
    [
      "altered where it is hidden",
      [redactedThinking("c2VjcmV0"), toolUse("Read", {})],
      ([a, ...rest]) => [{ ...a!, data: "c2VjcmV1" }, ...rest],
      "messages.1.content.0.data: this redacted_thinking block was never sent",
    ],
  ])("is refused when it was %s", async (_name, sent, change, message) => {
    const answer = await sendBack(sent, change);

    expect(answer.status).toBe(400);
    expect(errorMessage(answer)).toContain(message);
  });

  test("may be left out when thinking is turned off", async () => {
    const answer = await sendBack(LOOP, (content) => content.slice(1), { thinking: { type: "disabled" } });

    expect(answer.status).toBe(200);
  });

  test("may end early, as when the user interrupts between two calls", async () => {
    await using twin = await startTwin({ scenario: [reply(INTERLEAVED), reply("Done.")] });
    const { content } = (await ask(twin, body({ tools: [READ_TOOL] }))).json as { content: Block[] };
    const history = [
      { role: "user", content: "Hello." },
      { role: "assistant", content: content.slice(0, 2) },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Interrupted." }] },
    ];

    expect((await ask(twin, body({ tools: [READ_TOOL], messages: history }))).status).toBe(200);
  });
});

describe("thinking of a closed loop", () => {
  const closed = { role: "user", content: "And now?" };

  test("may be dropped", async () => {
    await using twin = await startTwin({ scenario: [reply(LOOP), reply("Done.")] });
    const { content } = (await ask(twin, body({ tools: [READ_TOOL] }))).json as { content: Block[] };
    const results = { role: "user", content: [{ type: "tool_result", tool_use_id: content[2]!["id"], content: "ok" }] };
    const history = [
      { role: "user", content: "Hello." },
      { role: "assistant", content: content.slice(1) },
      results,
      { role: "assistant", content: "Done." },
      closed,
    ];

    expect((await ask(twin, body({ tools: [READ_TOOL], messages: history }))).status).toBe(200);
  });

  test("may not be altered", async () => {
    const answer = await sendBack(
      [thinking("Hm."), text("Yes.")],
      ([a, b]) => [{ ...a!, thinking: "Ha." }, b!],
      {},
      closed,
    );

    expect(errorMessage(answer)).toBe(
      "messages.1.content.0.signature: does not belong to this text of the thinking block",
    );
  });
});

test("the whole loop is judged, not only its last round", async () => {
  const scenario = [
    reply([thinking("One."), toolUse("Read", {}, "t1")]),
    reply([toolUse("Read", {}, "t2")]),
    reply("Done."),
  ];
  await using twin = await startTwin({ scenario });
  await ask(twin, body({ tools: [READ_TOOL] }));
  const call = (id: string) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }] });
  const done = (id: string) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
  const messages = [{ role: "user", content: "Hello." }, call("t1"), done("t1"), call("t2"), done("t2")];

  const answer = await ask(twin, body({ tools: [READ_TOOL], messages }));

  expect(errorMessage(answer)).toStartWith(`messages.1.content.0: ${KEPT}`);
});

test("thinking that one twin signed is known to the next", async () => {
  await using first = await startTwin({ scenario: [reply([thinking("Hm."), text("Yes.")])] });
  await using second = await startTwin({ scenario: [reply("Still yes.")] });
  const { content } = (await ask(first, body())).json as { content: Block[] };
  const messages = [
    { role: "user", content: "Hello." },
    { role: "assistant", content },
    { role: "user", content: "Sure?" },
  ];

  expect((await ask(second, body({ messages }))).status).toBe(200);
});
