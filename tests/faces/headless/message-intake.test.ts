import { describe, expect, test } from "bun:test";
import type { QueueTime } from "../../../src/contracts/event.ts";
import { MAX_WAITING, MAX_WAITING_BYTES, MessageIntake } from "../../../src/faces/headless/message-intake.ts";
import type { ClientMessage } from "../../../src/faces/headless/read-input.ts";
import { countedIds } from "../../support/engine-harness.ts";
import { programSession } from "../../support/program-session.ts";
import { scriptedEngine } from "../../support/scripted-engine.ts";

const message = (prompt: string, when: QueueTime = "next"): ClientMessage => ({
  ...{ kind: "message", id: prompt, words: prompt, prompt, attachments: [], when },
  ...{ beginsTurn: true, raw: {} },
});

/** An intake whose first turn runs until `free` is called. */
function intake() {
  const first = Promise.withResolvers<void>();
  const done: string[] = [];
  const problems: string[] = [];
  const { engine } = scriptedEngine({
    async script({ prompt }) {
      if (done.length === 0) await first.promise;
      done.push(prompt);
    },
  });
  const session = programSession(engine);
  const queue = new MessageIntake({
    ids: countedIds(),
    taken: () => undefined,
    reportProblem: (problem) => void problems.push(problem),
  });
  session.subscribe((told) => {
    if (told.type === "engine") queue.note(told.event);
    if (told.type === "begun") queue.begin(told.id);
    if (told.type === "answered") queue.end();
  });
  queue.open({ engine, session });
  const say = (prompt: string, when?: QueueTime, bytes = 1) => queue.take(message(prompt, when), bytes);
  const job = (name: string) => ({
    run: async () => void done.push(name),
    dropped: () => void done.push(`${name} dropped`),
  });
  return { queue, engine, done, problems, say, job, free: first.resolve };
}

describe("the messages of a program", () => {
  test("are done one after another, in order; those for later come behind what comes meanwhile", async () => {
    const { queue, done, say, free } = intake();
    say("a");
    say("later", "later");
    say("never", "later");
    say("b");
    expect(queue.ids).toEqual(["b", "later", "never"]);
    expect(queue.drop("never")).toBe(true);
    free();
    await queue.settled();
    expect(done).toEqual(["a", "b", "later"]);
    await queue.settled();
  });

  test("can be taken back by their ids, as long as they wait; jobs stay until the session ends", async () => {
    const { queue, done, say, job, free } = intake();
    for (const name of ["a", "b"]) say(name);
    queue.add(job("change"));
    say("c");
    expect([queue.drop("b"), queue.drop("b"), queue.drop("nobody")]).toEqual([true, false, false]);
    expect(queue.clear()).toEqual(["c"]);
    free();
    await queue.settled();
    expect(done).toEqual(["a", "change"]);
  });

  test("are dropped with the jobs when the session ends", async () => {
    const { queue, done, say, job, free } = intake();
    for (const name of ["a", "b"]) say(name);
    queue.add(job("change"));
    expect(queue.clear({ all: true })).toEqual(["b"]);
    free();
    await queue.settled();
    expect(done).toEqual(["change dropped", "a"]);
  });

  test("are bounded in number and in size, and room comes back", async () => {
    const { queue, done, problems, say, free } = intake();
    for (let n = 0; n <= MAX_WAITING; n += 1) say(`${n}`);
    expect(problems).toEqual([]);
    say("too many");
    expect(problems).toHaveLength(1);
    free();
    await queue.settled();
    expect(done).toHaveLength(MAX_WAITING + 1);
    const other = intake();
    other.say("runs");
    other.say("large", "next", MAX_WAITING_BYTES);
    other.say("more");
    expect(other.problems).toHaveLength(1);
    other.queue.drop("large");
    other.say("more");
    expect(other.problems).toHaveLength(1);
    other.free();
    await other.queue.settled();
  });

  test("begin after an interrupted turn that the engine started by itself", async () => {
    const { queue, engine, done, say, free } = intake();
    free();
    const own = engine.runShell("sleep");
    say("mine");
    engine.interrupt();
    await own;
    await queue.settled();
    expect(done).toEqual(["mine"]);
  });
});
