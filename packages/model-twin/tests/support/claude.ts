import { expect } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import { type Reply, reply, text, thinking, toolUse } from "../../src/scenario.ts";
import type { Twin } from "../../src/server.ts";
import { signThinking } from "../../src/wires/anthropic/sent-replies.ts";

/** Tests and data that are the same for every carrier of the Messages API: Anthropic, Bedrock and Vertex. */

/** An answer with a thought, words and a call, in one delta each. */
export const FULL_ANSWER = reply([thinking("Hm."), text("Look."), toolUse("Read", { a: 1 }, "toolu_1")], {
  usage: { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheCreationTokens: 44 },
  deltaChars: 100,
});
const COUNTS = { input_tokens: 11, cache_creation_input_tokens: 44, cache_read_input_tokens: 33 };

/** All events of an answer. `ping`: the platform sends a ping. `last`: the fields that the platform adds to the last event. */
export function fullEvents({
  id,
  model,
  ping,
  last = {},
}: {
  id: string;
  model: string;
  ping: boolean;
  last?: object;
}) {
  const end = { stop_sequence: null, stop_details: null };
  const message = { id, type: "message", role: "assistant", model, content: [], stop_reason: null, ...end };
  const block = (index: number, start: object, ...deltas: readonly object[]) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  return [
    { type: "message_start", message: { ...message, usage: { ...COUNTS, output_tokens: 1 } } },
    ...(ping ? [{ type: "ping" }] : []),
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta", signature: signThinking("Hm.") },
    ),
    ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "Look." }),
    ...block(
      2,
      { type: "tool_use", id: "toolu_1", name: "Read", input: {} },
      { type: "input_json_delta", partial_json: "" },
      { type: "input_json_delta", partial_json: '{"a":1}' },
    ),
    { type: "message_delta", delta: { stop_reason: "tool_use", ...end }, usage: { ...COUNTS, output_tokens: 22 } },
    { type: "message_stop", ...last },
  ];
}

const TOOLS = [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" as const } }];
const QUESTION = { role: "user" as const, content: "Read a.txt." };

/** The smallest request of a published client. */
export const requestTo = (model: string) => ({ model, max_tokens: 4096, tools: TOOLS, messages: [QUESTION] });

/** The part of an Anthropic SDK client that these tests use. */
type Client = { readonly messages: Pick<Anthropic["messages"], "stream"> };

const withoutExtras = <Block extends object>(block: Block): Block => JSON.parse(JSON.stringify(block)) as Block;

/** One round as a stream, and the messages for the next round. */
async function round(sdk: Client, model: string, messages: Anthropic.MessageParam[]) {
  const message = await sdk.messages.stream({ ...requestTo(model), messages }).finalMessage();
  const content = message.content.map(withoutExtras);
  const results = content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "ok" }] : [],
  );
  const next: Anthropic.MessageParam[] = [
    ...messages,
    { role: "assistant", content },
    { role: "user", content: results },
  ];
  return { message, next };
}

/** Answers to a tool loop of three rounds, cut in odd ways. */
export const THREE_ROUNDS: readonly Reply[] = [
  reply([thinking("Ich prüfe…"), toolUse("Read", { file_path: "ü.txt" }), toolUse("Read", { file_path: "b" })], {
    deltaChars: 3,
    cutBytes: { seed: 4, max: 9 },
  }),
  reply([text("Another."), toolUse("Read", { file_path: "c" })], { cutBytes: [1] }),
  reply([text("Fertig 😀")], { cutBytes: [7] }),
];

/** Runs the loop with a published client, and expects that client and server understand each other. */
export async function expectThreeRounds(twin: Twin, sdk: Client, model: string): Promise<void> {
  const first = await round(sdk, model, [QUESTION]);
  const second = await round(sdk, model, first.next);
  const third = await round(sdk, model, second.next);

  expect(twin.requests.map(({ rejected }) => rejected)).toEqual([[], [], []]);
  expect(first.message.stop_reason).toBe("tool_use");
  expect(first.message.content).toMatchObject([
    { type: "thinking", thinking: "Ich prüfe…" },
    { type: "tool_use", input: { file_path: "ü.txt" } },
    { type: "tool_use", input: { file_path: "b" } },
  ]);
  expect(third.message.content).toMatchObject([{ type: "text", text: "Fertig 😀" }]);
  expect(third.message.model).toBe(model);
}

/** The error of a call that fails; undefined of one that doesn't. */
export const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as InstanceType<typeof Anthropic.APIError>,
  );
