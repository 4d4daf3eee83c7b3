import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { DeltaJoiner } from "../../../../src/services/provider/request/delta-joiner.ts";

const STREAMS = 300;

const chat = (index: number, text: string, extra: object = {}, call: object = {}) =>
  `data: ${JSON.stringify({
    id: "c",
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index, function: { arguments: text }, ...call }], ...extra },
        finish_reason: null,
      },
    ],
  })}\n\n`;
const responses = (item: string, delta: string, sequence = 0) => {
  const type = "response.function_call_arguments.delta";
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, item_id: item, output_index: 0, delta })}\n\n`;
};

/** All at once. */
function joined(...frames: readonly string[]): string {
  const joiner = new DeltaJoiner();
  return joiner.push(frames.join("")) + joiner.end();
}

test("neighbouring pieces of one call become one event, of either wire", () => {
  expect(joined(chat(0, '{"a'), chat(0, '":"ü\ud83d'), chat(0, '\ude00"}'))).toBe(chat(0, '{"a":"ü😀"}'));
  expect(joined(responses("i", "{", 4), responses("i", '"a"', 5), responses("i", "}", 6))).toBe(
    responses("i", '{"a"}', 4),
  );
});

test("pieces of different calls, and whatever says more than a piece, stay as they are and where they are", () => {
  const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: "x" } }] }, finish_reason: "tool_calls" }] })}\n\n`;
  const frames = [
    chat(0, "a"),
    chat(1, "b"),
    chat(0, "c", { content: "words" }),
    chat(0, "d", {}, { id: "call_1" }),
    chat(0, "e", {}, { function: { name: "Read", arguments: "e" } }),
    chat(0, "w"),
    finish,
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ function: { arguments: "no index" } }] } }] })}\n\n`,
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ function: { arguments: "no index" } }] } }] })}\n\n`,
    'data: {"choices":[{"delta":{"tool_calls":\n\n',
    ': a comment about "tool_calls"\n\n',
    'data: {"tool_calls":\ndata: []}\n\n',
    responses("i", "f"),
    responses("j", "g"),
    "data: [DONE]\n\n",
  ];
  expect(joined(...frames)).toBe(frames.join(""));
});

test("nothing that is complete waits, and what is left at the end is handed on", () => {
  for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
    const joiner = new DeltaJoiner();
    const frame = `data: {"a":1}${end}`;
    const given = [...frame].map((sign) => joiner.push(sign));
    expect([given.filter((text) => text !== ""), given.at(-1)]).toEqual([[frame], frame]);
    expect([joiner.push(`${frame}data: {`), joiner.push('"b"'), joiner.end(), joiner.end()]).toEqual([
      frame,
      "",
      'data: {"b"',
      "",
    ]);
  }
});

test("however a stream is cut, its calls have the same inputs and all else stays in its order", () => {
  const random = seededRandom(77);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
  for (let stream = 0; stream < STREAMS; stream += 1) {
    const frames = Array.from({ length: 1 + below(30) }, () =>
      pick([
        () => chat(below(2), pick(['{"a', "ü😀", "\ud83d", "\n\n", ""])),
        () => chat(below(2), "x", { content: pick(["", "words"]) }),
        () => responses(pick(["i", "j"]), pick(["{", '"', "😀"]), below(99)),
        () => 'data: {"choices":[{"index":0,"delta":{"content":"tool_calls"}}]}\n\n',
        () => "data: {}\r\n\r\n",
        () => ": ping\n\n",
      ])(),
    );
    const text = frames.join("") + pick(["", "data: [DONE]", "data: {"]);
    const joiner = new DeltaJoiner();
    let given = "";
    for (let at = 0; at < text.length; ) {
      const length = 1 + below(pick([3, 40, 2_000]));
      given += joiner.push(text.slice(at, at + length));
      at += length;
    }
    expect(meaning(given + joiner.end())).toEqual(meaning(text));
  }
});

test("an event of 10 MB that comes in small pieces takes time by its length", () => {
  const joiner = new DeltaJoiner();
  const piece = "x".repeat(1_000);
  let given = 0;
  for (let count = 0; count < 10_000; count += 1) given += joiner.push(piece).length;
  expect(given).toBe(0);
  expect(joiner.push("\n\n").length).toBe(10_000_002);
});

/** The events in order, neighbouring pure pieces of one call told as one. */
function meaning(text: string): readonly (readonly [string, string])[] {
  const told: [string, string][] = [];
  for (const frame of text.split(/(?<=\n\n|\n\r\n)/)) {
    const [key, value] = pieceOf(frame);
    const last = told.at(-1);
    if (last && key !== "" && last[0] === key) last[1] += value;
    else told.push([key, value]);
  }
  return told;
}

function pieceOf(frame: string): readonly [string, string] {
  const data = /^(?:event: .*\n)?data: (\{.*\})\n\n$/.exec(frame)?.[1];
  if (data === undefined) return ["", frame];
  const event = JSON.parse(data);
  if (event.item_id) return [`item ${event.item_id}`, event.delta];
  const delta = event.choices?.[0]?.delta;
  const call = delta?.tool_calls?.[0];
  return call && !delta.content ? [`call ${call.index}`, call.function.arguments] : ["", frame];
}
