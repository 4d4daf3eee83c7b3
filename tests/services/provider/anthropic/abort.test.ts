import { describe, expect, test } from "bun:test";
import { failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { asked, never, played, providerAt, reading, throughTime } from "./support.ts";

describe("an abort", () => {
  const content = [thinking("Let me see."), text("Yes, of course."), toolUse("Read", { file_path: "a" }, "t1")];

  test("at any event ends the stream with its reason, and leaves no open connection", async () => {
    const { events: whole } = await played([reply(content, { deltaChars: 6 })]);
    for (let index = 0; index < whole.length; index += 1) {
      // Stalled after its last delta, so that only the abort can end it; the last two events come with the end alone.
      const stalled = index < whole.length - 2 ? { fault: fault.stall(99) } : {};
      await using twin = await startTwin({ scenario: [reply(content, { deltaChars: 6, ...stalled })] });
      const controller = new AbortController();
      const reason = new Error(`abort ${index}`);
      let count = 0;
      let thrown: unknown;
      try {
        for await (const _event of providerAt(twin.url).provider.stream(asked(), controller.signal)) {
          if (count === index) controller.abort(reason);
          count += 1;
        }
      } catch (error) {
        thrown = error;
      }
      expect([count, thrown]).toEqual(index < whole.length - 1 ? [index + 1, reason] : [whole.length, undefined]);
      await twin.answered(0);
    }
  });

  test("ends at once before the answer, and during the wait for a retry", async () => {
    await using twin = await startTwin({ scenario: [failing(fault.silence()), failing(fault.overloaded())] });
    const { provider, clock } = providerAt(twin.url);
    for (const [index, waiting] of [() => twin.request(0), undefined].entries()) {
      const controller = new AbortController();
      const read = reading(provider.stream(asked(), controller.signal));
      await (waiting?.() ?? read.until("retry"));
      controller.abort("stop");
      expect(await read.end).toBe("stop");
      await twin.answered(index);
    }
    expect(clock.sleeping).toBe(0);
    expect(twin.requests).toHaveLength(2);
  });

  test("that came before sends nothing", async () => {
    await using twin = await startTwin({ scenario: [] });
    expect(await reading(providerAt(twin.url).provider.stream(asked(), AbortSignal.abort("no"))).end).toBe("no");
    expect(twin.requests).toHaveLength(0);
  });

  test("leaves no listener on the signal, however the stream ended", async () => {
    await using twin = await startTwin({
      scenario: [failing(fault.overloaded()), reply("Hi."), reply("Hello"), failing(fault.badRequest("x"))],
    });
    const { provider, clock } = providerAt(twin.url);
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    }) as never;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    }) as never;
    await throughTime(reading(provider.stream(asked(), signal)), {
      ...clock,
      get sleeping() {
        return clock.sleeping;
      },
    });
    for await (const _event of provider.stream(asked(), signal)) break;
    await reading(provider.stream(asked(), signal)).end;
    expect(listeners).toBe(0);
  });
});

test("a consumer that goes away frees the connection", async () => {
  await using twin = await startTwin({ scenario: [reply("Hello, world", { deltaChars: 3, fault: fault.stall(2) })] });
  for await (const event of providerAt(twin.url).provider.stream(asked(), never()))
    if (event.type === "text_delta") break;
  expect((await twin.answered(0)).status).toBe(200);
});
