import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { goldenStage } from "../../support/golden-stage.ts";

test.each([
  [40, "enter again leaves"],
  [80, "enter again ends the turn, and leaves"],
  [120, "enter again ends the turn, and leaves"],
])("the last row of %d columns asks about the word exit", async (columns, says) => {
  using stage = goldenStage({ columns, rows: 24 }, "dark", {});
  await stage.start();
  const { here } = stage;
  const lines = () => stage.snapshot().frame.lines.map(stripAnsi);
  here.state({ busy: true });
  await here.type("exit");
  const before = lines();
  await here.type("\r");
  expect(lines().at(-1)?.trimEnd()).toEndWith(says);
  expect(lines().slice(0, -1)).toEqual(before.slice(0, -1));
  await here.wait(10_100);
  expect(lines().at(-1)).not.toContain("enter again");
});
