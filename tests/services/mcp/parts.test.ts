import { describe, expect, test } from "bun:test";
import type { Progress } from "../../../src/contracts/display.ts";
import { QuestionLimit } from "../../../src/services/mcp/question-limit.ts";
import { CallWatch } from "../../../src/services/mcp/session/call-watch.ts";
import { MessageRate } from "../../../src/services/mcp/session/message-rate.ts";
import { readMessage } from "../../../src/services/mcp/transport/read-message.ts";
import { CallLimitError } from "../../../src/services/mcp/transport/session-error.ts";
import { LineSplitter, stderrTail } from "../../../src/services/mcp/transport/stdio-transport.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { fakeClock } from "../../support/fake-clock.ts";

describe("lines", () => {
  test("are whole however their bytes are cut", () => {
    const text = "one\r\n日本 👩‍💻\n\nlast\nrest";
    for (let size = 1; size < 12; size += 1) {
      const lines = new LineSplitter(1_000);
      const bytes = Buffer.from(text);
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...lines.push(bytes.subarray(at, at + size)));
      expect(found).toEqual(["one", "日本 👩‍💻", "", "last"]);
    }
  });

  test("that are too long are refused, also in many pieces", () => {
    const lines = new LineSplitter(10);
    expect(lines.push(Buffer.from("0123456789\n"))).toEqual(["0123456789"]);
    lines.push(Buffer.from("012345"));
    expect(() => lines.push(Buffer.from("6789a"))).toThrow(RangeError);
  });

  test("of many small pieces cost no more than their length", () => {
    const lines = new LineSplitter(64 * 1024 * 1024);
    const piece = Buffer.alloc(1_000, "x");
    const spent = cpuClock();
    for (let count = 0; count < 20_000; count += 1) lines.push(piece);
    expect(lines.push(Buffer.from("\n"))[0]?.length).toBe(20_000_000);
    expect(spent()).toBeLessThan(2_000);
  });
});

const NEVER = new AbortController().signal;

test("one server has at most five questions open, and twenty in ten minutes", async () => {
  const clock = fakeClock();
  const limit = new QuestionLimit(clock);
  const waiting = Promise.withResolvers<string>();
  const open = [1, 2, 3, 4, 5].map(() => limit.within(() => waiting.promise, NEVER));
  expect(await limit.within(async () => "sixth", NEVER)).toBeUndefined();
  waiting.resolve("yes");
  expect(await Promise.all(open)).toEqual(["yes", "yes", "yes", "yes", "yes"]);
  let asked = 5;
  while ((await limit.within(async () => "yes", NEVER)) !== undefined) asked += 1;
  expect(asked).toBe(20);
  await clock.advance(600_000);
  expect(await limit.within(async () => "yes", NEVER)).toBe("yes");
});

test("a flood of messages is thinned, and after five seconds it ends the connection", async () => {
  const clock = fakeClock();
  const rate = new MessageRate(clock);
  const second = () => new Set(Array.from({ length: 1_500 }, () => rate.next()));
  for (let count = 0; count < 5; count += 1) {
    expect(second()).toEqual(new Set(["handle", "drop"]));
    await clock.advance(1_000);
  }
  expect(second()).toEqual(new Set(["flood"]));
  const calm = new MessageRate(clock);
  for (let count = 0; count < 20; count += 1) {
    for (let at = 0; at < 200; at += 1) expect(calm.next()).toBe("handle");
    await clock.advance(1_000);
  }
});

test.each([
  ["", undefined],
  [
    "node:internal/modules:1\n  throw err;\n\nError: Cannot find module '/x.js'\n    at a (b.js:1:1) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n",
    "\"Error: Cannot find module '/x.js'\"",
  ],
  [" \n\t\n", undefined],
  ["one\ntwo\nthree\nfour\n", '"two · three · four"'],
  ["TypeError: no\n    at run (a.js:1:1)\n    at main (a.js:2:2)\n\nNode.js v24.0.0\n", '"TypeError: no"'],
  ["\u001b[31mred\u001b[0m \u001b]0;title\u0007alert\u0007\n", '"red alert"'],
  ["    at nowhere\n", '"at nowhere"'],
])("the last words of %p", (text, words) => {
  expect(stderrTail(text)).toBe(words);
});

