import { describe, expect } from "bun:test";
import { failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { isDeep, testOfWire, testOrDeep } from "../../../support/deep.ts";
import { asked, KINDS, modelOf, never, placeOf, played, providerAt, reading, wireOf } from "./support.ts";

describe.each(KINDS)("over %s, an abort", (kind) => {
  const overWire = testOfWire(kind, KINDS);
  const content = [thinking("Let me see."), text("Yes, of course."), toolUse("Read", { file_path: "a" }, "t1")];

  testOrDeep(!isDeep)("at any event ends the stream with its reason, and leaves no open connection", async () => {
    const { events: whole } = await played(kind, [reply(content, { deltaChars: 6 })]);
    for (let index = 0; index < whole.length - 1; index += isDeep ? 1 : 3) {
      await using twin = await startTwin({ scenario: [reply(content, { deltaChars: 6 })] });
      const controller = new AbortController();
      const reason = new Error(`abort ${index}`);
      let count = 0;
      let thrown: unknown;
      try {
        for await (const _event of providerAt(placeOf(kind, twin), wireOf(kind)).provider.stream(
          asked(),
          controller.signal,
        )) {
          if (count === index) controller.abort(reason);
          count += 1;
        }
      } catch (error) {
        thrown = error;
      }
      expect([count, thrown]).toEqual([index + 1, reason]);
      await twin.answered(0);
    }
  });

  overWire("ends at once before the answer, and during the wait for a retry", async () => {
    await using twin = await startTwin({ scenario: [failing(fault.silence()), failing(fault.overloaded())] });
    const { provider, clock } = providerAt(placeOf(kind, twin), wireOf(kind));
    for (const [index, waiting] of [() => twin.request(0), undefined].entries()) {
      const controller = new AbortController();
      const read = reading(provider.stream(asked(undefined, { model: modelOf(kind) }), controller.signal));
      await (waiting?.() ?? read.until("retry"));
      controller.abort("stop");
      expect(await read.end).toBe("stop");
      await twin.answered(index);
    }
    expect(clock.sleeping).toBe(0);
  });

  overWire("that came before sends nothing", async () => {
    await using twin = await startTwin({ scenario: [] });
    const { provider } = providerAt(placeOf(kind, twin), wireOf(kind));
    expect(
      await reading(provider.stream(asked(undefined, { model: modelOf(kind) }), AbortSignal.abort("no"))).end,
    ).toBe("no");
    expect(twin.requests).toHaveLength(0);
  });

  overWire("that never comes leaves no listener on the signal", async () => {
    await using twin = await startTwin({ scenario: [reply("Hi."), reply("Hello"), failing(fault.badRequest("x"))] });
    const { provider } = providerAt(placeOf(kind, twin), wireOf(kind));
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
    await reading(provider.stream(asked(undefined, { model: modelOf(kind) }), signal)).end;
    for await (const _event of provider.stream(asked(undefined, { model: modelOf(kind) }), signal)) break;
    await reading(provider.stream(asked(undefined, { model: modelOf(kind) }), signal)).end;
    expect(listeners).toBe(0);
  });

  overWire("is what a consumer does that goes away: the connection is freed", async () => {
    await using twin = await startTwin({ scenario: [reply("Hello, world", { deltaChars: 3, fault: fault.stall(2) })] });
    for await (const event of providerAt(placeOf(kind, twin), wireOf(kind)).provider.stream(
      asked(undefined, { model: modelOf(kind) }),
      never(),
    ))
      if (event.type === "text_delta") break;
    expect((await twin.answered(0)).status).toBe(200);
  });
});
