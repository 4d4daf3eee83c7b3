import { expect, test } from "bun:test";
import { AgentMailbox } from "../../../src/app/agent/agent-mailbox.ts";
import type { AgentMessage, TaskStatus } from "../../../src/contracts/task.ts";
import { agentTask } from "../../support/shown-tasks.ts";

/** A task of an agent; the messages with which it was continued. */
function task(id: string) {
  const continued: AgentMessage[] = [];
  return {
    info: agentTask(id, "Explore", "look"),
    continued,
    set status(status: TaskStatus) {
      this.info = { ...this.info, status };
    },
    continueWith(message: AgentMessage) {
      continued.push(message);
      return agentTask(`${id}+`, "Explore", "look");
    },
  };
}

test("messages wait for an agent that does not read yet, and then reach it in their order", () => {
  const first = task("a1");
  const box = new AgentMailbox(first);
  expect(["one", "two"].map((message) => box.send({ message }).id)).toEqual(["a1", "a1"]);
  const read: string[] = [];
  const reader = (message: string) => read.push(message) > 0;
  expect(box.open(reader)).toEqual(["one", "two"]);
  box.send({ message: "three" });
  box.close();
  box.send({ message: "four" });
  expect([read, box.takeUnread(first)]).toEqual([["three"], ["four"]]);
});

test("a message that no turn takes waits", () => {
  const first = task("a1");
  const box = new AgentMailbox(first);
  box.open(() => false);
  box.send({ message: "late" });
  expect(box.takeUnread(first)).toEqual(["late"]);
});

test("an agent that has ended continues with the message, and the task before it takes none of its messages", () => {
  const [first, second] = [task("a1"), task("a2")];
  const box = new AgentMailbox(first);
  first.status = "completed";
  expect(box.send({ message: "more", description: "look again" }).id).toBe("a1+");
  expect(first.continued).toEqual([{ message: "more", description: "look again" }]);
  box.moveTo(second);
  expect(box.send({ message: "next" }).id).toBe("a2");
  expect([box.takeUnread(first), box.takeUnread(second)]).toEqual([[], ["next"]]);
});
