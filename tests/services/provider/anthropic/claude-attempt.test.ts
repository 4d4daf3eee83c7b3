import { expect, test } from "bun:test";
import { Channel } from "@quoll/async/channel";
import { runAttempt } from "../../../../src/services/provider/anthropic/claude-attempt.ts";
import { MessageAssembler } from "../../../../src/services/provider/anthropic/from-stream.ts";
import type { ServerEvent } from "../../../../src/services/provider/anthropic/server-events.ts";
import { patienceWith } from "../../../../src/services/provider/request/idle-watch.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { reading } from "./support.ts";

const sent = (event: Record<string, unknown>): ServerEvent => ({ event: null, data: JSON.stringify(event) });
const said = (text: string) => sent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const opened = sent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
const ping: ServerEvent = { event: "ping", data: '{"type":"ping"}' };

/** A stream whose events are sent by hand. `isDeaf`: an abort does not end it. */
const assembler = async () => MessageAssembler;
const ASKED = { system: "", messages: [], tools: [] };

function handMade({ isDeaf = false } = {}) {
  const clock = fakeClock();
  const channel = new Channel<ServerEvent>();
  const aborting = new AbortController();
  let isEnded = false;
  async function* open(signal: AbortSignal): AsyncGenerator<readonly ServerEvent[], void> {
    if (!isDeaf) signal.addEventListener("abort", () => channel.cancel(signal.reason), { once: true });
    try {
      for (let events = await channel.take(); events; events = await channel.take()) yield events;
    } finally {
      isEnded = true;
    }
  }
  const read = reading(
    runAttempt(
      { open, assembler, model: "m", request: ASKED, clock, patience: patienceWith({ isLoopback: false }) },
      aborting.signal,
    ),
  );
  const send = async (...events: readonly ServerEvent[]) => {
    for (const event of events) channel.push(event);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const kinds = () => read.events.map(({ type }) => type);
  return { clock, channel, aborting, read, send, kinds, isEnded: () => isEnded };
}

test("a ping counts as activity: it delays the notice and the end", async () => {
  const { clock, send, kinds, read, channel } = handMade();
  await send(opened, said("Hel"));
  for (let round = 0; round < 4; round += 1) {
    await clock.advance(29_000);
    await send(ping);
  }
  expect(kinds()).toEqual(["text_delta"]);
  await send(sent({ type: "message_stop" }));
  channel.close();
  expect(await read.end).toBeUndefined();
  expect(kinds()).toEqual(["text_delta", "block_done", "done"]);
});

test("each silence is noted once, and a later one again", async () => {
  const { clock, send, kinds, read, aborting } = handMade();
  await send(opened, said("a"));
  await clock.advance(30_000);
  await clock.advance(30_000);
  expect(kinds()).toEqual(["text_delta", "notice"]);
  await send(said("b"));
  for (let second = 0; second < 31; second += 1) await clock.advance(1_000);
  expect(kinds()).toEqual(["text_delta", "notice", "text_delta", "notice"]);
  aborting.abort("over");
  expect(await read.end).toBe("over");
});

test("before the first event there is no notice, and the limit is two minutes", async () => {
  const { clock, kinds, read, isEnded } = handMade();
  for (let second = 0; second < 119; second += 1) await clock.advance(1_000);
  expect(kinds()).toEqual([]);
  await clock.advance(1_000);
  expect(await read.end).toMatchObject({
    name: "BrokenStreamError",
    message: "The model sent nothing for 120 s.",
  });
  expect([isEnded(), clock.sleeping]).toEqual([true, 0]);
});

test("an abort ends at once even a stream that ignores the signal, and no further event is reported", async () => {
  const { aborting, read, send, kinds, clock } = handMade({ isDeaf: true });
  await send(opened, said("a"));
  aborting.abort("enough");
  expect(await read.end).toBe("enough");
  await send(said("b"));
  expect(kinds()).toEqual(["text_delta"]);
  expect(clock.sleeping).toBe(0);
});

test("data that is no JSON breaks the stream; blank data and end marks of others are passed over", async () => {
  const { send, read, kinds } = handMade();
  await send(opened, { event: null, data: "" }, { event: "message", data: "[DONE]" }, said("a"), {
    event: null,
    data: "{oops",
  });
  expect(await read.end).toMatchObject({
    name: "BrokenStreamError",
    message: "it is not valid JSON.",
    fault: "malformed",
  });
  expect(kinds()).toEqual(["text_delta"]);
});

test("an error event without an event name is still an error", async () => {
  const { send, read } = handMade();
  await send(sent({ type: "error", error: { type: "overloaded_error", message: "Busy" } }));
  expect(await read.end).toMatchObject({ name: "BrokenStreamError", message: "Busy", errorType: "overloaded_error" });
});

test("events after message_stop are ignored", async () => {
  const { send, read, kinds } = handMade();
  await send(opened, said("a"), sent({ type: "message_stop" }), said("b"), sent({ type: "error", error: {} }));
  expect(await read.end).toBeUndefined();
  expect(kinds()).toEqual(["text_delta", "block_done", "done"]);
});
