import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { GUARD_MS } from "../../../src/faces/repl/layers/question.ts";
import type { SessionCommand, SessionEvent, SessionPort } from "../../../src/protocol/session-port.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import type { Recorded } from "../../support/record-session.ts";
import { screenStage } from "../../support/screen-stage.ts";

const RECORDING = join(import.meta.dir, "recorded-session.jsonl");

/** A session of which only the recorded events are there; commands cross a border of JSON. */
function recordedPort() {
  const sent: SessionCommand[] = [];
  let listener: (event: SessionEvent) => void = () => undefined;
  const port: SessionPort = {
    send: (command) => void sent.push(JSON.parse(JSON.stringify(command))),
    subscribe(given) {
      listener = given;
      return () => undefined;
    },
  };
  return { port, sent, tell: (event: SessionEvent) => listener(event) };
}

test("a screen that only has a recorded stream of events draws the session and asks for the same as it did", async () => {
  const steps = (await readFile(RECORDING, "utf8"))
    .trim()
    .split("\n")
    .map((line): Recorded => JSON.parse(line));
  const clock = fakeClock();
  const { port, sent, tell } = recordedPort();
  // The first question loads this code, and nothing is asked before it is there.
  await import("../../../src/faces/repl/layers/asked-layer.ts");
  using stage = screenStage(port, clock);
  stage.controller.start();
  const frames: string[] = [];
  for (const step of steps) {
    if ("event" in step) tell(step.event);
    if ("keys" in step) {
      await clock.advance(GUARD_MS + 1_000);
      await setImmediate();
      frames.push(stage.text);
      stage.type(step.keys);
    }
    // Every request of the screen is in the recording, at the same place.
    if ("command" in step) expect(sent.shift()).toEqual(step.command);
  }
  expect(sent).toEqual([]);
  const words = ["› fix the test", "✓ 14 passed", "1 file +1 −1", "You said always, reject.", "? for keys"];
  // Highlighting is loaded when the first code comes, and what stands behind it waits.
  while (!words.every((one) => stage.text.includes(one))) {
    await clock.advance(100);
    await setImmediate();
  }
  const shown = [
    [0, "default · sonnet-5"],
    [1, "npm test -- checkout"],
    [2, "You said 8 characters"],
    [3, "Run this command?"],
    [4, "Make this change?"],
  ] as const;
  for (const [at, words] of shown) expect(frames[at]).toContain(words);
  for (const once of words) expect(stage.text.split(once)).toHaveLength(2);
});