describe("a call's limits", () => {
  const watchWith = (options: { idleMs: number; callMs?: number }) => {
    const clock = fakeClock();
    const caller = new AbortController();
    const reports: Progress[] = [];
    const watch = new CallWatch({
      clock,
      idleMs: options.idleMs,
      callMs: options.callMs,
      signal: caller.signal,
      report: (progress) => reports.push(progress),
    });
    return { clock, caller, reports, watch };
  };

  test("progress puts the idle limit off, not the limit of the whole", async () => {
    const { clock, watch } = watchWith({ idleMs: 1_000, callMs: 2_500 });
    for (let step = 1; step <= 2; step += 1) {
      await clock.advance(900);
      watch.progress({ progress: step });
    }
    expect(watch.signal.aborted).toBe(false);
    await clock.advance(700);
    expect(watch.signal.reason).toBeInstanceOf(CallLimitError);
    expect(watch.signal.reason.message).toBe("it took longer than 2.5s, the limit that is set");
    watch.end();
    await clock.advance(0);
    expect(clock.sleeping).toBe(0);
  });

  test("silence ends the call", async () => {
    const { clock, watch } = watchWith({ idleMs: 300_000 });
    await clock.advance(299_999);
    expect(watch.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.signal.reason.message).toBe("it sent nothing for 5m00s");
    watch.end();
  });

  test("nothing is counted as silence while a person is asked", async () => {
    const { clock, watch } = watchWith({ idleMs: 1_000 });
    const [first, second] = [watch.hold(), watch.hold()];
    await clock.advance(60_000);
    first();
    watch.progress({ progress: 1 });
    await clock.advance(60_000);
    expect(watch.signal.aborted).toBe(false);
    second();
    await clock.advance(999);
    expect(watch.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.signal.reason.message).toBe("it sent nothing for 1.0s");
    watch.end();
  });

  test("progress is reported at most ten times a second, the last lines together", async () => {
    const { clock, reports, watch } = watchWith({ idleMs: 1_000 });
    for (let step = 1; step <= 30; step += 1) {
      watch.progress({ progress: step, total: 30, message: "line\u0007\nbreak" });
      await clock.advance(10);
    }
    expect(reports.length).toBe(3);
    expect(reports[2]).toEqual({
      tail: [17, 18, 19, 20, 21].map((step) => `${step}/30 line break`),
      totalLines: 21,
      bytes: 9 * 15 + 12 * 16,
      elapsedMs: 200,
    });
    watch.end();
    watch.progress({ progress: 31 });
    expect(reports.length).toBe(3);
  });

  test("the caller's abort ends it, one from before it began too", () => {
    const { caller, watch } = watchWith({ idleMs: 1_000 });
    const reason = new Error("stop");
    caller.abort(reason);
    expect(watch.signal.reason).toBe(reason);
    watch.end();
    const late = new CallWatch({
      clock: fakeClock(),
      idleMs: 1,
      callMs: undefined,
      signal: caller.signal,
      report: () => undefined,
    });
    expect(late.signal.reason).toBe(reason);
    late.end();
  });
});

test.each([
  [null, undefined],
  [7, undefined],
  [{ id: 1, result: {} }, undefined],
  [{ jsonrpc: "1.0", id: 1, result: {} }, undefined],
])("%p is no message", (value, read) => {
  expect(readMessage(value)).toBe(read as undefined);
});

test.each([
  { jsonrpc: "2.0", id: 1, result: "text" },
  { jsonrpc: "2.0", id: 1 },
  { jsonrpc: "2.0", id: 1, error: "no" },
  { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "both" } },
])("the answer %p, which is none, fails its request", (value) => {
  const message = "its answer does not follow the protocol";
  expect(readMessage(value)).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message } });
});
