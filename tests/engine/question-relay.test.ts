import { expect, test } from "bun:test";
import type { EngineEvent } from "../../src/contracts/event.ts";
import type { Question } from "../../src/contracts/question.ts";
import type { Waiting } from "../../src/engine/input-queue.ts";
import { QuestionRelay } from "../../src/engine/question-relay.ts";
import { OpenQuestions } from "../../src/protocol/open-questions.ts";
import { countedIds } from "../support/engine-harness.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { questionOf } from "../support/question.ts";
import { agentTask } from "../support/shown-tasks.ts";

const PREVIEW = { kind: "text", text: "" } as const;

function asked() {
  const questions = new OpenQuestions(countedIds());
  const asking = new Map<string, AbortController>();
  const clock = fakeClock();
  const events: EngineEvent[] = [];
  const tasks = [true, false].map((isBackground) =>
    agentTask(isBackground ? "a1" : "a2", "Plan", "plan", {
      isBackground,
      agent: { agentId: isBackground ? "later" : "now", type: "Plan", activity: "", tokens: 0, calls: 0 },
    }),
  );
  const ports = { toolPorts: { tasks: { list: () => tasks } } };
  const inputs: Waiting[] = [];
  const deps = { questions, clock, ids: countedIds(), agent: { agentId: "main" }, ...ports };
  const queue = { add: (waiting: Waiting) => void inputs.push(waiting) };
  const relay = new QuestionRelay(deps, queue, (event) => void events.push(event));
  /** From now on these questions are open: others are withdrawn. */
  const become = (...ids: string[]) => {
    for (const { id } of questions.pending) if (!ids.includes(id)) asking.get(id)?.abort();
    const fresh = ids.filter((id) => !questions.pending.some((one) => one.id === id));
    for (const id of fresh) ask(questionOf({ id, toolUseId: `call-${id}`, preview: PREVIEW }));
  };
  const ask = (question: Question) => {
    const controller = new AbortController();
    asking.set(question.id, controller);
    void questions.ask(question, controller.signal);
  };
  /** Another agent asks. */
  const asks = (agentId: string) => ask(questionOf({ agentId, parentAgentId: "main", preview: PREVIEW }));
  const told = () =>
    events.splice(0).map((event) => {
      if (event.type === "question_asked") return `asked ${event.question.id}`;
      return event.type === "question_settled" ? `settled ${event.id}` : event.type;
    });
  return { relay, questions, become, asks, told, events, inputs, clock };
}

test("each question is reported once when it opens and once when it closes, in any order", () => {
  const { become, told } = asked();
  become("a");
  expect(told()).toEqual(["asked a"]);
  become("a", "b", "c");
  expect(told()).toEqual(["asked b", "asked c"]);
  become("c", "d");
  expect(told()).toEqual(["settled a", "settled b", "asked d"]);
  become("c", "d");
  expect(told()).toEqual([]);
  become();
  expect(told()).toEqual(["settled c", "settled d"]);
});

test("closed, it listens no more", () => {
  const { relay, become, told } = asked();
  relay.close();
  become("a");
  expect(told()).toEqual([]);
});

test("an answer with more than a yes is reported with the end of its question", () => {
  const { questions, become, events } = asked();
  become("a", "b", "c");
  events.splice(0);
  questions.reply("a", { decision: "reject", message: "use bun" });
  questions.reply("b", { decision: "once" });
  become();
  expect(events).toEqual([
    {
      type: "question_settled",
      id: "a",
      toolUseId: "call-a",
      answer: { kind: "refused", preview: PREVIEW, reason: "use bun" },
    },
    { type: "question_settled", id: "b", toolUseId: "call-b" },
    { type: "question_settled", id: "c", toolUseId: "call-c" },
  ]);
});

test("the time of a call is without the time that its question waited", async () => {
  const { relay, become, clock } = asked();
  const finished = (id: string): EngineEvent => ({
    type: "tool_finished",
    result: { type: "tool_result", toolUseId: `call-${id}`, content: "", isError: false },
    durationMs: 5_000,
  });
  relay.startTurn();
  become("a");
  await clock.advance(1_000);
  become("a", "b");
  await clock.advance(3_000);
  become();
  expect(relay.withoutWait(finished("a"))).toMatchObject({ durationMs: 1_000 });
  expect(relay.withoutWait(finished("b"))).toMatchObject({ durationMs: 2_000 });
  expect(relay.withoutWait(finished("c"))).toMatchObject({ durationMs: 5_000 });
  expect(relay.turnWaitedMs).toBe(4_000);
  relay.startTurn();
  expect(relay.turnWaitedMs).toBe(0);
});

test.each([
  ["later", 0],
  ["now", 500],
])("a turn does not wait for a question of an agent in the background: %s", async (agentId, waitedMs) => {
  const { relay, asks, become, clock } = asked();
  relay.startTurn();
  asks(agentId);
  await clock.advance(500);
  become();
  expect(relay.turnWaitedMs).toBe(waitedMs);
});

test("words with a yes become an input of the asking agent's turn, and empty words none", () => {
  const { questions, become, asks, inputs } = asked();
  become("a", "b", "c");
  asks("later");
  questions.reply("a", { decision: "session", message: " then run the linter " });
  questions.reply("b", { decision: "once", message: " " });
  questions.reply("c", { decision: "reject", message: "use bun" });
  for (const { id } of questions.pending) questions.reply(id, { decision: "once", message: "for the other agent" });
  const heard = inputs.map(({ when, input }) => ({ when, ...input }));
  expect(heard).toEqual([
    { when: "steer", typed: "then run the linter", prompt: expect.stringContaining("then run the linter") },
  ]);
  expect(heard[0]?.prompt).toContain("Bash");
});
