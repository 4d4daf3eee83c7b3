import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { Channel } from "@quoll/async/channel";
import type { ProviderEvent } from "../../../../src/contracts/provider.ts";
import { type AnswerReader, runAttempt } from "../../../../src/services/provider/request/attempt.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

const piece = (text: string): ProviderEvent => ({ type: "text_delta", text });
const END: ProviderEvent = { type: "block_done", block: { type: "text", text: "all" } };

/** Hands on each item as its event. It is complete after a `block_done`. */
class PlainReader implements AnswerReader<ProviderEvent> {
  isComplete = false;
  isPiece({ type }: ProviderEvent): boolean {
    return type === "text_delta";
  }
  accept(event: ProviderEvent): readonly ProviderEvent[] {
    this.isComplete = event.type === "block_done";
    return [event];
  }
}

/** An attempt whose items come when the test sends them. No timer ever ends. */
function started() {
  const channel = new Channel<readonly ProviderEvent[]>();
  const abort = new AbortController();
  const events = runAttempt(
    {
      open: () => channel[Symbol.asyncIterator](),
      reader: new PlainReader(),
      request: { system: "", messages: [], tools: [] },
      clock: fakeClock(),
      patience: { firstMs: 1_000, idleMs: 1_000, notedMs: 500, keepAliveMs: 1_000, keepAliveNotedMs: 500 },
    },
    abort.signal,
  );
  return { events, abort, send: (...items: ProviderEvent[]) => channel.push(items), close: () => channel.close() };
}

describe("pieces of an answer that come one after the other", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test("are handed on together, the first one at once", async () => {
    const { events, send } = started();
    send(piece("a"));
    expect((await events.next()).value).toEqual(piece("a"));
    const next = events.next();
    for (const text of ["b", "c", "d"]) send(piece(text));
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    jest.advanceTimersByTime(1_000);
    expect((await next).value).toEqual(piece("bcd"));
    await events.return();
  });

  test("are handed on at once when something else follows them", async () => {
    const { events, send } = started();
    send(piece("a"));
    await events.next();
    const next = events.next();
    send(piece("b"));
    send(END);
    expect((await next).value).toEqual(piece("b"));
    expect((await events.next()).value).toEqual(END);
    expect((await events.next()).done).toBe(true);
  });

  test("are handed on at once when the stream ends or breaks", async () => {
    const { events, send, close } = started();
    send(piece("a"));
    await events.next();
    const next = events.next();
    send(piece("b"));
    close();
    expect((await next).value).toEqual(piece("b"));
    expect(events.next()).rejects.toThrow("before the message was complete");
    await events.next().catch(() => undefined);
  });

  test("an interrupt does not wait for more of them", async () => {
    const { events, send, abort } = started();
    send(piece("a"));
    await events.next();
    const next = events.next();
    abort.abort(new Error("stopped"));
    expect(next).rejects.toThrow("stopped");
    await next.catch(() => undefined);
  });

  test("pieces of different calls stay apart", async () => {
    const { events, send } = started();
    const input = (toolUseId: string, json: string) =>
      ({ type: "tool_input_delta", toolUseId, toolName: "Read", json }) as const;
    send(input("1", "{"), input("1", "}"), input("2", "{}"), piece("x"), END);
    const told: ProviderEvent[] = [];
    for await (const event of events) told.push(event);
    expect(told).toEqual([input("1", "{}"), input("2", "{}"), piece("x"), END]);
  });
});
