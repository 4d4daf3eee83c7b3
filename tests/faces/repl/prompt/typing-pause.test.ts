import { expect, test } from "bun:test";
import { editorWith } from "../../../../src/faces/repl/editor/editor-state.ts";
import { TypingPause } from "../../../../src/faces/repl/prompt/typing-pause.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

/** A person who types, and the number of pauses that were reported. */
function typist() {
  const clock = fakeClock();
  const ended = new AbortController();
  let pauses = 0;
  const paused = () => {
    pauses += 1;
  };
  const pause = new TypingPause({ clock, ended: ended.signal, paused });
  return {
    clock,
    ended,
    type: (draft: string) => pause.look({ editor: editorWith(draft), typedAt: draft === "" ? 0 : clock.monotonicMs() }),
    get pauses() {
      return pauses;
    },
  };
}

test("the pause comes a quarter of a second after the last key, and once", async () => {
  const one = typist();
  one.type("f");
  await one.clock.advance(200);
  one.type("fi");
  await one.clock.advance(200);
  expect(one.pauses).toBe(0);
  await one.clock.advance(50);
  expect(one.pauses).toBe(1);

  one.type("fix");
  await one.clock.advance(1_000);
  expect([one.pauses, one.clock.sleeping]).toEqual([1, 0]);
});

test("an empty prompt is no pause, and after the end nothing waits", async () => {
  const one = typist();
  one.type("");
  await one.clock.advance(1_000);
  expect([one.pauses, one.clock.sleeping]).toEqual([0, 0]);
  one.type("f");
  one.ended.abort();
  await one.clock.advance(1_000);
  expect([one.pauses, one.clock.sleeping]).toEqual([0, 0]);
});
