import { expect, test } from "bun:test";
import { PermissionBroker } from "../../../../src/services/permission/question/broker.ts";
import { questionOf } from "../../../support/question.ts";

const question = (id: string) => questionOf({ id, toolUseId: `use-${id}` });
const never = () => new AbortController().signal;

test("the first reply wins; later replies and unknown ids are reported as such", async () => {
  const broker = new PermissionBroker();
  const answer = broker.ask(question("a"), never());
  expect(broker.reply("b", { decision: "once" })).toBe(false);
  expect(broker.reply("a", { decision: "reject", message: "no" })).toBe(true);
  expect(broker.reply("a", { decision: "always" })).toBe(false);
  expect(await answer).toEqual({ decision: "reject", message: "no" });
});

test("several questions wait in their order and are answered by id", async () => {
  const broker = new PermissionBroker();
  const first = broker.ask(question("a"), never());
  const second = broker.ask(question("b"), never());
  expect(broker.pending.map(({ id }) => id)).toEqual(["a", "b"]);
  broker.reply("b", { decision: "session" });
  expect(await second).toEqual({ decision: "session" });
  expect(broker.pending.map(({ id }) => id)).toEqual(["a"]);
  broker.reply("a", { decision: "once" });
  expect(await first).toEqual({ decision: "once" });
});

test("an abort is a no, before or after the question was asked", async () => {
  const broker = new PermissionBroker();
  const controller = new AbortController();
  const answer = broker.ask(question("a"), controller.signal);
  controller.abort();
  expect(await answer).toEqual({ decision: "reject" });
  expect(await broker.ask(question("b"), controller.signal)).toEqual({ decision: "reject" });
  expect(broker.pending).toEqual([]);
  expect(broker.reply("a", { decision: "once" })).toBe(false);
});

test("listeners receive each change until they unsubscribe, even during a notification", async () => {
  const broker = new PermissionBroker();
  const heard: number[] = [];
  const leave = broker.subscribe(() => {
    heard.push(broker.pending.length);
    if (broker.pending.length === 2) leave();
  });
  let others = 0;
  broker.subscribe(() => {
    others += 1;
  });
  broker.ask(question("a"), never());
  broker.ask(question("b"), never());
  broker.reply("a", { decision: "once" });
  expect([heard, others]).toEqual([[1, 2], 3]);
});

test("a service's own question gets an answer, or a no at once when nobody can answer", async () => {
  let count = 0;
  const broker = new PermissionBroker({ next: () => `own${++count}` });
  const { title, body } = question("x");
  const asked = { title, body };
  const answer = broker.asker(true).ask(asked, never());
  expect(broker.pending).toEqual([{ ...asked, id: "own1", agentId: "main", parentAgentId: null }]);
  broker.reply("own1", { decision: "session" });
  expect(await answer).toEqual({ decision: "session" });

  const nobody = broker.asker(false);
  expect([nobody.canAsk, await nobody.ask(asked, never()), broker.pending.length]).toEqual([
    false,
    { decision: "reject" },
    0,
  ]);
  expect(await broker.asker(true).ask(asked, AbortSignal.abort())).toEqual({ decision: "reject" });
});
