import { expect, test } from "bun:test";
import { HookStatus } from "../../../src/services/hooks/run-hooks.ts";
import { fakeClock } from "../../support/fake-clock.ts";

test("the line of the oldest hook is shown after 0.3 s, and a quick hook shows none", async () => {
  const clock = fakeClock();
  const shown: (string | undefined)[] = [];
  const status = new HookStatus(clock, (text) => void shown.push(text));
  const endQuick = status.start("quick");
  await clock.advance(299);
  endQuick();
  const endFirst = status.start("first");
  await clock.advance(200);
  const endSecond = status.start("second");
  await clock.advance(300);
  expect(shown).toEqual(["first"]);
  endFirst();
  endSecond();
  expect(shown).toEqual(["first", "second", undefined]);
});
