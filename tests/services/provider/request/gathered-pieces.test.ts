import { describe, expect, test } from "bun:test";
import { Channel } from "@quoll/async/channel";
import type { ProviderEvent } from "../../../../src/contracts/provider.ts";
import { type AnswerReader, runAttempt } from "../../../../src/services/provider/request/attempt.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

const piece = (text: string): ProviderEvent => ({ type: "text_delta", text });
const END: ProviderEvent = { type: "block_done", block: { type: "text", text: "all" } };

/** Hands on each item as its event. It is complete after a `block_done`. */
class PlainReader implements AnswerReader<ProviderEvent> {
  isComplete = false;
  accept(event: ProviderEvent): readonly ProviderEvent[] {
    this.isComplete = event.type === "block_done";
    return [event];
  }
}

/** An attempt whose items come when the test sends them. */
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
  return { events, abort, send: (...items: ProviderEvent[]) => channel.push(items) };
}

describe("pieces of an answer", () => {
  test("that arrive together are handed on together", async () => {
    const { events, send } = started();
    send(...["a", "b", "c"].map(piece));
    expect((await events.next()).value).toEqual(piece("abc"));
    const next = events.next();
    send(piece("d"));
    expect((await next).value).toEqual(piece("d"));
    await events.return();
  });

  test("an interrupt does not wait for more", async () => {
    const { events, send, abort } = started();
    send(piece("a"));
    await events.next();
    const next = events.next();
    abort.abort(new Error("stopped"));
    expect(next).rejects.toThrow("stopped");
    await next.catch(() => undefined);
  });

  test("of different calls stay apart", async () => {
    const { events, send } = started();
    const input = (toolUseId: string, json: string) =>
      ({ type: "tool_input_delta", toolUseId, toolName: "Read", json }) as const;
    send(input("1", "{"), input("1", "}"), input("2", "{}"), piece("x"), END);
    const told: ProviderEvent[] = [];
    for await (const event of events) told.push(event);
    expect(told).toEqual([input("1", "{}"), input("2", "{}"), piece("x"), END]);
  });
});
