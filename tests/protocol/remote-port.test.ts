import { expect, test } from "bun:test";
import { RemotePort } from "../../src/protocol/remote-port.ts";
import type { ToHost } from "../../src/protocol/remote-protocol.ts";
import type { SessionEvent } from "../../src/protocol/session-port.ts";

const starting = (name: string): SessionEvent => ({ type: "starting", names: [name] });

test("events that arrive before the screen listens are delivered first, in their order, and once", () => {
  const port = new RemotePort(() => undefined);
  const heard: SessionEvent[] = [];
  for (const name of ["a", "b"]) port.take({ type: "event", event: starting(name) });
  const leave = port.subscribe((event) => void heard.push(event));
  port.take({ type: "event", event: starting("c") });
  leave();
  port.subscribe((event) => void heard.push(event));
  expect(heard).toEqual(["a", "b", "c"].map(starting));
});

test("commands go to the host; the end says whether the host said why", async () => {
  const sent: ToHost[] = [];
  const port = new RemotePort((message) => void sent.push(message));
  port.send({ type: "start_queued" });
  expect(sent).toEqual([{ type: "command", command: { type: "start_queued" } }]);
  port.take({ type: "ended", why: "idle for 24 h", lines: [] });
  port.lost();
  expect(await port.ended).toEqual({ why: "The session has ended: idle for 24 h.", isLost: false });
  expect(await port.facts).toBeUndefined();
  const other = new RemotePort(() => undefined);
  other.lost();
  expect((await other.ended).isLost).toBe(true);
});
