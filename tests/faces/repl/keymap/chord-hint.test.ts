import { expect, test } from "bun:test";
import { decodeKeys, emptyDecoder, type KeyEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import { taskStage } from "../../../support/shown-tasks.ts";

test("the status line shows how a chord continues and for how long, until its time ends", async () => {
  using place = await taskStage();
  const { stage, clock } = place;
  stage.controller.keys(decodeKeys(emptyDecoder, "\u0018").events as readonly KeyEvent[]);
  const shown = async (ms: number) => {
    await clock.advance(ms);
    return place.lines
      .at(-1)
      ?.match(/ctrl\+x … .*ctrl\+e ctrl\+o · \d+s/)?.[0]
      .slice(-2);
  };
  expect([await shown(0), await shown(1_001), await shown(1_000), await shown(1_000)]).toEqual([
    "3s",
    "2s",
    "1s",
    undefined,
  ]);
});
