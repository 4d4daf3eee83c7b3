import { expect, test } from "bun:test";
import { LateAnswer } from "../../../../src/faces/repl/terminal/late-answer.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

test("the exit waits briefly for an expected answer, and never for a late answer", async () => {
  const clock = fakeClock();
  expect(new LateAnswer(clock).wait()).toBeUndefined();

  const soon = new LateAnswer(clock);
  soon.asked();
  const waiting = soon.wait();
  soon.answered();
  await waiting;
  expect([waiting === undefined, soon.wait()]).toEqual([false, undefined]);

  const never = new LateAnswer(clock);
  never.asked();
  const limited = never.wait();
  await clock.advance(100);
  await limited;
  await clock.advance(2_000);
  expect([limited === undefined, never.wait()]).toEqual([false, undefined]);
});

test("the first rows wait for the answer, for that of a later query, or briefly", async () => {
  const clock = fakeClock();
  const waiting = async (end: (answer: LateAnswer) => unknown, isAsked = true) => {
    const answer = new LateAnswer(clock);
    if (isAsked) answer.asked();
    let isOver = false;
    const over = answer.waitFirst().then(() => {
      isOver = true;
    });
    await clock.advance(100);
    const before = isOver;
    await end(answer);
    await over;
    return before;
  };
  expect(await waiting((answer) => answer.answered())).toBe(false);
  expect(await waiting((answer) => answer.overtaken())).toBe(false);
  expect(await waiting(() => clock.advance(100))).toBe(false);
  expect(await waiting(() => undefined, false)).toBe(true);
});
