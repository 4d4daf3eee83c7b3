import { expect, test } from "bun:test";
import { seededRandom } from "@quoll/model-twin/byte-cuts";
import { WholeEvents } from "../../../../src/services/provider/request/stream-form.ts";

const STREAMS = 300;

test("no complete event waits, and what is left at the end is handed on", () => {
  for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
    const events = new WholeEvents();
    const frame = `data: {"a":1}${end}`;
    const given = [...frame].map((sign) => events.push(sign));
    expect([given.filter((text) => text !== ""), given.at(-1)]).toEqual([[frame], frame]);
    expect([events.push(`${frame}data: {`), events.push('"b"'), events.end(), events.end()]).toEqual([
      frame,
      "",
      'data: {"b"',
      "",
    ]);
  }
});

test("however a stream is cut, each part that is handed on ends with an event, and nothing is lost", () => {
  const random = seededRandom(77);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
  for (let stream = 0; stream < STREAMS; stream += 1) {
    const frames = Array.from({ length: 1 + below(30) }, () =>
      pick(['data: {"a":"\ud83d\ude00"}\n\n', "data: {}\r\n\r\n", ": ping\n\n", "event: x\rdata: 1\r\r"]),
    );
    const text = frames.join("") + pick(["", "data: [DONE]", "data: {"]);
    const events = new WholeEvents();
    const given: string[] = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + below(pick([3, 40, 2_000]));
      given.push(events.push(text.slice(at, at + length)));
      at += length;
    }
    for (const part of given) expect(part).toMatch(/^$|(\n\n|\n\r\n|\r\r)$/);
    expect(given.join("") + events.end()).toBe(text);
  }
});

test("an event of 10 MB that comes in small pieces takes time by its length", () => {
  const events = new WholeEvents();
  const piece = "x".repeat(1_000);
  let given = 0;
  for (let count = 0; count < 10_000; count += 1) given += events.push(piece).length;
  expect(given).toBe(0);
  expect(events.push("\n\n").length).toBe(10_000_002);
});
