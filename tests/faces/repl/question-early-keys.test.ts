import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { GUARD_MS } from "../../../src/faces/repl/layers/question.ts";
import { goldenStage } from "../../support/golden-stage.ts";
import { questionOf } from "../../support/question.ts";

const SAYS = "too early: press it again";

test.each([40, 80, 120])(
  "a key that a new question drops is named for two seconds in the last row, and no row moves (%d columns)",
  async (columns) => {
    using stage = goldenStage({ columns, rows: 24 }, "dark", {});
    await stage.start();
    const { here } = stage;
    const lines = () => stage.snapshot().frame.lines.map(stripAnsi);
    here.state({ busy: true });
    here.ask(questionOf({ id: "first" }), questionOf({ id: "second" }));
    await here.wait(2_000);
    await here.type("1");
    here.ask(questionOf({ id: "second" }));
    await here.wait(50);
    const before = lines();
    await here.type("1");
    const told = lines();
    expect(told.at(-1)?.trimEnd()).toEndWith(SAYS);
    expect(told.slice(0, -1)).toEqual(before.slice(0, -1));
    await here.wait(GUARD_MS);
    expect(lines().at(-1)).toContain(SAYS);
    await here.wait(2_000);
    expect(lines().at(-1)).not.toContain("too early");
  },
);
