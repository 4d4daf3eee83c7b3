import { expect, test } from "bun:test";
import { textWidth } from "@quoll/terminal-text/text-width";
import type { TaskInfo } from "../../../../src/contracts/task.ts";
import { KEPT_MS } from "../../../../src/faces/repl/tasks/shown-tasks.ts";
import { started, turn } from "../../../support/golden-events.ts";
import { agentTask, EMPTY_SESSION, shellTask, taskEvent, taskStage } from "../../../support/shown-tasks.ts";

test.each([
  [80, 24],
  [120, 40],
  [40, 20],
])("each agent and background shell has a row below the prompt (%d×%d)", async (columns, rows) => {
  using here = await taskStage({ columns, rows });
  const agent = { type: "Plan", activity: "waits for your answer", isAsking: true, tokens: 950, calls: 2 };
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "find what sleeps in the tests of the shop")));
  here.play(taskEvent("task_started", agentTask("a2", "Plan", "plan the move", { agent })));
  const shell = shellTask("b1", "npm run\ndev", { description: "Start the server" });
  here.play(taskEvent("task_started", shell));
  here.play(
    taskEvent("task_started", { ...shell, id: "b2", state: "is running, watched for `ready`", hasRemark: true }),
  );
  await here.clock.advance(61_000);
  const at = here.lines.findIndex((line) => line.startsWith("› "));
  const strip = here.lines.slice(at + 1, -1);
  expect(strip.map((line) => line.trim().split(/\s+/).slice(0, 3))).toEqual([
    ["◐", "a1", "Explore"],
    ["▲", "a2", "Plan"],
    ["◐", "b1", "shell"],
    ["◐", "b2", "shell"],
  ]);
  expect(strip[0]).toMatch(columns > 40 ? /find what .*thinking · 1m01s ago +1m01s +18k tok$/ : /find/);
  expect(strip[1]).toMatch(columns > 40 ? /waits for your answer +1m01s +950 tok$/ : /plan/);
  expect(strip[2]).toContain("npm run");
  for (const line of here.lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

test("at most five rows are shown, fewer in a low window, with the number of the others", async () => {
  for (const [rows, shown] of [
    [24, 5],
    [12, 2],
  ] as const) {
    using here = await taskStage({ columns: 80, rows });
    for (let at = 1; at <= 7; at += 1) here.play(taskEvent("task_started", agentTask(`a${at}`, "Explore", "look")));
    await here.clock.advance(1_000);
    expect(here.lines.filter((line) => line.includes("Explore"))).toHaveLength(shown);
    expect(here.lines.at(-2)).toBe(`  +${7 - shown} more`);
    expect(here.lines.length).toBeLessThan(rows);
  }
});

test("an ended agent says how it ended, and its row goes after half a minute", async () => {
  using here = await taskStage();
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look")));
  const ended = {
    status: "failed",
    state: "failed: no credit · 3 requests · 2 tool calls",
    phrase: "failed: no credit",
  } as const;
  here.play(taskEvent("task_ended", agentTask("a1", "Explore", "look", ended)));
  await here.clock.advance(1_000);
  expect(here.lines.at(-2)).toMatch(/✗ a1 Explore {2}look · failed: no credit +0s +18k tok$/);
  await here.clock.advance(KEPT_MS);
  expect(here.lines.join("\n")).not.toContain("a1");
  expect(here.clock.sleeping).toBe(0);
});

test("an agent for which a call waits is told in its row alone, and soon leaves when the call has its result", async () => {
  using here = await taskStage();
  const awaited = (rest: Partial<TaskInfo> = {}) =>
    taskEvent(
      rest.status === undefined ? "task_started" : "task_ended",
      agentTask("a1", "Explore", "look", { isBackground: false, toolUseId: "toolu_1", ...rest }),
    );
  here.tell({ type: "state", state: { ...EMPTY_SESSION, busy: true } });
  here.play(turn("go"), started("toolu_1", "Agent", "Explore: look"), awaited());
  await here.clock.advance(4_000);
  const call = here.lines.find((line) => line.includes("Explore: look")) ?? "";
  expect(call).not.toMatch(/\ds/);
  expect(here.lines.at(-2)).toMatch(/a1 Explore {2}look .*4s +18k tok$/);
  expect(here.lines.at(-1)).toContain("working · 4s");
  here.play(awaited({ status: "completed", state: "completed", result: "Nothing sleeps." }));
  await here.clock.advance(1_000);
  expect(here.lines.at(-2)).toMatch(/✓ a1 Explore {2}look +4s +18k tok$/);
  await here.clock.advance(KEPT_MS / 5);
  expect(here.lines.join("\n")).not.toContain("a1");
});

test("a command that began before it became a task keeps its clock, and its end names the exit code first", async () => {
  using here = await taskStage();
  const title = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 1; done; exit 3";
  const startedAt = here.clock.now() - 8_000;
  const shell = shellTask("b1", title, { startedAt });
  here.play(taskEvent("task_started", shell));
  await here.clock.advance(1_000);
  expect(here.lines.at(-2)).toMatch(/◐ b1 shell {2}for i .* 9s *$/);
  here.play(taskEvent("task_ended", { ...shell, status: "failed", state: "failed with exit code 3", exitCode: 3 }));
  await here.clock.advance(1_000);
  expect(here.lines.at(-2)).toMatch(/✗ b1 shell {2}for i .*… · exit code 3 +9s *$/);
});

test("while nothing else runs, a report draws at most four frames a second, and the clock one", async () => {
  using here = await taskStage();
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look")));
  await here.clock.advance(1_000);
  let frames = 0;
  here.stage.controller.screen.subscribe(() => {
    frames += 1;
  });
  for (let at = 1; at <= 40; at += 1) {
    const agent = { type: "Explore", activity: `Read file-${at}.ts`, tokens: 1_000 * at, calls: at };
    here.play(taskEvent("task_changed", agentTask("a1", "Explore", "look", { agent })));
    await here.clock.advance(50);
  }
  expect(frames).toBeGreaterThan(4);
  expect(frames).toBeLessThanOrEqual(11);
  frames = 0;
  for (let at = 1; at <= 40; at += 1) await here.clock.advance(50);
  expect(frames).toBeLessThanOrEqual(3);
});

test("the row of a call does not repeat what the strip shows of its agent", async () => {
  using here = await taskStage();
  here.play({ type: "turn_started", prompt: "go", message: { role: "user", id: "u", content: [] } });
  const use = { type: "tool_use", id: "call", name: "Agent", input: {} } as const;
  here.play({ type: "tool_started", use, title: "Explore: look", level: "read" });
  const progress = { tail: ["Grep x · 18k tokens"], totalLines: 1, bytes: 0, elapsedMs: 1 };
  here.play({ type: "tool_progress", toolUseId: "call", progress });
  await here.clock.advance(1_000);
  expect(here.lines.join("\n")).toContain("18k tokens");
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look", { toolUseId: "call", isBackground: false })));
  await here.clock.advance(1_000);
  expect(here.lines.join("\n")).not.toContain("18k tokens");
  expect(here.lines.join("\n")).toContain("18k tok");
});

test("a list below the prompt takes the place of the strip", async () => {
  using here = await taskStage();
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look")));
  here.stage.type("?");
  await here.clock.advance(1_000);
  expect(here.lines.join("\n")).not.toContain("a1 Explore");
  here.stage.type("?");
  await here.clock.advance(1_000);
  expect(here.lines.join("\n")).toContain("a1 Explore");
});

test("a command that an agent started stands below the agent, as a branch", async () => {
  using here = await taskStage();
  const agent = { agentId: "agent-1", type: "Explore", activity: "thinking", tokens: 1_000, calls: 1 };
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look")));
  here.play(taskEvent("task_changed", agentTask("a1", "Explore", "look", { agent })));
  here.play(taskEvent("task_started", agentTask("a2", "Plan", "plan")));
  const shell = shellTask("b1", "npm run dev", { agentId: "agent-1", parentAgentId: "main" });
  here.play(taskEvent("task_started", shell));
  await here.clock.advance(1_000);
  const at = here.lines.findIndex((line) => line.startsWith("› "));
  const rows = () => here.lines.slice(at + 1, -1).map((line) => line.trim().split(/\s+/).slice(0, 4).join(" "));
  expect(rows()).toEqual(["◐ a1 Explore look", "└ ◐ b1 shell", "◐ a2 Plan plan"]);
  here.play(taskEvent("task_started", { ...shell, id: "b2" }));
  const inner = { ...agent, agentId: "agent-3" };
  here.play(
    taskEvent(
      "task_started",
      agentTask("a3", "Plan", "x", { agentId: "agent-1", parentAgentId: "main", agent: inner }),
    ),
    taskEvent("task_started", { ...shell, id: "b3", agentId: "agent-3", parentAgentId: "agent-1" }),
  );
  await here.clock.advance(1_000);
  expect(rows().slice(0, 5)).toEqual([
    ...["◐ a1 Explore look", "├ ◐ b1 shell", "├ ◐ b2 shell"],
    ...["└ ◐ a3 Explore", "└ ◐ b3 shell"],
  ]);
});

test("of many agents the most active are shown, with the number of the others and of those that run", async () => {
  using here = await taskStage({ columns: 80, rows: 24 });
  for (let at = 1; at <= 8; at += 1) here.play(taskEvent("task_started", agentTask(`a${at}`, "Explore", "look")));
  here.play(taskEvent("task_changed", agentTask("a8", "Explore", "look", { status: "queued", state: "is queued" })));
  await here.clock.advance(30_000);
  const shown = () => here.lines.flatMap((line) => /a\d(?= Explore)/.exec(line) ?? []);
  expect(shown()).toEqual(["a1", "a2", "a3", "a4", "a5"]);
  here.play(taskEvent("task_changed", agentTask("a7", "Explore", "look")));
  const asking = { type: "Explore", activity: "waits for your answer", isAsking: true, tokens: 1, calls: 1 };
  here.play(taskEvent("task_changed", agentTask("a6", "Explore", "look", { agent: asking })));
  await here.clock.advance(1_000);
  expect(shown()).toEqual(["a1", "a2", "a3", "a6", "a7"]);
  expect(here.lines.at(-2)).toBe("  +3 more, 2 running");
  // One that waits for the person stays, however long.
  await here.clock.advance(30_000);
  expect(shown()).toEqual(["a1", "a2", "a3", "a4", "a6"]);
});

test("an agent that is done tells the first line of its answer", async () => {
  using here = await taskStage();
  here.play(taskEvent("task_started", agentTask("a1", "Explore", "look")));
  const ended = { status: "completed", state: "completed · 3 requests", result: "Two tests sleep." } as const;
  here.play(taskEvent("task_ended", agentTask("a1", "Explore", "look", ended)));
  await here.clock.advance(1_000);
  expect(here.lines.at(-2)).toMatch(/✓ a1 Explore {2}look · Two tests sleep\. +0s +18k tok$/);
});
