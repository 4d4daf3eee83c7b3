import { describe, expect, test } from "bun:test";
import { ControlChannel } from "../../../src/faces/headless/control-channel.ts";
import type { WireLine } from "../../../src/faces/headless/wire-format.ts";
import { countedIds } from "../../support/engine-harness.ts";

function channel() {
  const written: WireLine[] = [];
  const made = new ControlChannel({ ids: countedIds(), write: (line) => void written.push(line) });
  return { channel: made, written };
}
const never = () => new AbortController().signal;
const cancel = (id: string) => ({ type: "control_cancel_request", request_id: id });

describe("requests to the other side", () => {
  test("are answered by their own reply, whatever the order", async () => {
    const { channel: c, written } = channel();
    const [one, two] = [
      c.request({ subtype: "a" }, { signal: never() }),
      c.request({ subtype: "b" }, { signal: never() }),
    ];
    expect(written).toEqual([
      { type: "control_request", request_id: "id-1", request: { subtype: "a" } },
      { type: "control_request", request_id: "id-2", request: { subtype: "b" } },
    ]);
    expect([c.settle("id-2", { response: { n: 2 } }), c.settle("id-1", { response: { n: 1 } })]).toEqual([true, true]);
    expect(await Promise.all([one, two])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(written).toHaveLength(2);
  });

  test("fail with the error that comes back, and a second reply changes nothing", async () => {
    const { channel: c } = channel();
    const asked = c.request({ subtype: "a" }, { signal: never() });
    c.settle("id-1", { error: "out of order" });
    expect(c.settle("id-1", { response: {} })).toBe(false);
    expect(c.settle("nobody", { response: {} })).toBe(false);
    await expect(asked).rejects.toThrow("out of order");
  });

  test("are withdrawn when they are given up, and a late reply is left aside", async () => {
    const { channel: c, written } = channel();
    const abort = new AbortController();
    const given = c.request({ subtype: "a" }, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    expect(written.filter(({ type }) => type === "control_cancel_request")).toEqual([cancel("id-1")]);
    expect(c.settle("id-1", { response: {} })).toBe(false);
  });

  test("are not even sent when they were given up before", async () => {
    const { channel: c, written } = channel();
    await expect(c.request({ subtype: "a" }, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
    expect(written).toEqual([]);
  });

  test("all fail once the other side is gone", async () => {
    const { channel: c, written } = channel();
    const asked = c.request({ subtype: "a" }, { signal: never() });
    c.close("it is gone");
    await expect(asked).rejects.toThrow("it is gone");
    await expect(c.request({ subtype: "b" }, { signal: never() })).rejects.toThrow("it is gone");
    expect(written).toHaveLength(1);
  });
});

describe("requests of the other side", () => {
  test("are replied to under their id, and one that comes twice is known", () => {
    const { channel: c, written } = channel();
    expect([c.take("x"), c.take("x"), c.take("y")]).toEqual([true, false, true]);
    c.reply("x", { n: 1 });
    c.fail("y", "no");
    expect(written).toEqual([
      { type: "control_response", response: { subtype: "success", request_id: "x", response: { n: 1 } } },
      { type: "control_response", response: { subtype: "error", request_id: "y", error: "no" } },
    ]);
  });

  test("of long ago are forgotten", () => {
    const { channel: c } = channel();
    for (let n = 0; n <= 1_000; n += 1) c.take(`r${n}`);
    expect([c.take("r1000"), c.take("r0")]).toEqual([false, true]);
  });
});
