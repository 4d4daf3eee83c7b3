import { describe, expect, test } from "bun:test";
import type { Question } from "../../../../src/contracts/question.ts";
import { GUARD_MS } from "../../../../src/faces/repl/layers/question.ts";
import { choiceOf, DATABASE, FEATURES } from "../../../support/choice.ts";
import { questionOf } from "../../../support/question.ts";
import { agentTask, taskEvent, taskStage } from "../../../support/shown-tasks.ts";

const ESC = "\u001b";
const DOWN = `${ESC}[B`;

const working = (id: string, rest: Parameters<typeof agentTask>[3] = {}) =>
  agentTask(id, "Plan", `plan ${id}`, {
    agent: {
      agentId: `agent-${id}`,
      type: "Plan",
      activity: "waits for your answer",
      isAsking: true,
      tokens: 900,
      calls: 1,
    },
    ...rest,
  });
const asksIn = (task: string, id = `of ${task}`): Question => ({
  ...choiceOf(DATABASE, FEATURES),
  ...{ id, agentId: `agent-${task}`, parentAgentId: "main", agentLabel: `Plan: plan ${task}` },
});

async function stageWith(pending: readonly Question[], size?: { columns: number; rows: number }) {
  const here = await taskStage(size);
  for (const id of ["a1", "a2", "a3"]) here.play(taskEvent("task_started", working(id)));
  const asks = async (questions: readonly Question[]) => {
    here.tell({ type: "questions", pending: questions });
    // The code of the questions is loaded with the first of them.
    await Bun.sleep(0);
    await import("../../../../src/faces/repl/layers/asked-layer.ts");
    await here.clock.advance(GUARD_MS + 1);
  };
  await asks(pending);
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      here.stage.type(key);
      await here.clock.advance(GUARD_MS + 1);
    }
  };
  const frame = () => here.lines.join("\n");
  return { here, press, asks, frame };
}

describe("a question of an agent in the background", () => {
  test.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
    { columns: 40, rows: 20 },
  ])("is named by the agent's row, which comes first, and leaves the prompt alone at %j", async (size) => {
    const { here, press, frame } = await stageWith([asksIn("a2")], size);
    using _ = here;
    const rows = here.lines.filter((line) => /a\d Plan/.test(line));
    expect(rows[0]).toMatch(size.columns > 40 ? /▲ a2 Plan {2}asks: Which database should/ : /▲ a2 Plan {2}asks/);
    expect(rows[1]).toContain("a1");
    expect(frame()).toContain("enter");
    expect(frame()).not.toContain("1 PostgreSQL");
    await press("words");
    expect(frame()).toContain("› words");
    expect(here.sent).toEqual([]);
  });

  test("is opened from its row, and answered", async () => {
    const { here, press, frame } = await stageWith([asksIn("a2")]);
    using _ = here;
    await press(DOWN);
    expect(here.lines.at(-2)).toContain("enter answer");
    await press("\r");
    expect(frame()).toContain("2 questions · asked by Plan: plan a2");
    await press("2", "1", "\r", "1");
    expect(here.sent).toMatchObject([
      {
        type: "answer",
        id: "of a2",
        reply: { decision: "answered", answers: [{ labels: ["SQLite"] }, { labels: ["Login"] }] },
      },
    ]);
  });

  test("waits on after escape, and keeps what was typed and chosen", async () => {
    const { here, press, frame, asks } = await stageWith([asksIn("a2")]);
    using _ = here;
    await press(DOWN, "\r", "2", "dark mode", ESC, ESC);
    expect(frame()).not.toContain("2 questions");
    expect(frame()).toContain("▲ a2 Plan");
    await press("words");
    expect(frame()).toContain("› words");
    await press("\u0015", DOWN, "\r");
    expect(frame()).toContain("Another answer: dark mode");
    expect(frame()).toContain("✓ Database");
    await press(ESC);
    await asks([]);
    expect(frame()).toContain("› dark mode");
    expect(here.sent).toEqual([]);
  });

  test("does not hide a question that is asked of the person at once, nor is hidden by it", async () => {
    const { here, press, frame, asks } = await stageWith([asksIn("a2"), questionOf({ id: "p" })]);
    using _ = here;
    expect(frame()).toContain("❯ 1 Yes");
    expect(frame()).not.toMatch(/\d of 2/);
    await asks([asksIn("a2")]);
    await press(DOWN, "\r");
    await asks([asksIn("a2"), questionOf({ id: "q" })]);
    expect(frame()).toMatch(/2 questions .* 1 of 2 ╮/);
    await press(ESC);
    expect(frame()).toContain("❯ 1 Yes");
    await press("1");
    expect(here.sent).toMatchObject([{ type: "answer", id: "q", reply: { decision: "once" } }]);
  });

  test("stays open while its agent moves to the background", async () => {
    const { here, frame, asks } = await stageWith([]);
    using _ = here;
    here.play(taskEvent("task_changed", working("a1", { isBackground: false })));
    await asks([asksIn("a1")]);
    expect(frame()).toContain("2 questions");
    here.play(taskEvent("task_changed", working("a1")));
    await asks([asksIn("a1"), asksIn("a2")]);
    expect(frame()).toContain("2 questions · asked by Plan: plan a1");
    expect(frame()).not.toMatch(/\d of 2/);
  });

  test("of an agent that works for an agent in the background is named by its own row", async () => {
    const { here, frame, asks } = await stageWith([]);
    using _ = here;
    const child = working("a4", { agentId: "agent-a1", parentAgentId: "main", isBackground: false });
    here.play(taskEvent("task_started", child));
    await asks([asksIn("a4")]);
    expect(frame()).toMatch(/▲ a4 Plan {2}asks: Which/);
  });
});

test("a question of an agent that the turn waits for is asked at once", async () => {
  const { here, frame, asks } = await stageWith([]);
  using _ = here;
  here.play(taskEvent("task_changed", working("a1", { isBackground: false })));
  await asks([asksIn("a1")]);
  expect(frame()).toContain("2 questions · asked by Plan: plan a1");
});
