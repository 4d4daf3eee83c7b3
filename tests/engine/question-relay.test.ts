import { expect, test } from "bun:test";
import type { EngineEvent } from "../../src/contracts/event.ts";
import type { Question, Questions } from "../../src/contracts/question.ts";
import { QuestionRelay } from "../../src/engine/question-relay.ts";

function asked() {
  let pending: readonly Question[] = [];
  const listeners = new Set<() => void>();
  const questions: Questions = {
    get pending() {
      return pending;
    },
    reply: () => false,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const events: EngineEvent[] = [];
  const relay = new QuestionRelay(questions, "main", (event) => void events.push(event));
  const become = (...ids: string[]) => {
    pending = ids.map((id) => ({ id, agentId: "main" }) as Question);
    for (const listener of listeners) listener();
  };
  const told = () =>
    events.splice(0).map((event) => {
      if (event.type === "question_asked") return `asked ${event.question.id}`;
      return event.type === "question_settled" ? `settled ${event.id}` : event.type;
    });
  return { relay, become, told, listeners };
}

test("each question is told once when it comes and once when it goes, in whatever order", () => {
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
  const { relay, become, told, listeners } = asked();
  relay.close();
  expect(listeners.size).toBe(0);
  become("a");
  expect(told()).toEqual([]);
});
