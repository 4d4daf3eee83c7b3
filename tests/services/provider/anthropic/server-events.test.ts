import { expect, test } from "bun:test";
import { type ServerEvent, serverEvents } from "../../../../src/services/provider/anthropic/server-events.ts";

const TEXT =
  '\ufeffevent: message_start\r\ndata: {"a":1}\r\n\r\n: a remark\n\nevent:ping\ndata:{}\n\ndata: one\ndata: two ü😀\n\nid: 7\rretry: 10\rdata: old\r\r\n';
const EVENTS: readonly ServerEvent[] = [
  { event: "message_start", data: '{"a":1}' },
  { event: "ping", data: "{}" },
  { event: null, data: "one\ntwo ü😀" },
  { event: null, data: "old" },
];

/** A body that comes in the given pieces; `cancelled` tells whether its reader gave it up. */
function bodyOf(pieces: readonly Uint8Array[]) {
  const left = [...pieces];
  const state = { cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { body, state };
}

async function batches(pieces: readonly Uint8Array[]) {
  const all: (readonly ServerEvent[])[] = [];
  for await (const batch of serverEvents(bodyOf(pieces).body)) all.push(batch);
  return all;
}

test("wherever the bytes are cut the same events come, with any end of line", async () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let at = 0; at <= bytes.length; at += 1)
    expect((await batches([bytes.slice(0, at), bytes.slice(at)])).flat()).toEqual([...EVENTS]);
  expect((await batches([...bytes].map((byte) => Uint8Array.of(byte)))).flat()).toEqual([...EVENTS]);
});

test("events that arrive together are returned together, and a chunk without an event counts as activity", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(await batches([bytes("data: 1\n\ndata: 2\n\ndata: "), bytes("3"), bytes("\n\n")])).toEqual([
    [
      { event: null, data: "1" },
      { event: null, data: "2" },
    ],
    [],
    [{ event: null, data: "3" }],
  ]);
});

test("an event that is cut off at the end is left out", async () => {
  expect(await batches([new TextEncoder().encode('data: {"a":1}\n\ndata: {"b":')])).toEqual([
    [{ event: null, data: '{"a":1}' }],
  ]);
});

test.each(["data: 1\r\r", "data: 1\r\n\r", "data: 1\n\r"])(
  "%j ends an event also at the end of a body",
  async (text) => {
    const pieces = [text.slice(0, 4), text.slice(4)].map((piece) => new TextEncoder().encode(piece));
    expect((await batches(pieces)).flat()).toEqual([{ event: null, data: "1" }]);
    expect((await batches([new TextEncoder().encode("data: 1\r")])).flat()).toEqual([]);
  },
);

test("a reader that stops cancels the body", async () => {
  const { body, state } = bodyOf([new TextEncoder().encode("data: 1\n\n"), new TextEncoder().encode("data: 2\n\n")]);
  for await (const batch of serverEvents(body)) {
    expect(batch.length).toBe(1);
    break;
  }
  expect(state.cancelled).toBe(true);
});

test("an event without end is refused", async () => {
  const piece = new Uint8Array(16 * 1024 * 1024).fill(97);
  const reading = batches([new TextEncoder().encode("data: "), ...Array.from({ length: 9 }, () => piece)]);
  await expect(reading).rejects.toThrow("The server sent an event without end.");
});
