import { expect, test } from "bun:test";
import { AgentActivity } from "../../../src/app/agent/agent-activity.ts";

test("an agent that asks says what it waits for until the question is settled, then what it did before", () => {
  let nowMs = 0;
  const told: string[] = [];
  const activity = new AgentActivity(
    () => nowMs,
    () => told.push(activity.doing),
  );
  const note = (sign: Parameters<AgentActivity["note"]>[0]) => {
    nowMs += 1_000;
    activity.note(sign);
  };
  note({ kind: "call", toolName: "Bash", title: "npm test" });
  note({ kind: "question", id: "q", text: "Which\ndatabase?" });
  note({ kind: "words", text: "", tokens: 900 });
  expect(activity.isAsking).toBe(true);
  note({ kind: "settled", id: "q" });
  activity.end();
  expect(activity.isAsking).toBe(false);
  expect(told).toEqual([
    "Bash npm test",
    "waits for your answer: Which database?",
    "waits for your answer: Which database?",
    "Bash npm test",
  ]);
});
