import { describe, expect, test } from "bun:test";
import type { Question } from "../../src/contracts/question.ts";
import { randomIds } from "../../src/platform/clock.ts";
import { OpenQuestions } from "../../src/protocol/open-questions.ts";
import { questionOf } from "../support/question.ts";

const question = (id: string) => questionOf({ id, toolUseId: `use-${id}` });
const never = () => new AbortController().signal;

test("the first reply wins; later replies and unknown ids are reported as such", async () => {
  const questions = new OpenQuestions(randomIds);
  const answer = questions.ask(question("a"), never());
  expect(questions.reply("b", { decision: "once" })).toBe(false);
  expect(questions.reply("a", { decision: "reject", message: "no" })).toBe(true);
  expect(questions.reply("a", { decision: "always" })).toBe(false);
  expect(await answer).toEqual({ decision: "reject", message: "no" });
});

test("several questions wait in their order and are answered by id", async () => {
  const questions = new OpenQuestions(randomIds);
  const first = questions.ask(question("a"), never());
  const second = questions.ask(question("b"), never());
  expect(questions.pending.map(({ id }) => id)).toEqual(["a", "b"]);
  questions.reply("b", { decision: "session" });
  expect(await second).toEqual({ decision: "session" });
  expect(questions.pending.map(({ id }) => id)).toEqual(["a"]);
  questions.reply("a", { decision: "once" });
  expect(await first).toEqual({ decision: "once" });
});

test("an abort is a no, before or after the question was asked", async () => {
  const questions = new OpenQuestions(randomIds);
  const controller = new AbortController();
  const answer = questions.ask(question("a"), controller.signal);
  controller.abort();
  expect(await answer).toEqual({ decision: "reject" });
  expect(await questions.ask(question("b"), controller.signal)).toEqual({ decision: "reject" });
  expect(questions.pending).toEqual([]);
  expect(questions.reply("a", { decision: "once" })).toBe(false);
});

test("listeners receive each change until they unsubscribe, even during a notification", async () => {
  const questions = new OpenQuestions(randomIds);
  const heard: number[] = [];
  const leave = questions.subscribe(() => {
    heard.push(questions.pending.length);
    if (questions.pending.length === 2) leave();
  });
  let others = 0;
  questions.subscribe(() => {
    others += 1;
  });
  questions.ask(question("a"), never());
  questions.ask(question("b"), never());
  questions.reply("a", { decision: "once" });
  expect([heard, others]).toEqual([[1, 2], 3]);
});

test("a service's own question gets an answer, or a no at once when nobody can answer", async () => {
  let count = 0;
  const questions = new OpenQuestions({ next: () => `own${++count}` }, "person");
  const { title, body } = question("x");
  const asked = { title, body };
  const answer = questions.asker().ask(asked, never());
  expect(questions.pending).toEqual([{ ...asked, id: "own1", agentId: "main", parentAgentId: null }]);
  questions.reply("own1", { decision: "session" });
  expect(await answer).toEqual({ decision: "session" });

  expect(await questions.asker().ask(asked, AbortSignal.abort())).toEqual({ decision: "reject" });
  const unanswered = new OpenQuestions(randomIds, "nobody");
  const nobody = unanswered.asker();
  expect([nobody.canAsk, await nobody.ask(asked, never()), unanswered.pending]).toEqual([
    false,
    { decision: "reject" },
    [],
  ]);
});

test("a question for a person is rejected at once when a program or nobody answers", async () => {
  const { title, body } = question("x");
  const asks = (by?: "person" | "program" | "nobody") => {
    const questions = new OpenQuestions(randomIds, by);
    return [questions.asker().canAsk, questions.personAsker().canAsk];
  };
  expect([asks("person"), asks("program"), asks("nobody"), asks()]).toEqual([
    [true, true],
    [true, false],
    [false, false],
    [false, false],
  ]);
  const questions = new OpenQuestions(randomIds, "program");
  expect(await questions.personAsker().ask({ title, body }, never())).toEqual({ decision: "reject" });
  expect(questions.pending).toEqual([]);
});

describe("several answerers", () => {
  /** Answers when it is told to. */
  function answerer(questions: OpenQuestions) {
    const asked: { readonly question: Question; readonly signal: AbortSignal }[] = [];
    const leave = questions.answerWith(async (question, signal) => void asked.push({ question, signal }));
    const ids = () => asked.map(({ question: { id } }) => id);
    return { asked, ids, leave };
  }

  test("each get every question; the first reply wins, and the others learn that it is settled", async () => {
    const questions = new OpenQuestions(randomIds);
    const [screen, program] = [answerer(questions), answerer(questions)];
    const answer = questions.ask(question("a"), never());
    const other = questions.ask(question("b"), never());
    expect([screen.ids(), program.ids()]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(questions.reply("a", { decision: "once" })).toBe(true);
    expect(questions.reply("a", { decision: "reject" })).toBe(false);
    expect(await answer).toEqual({ decision: "once" });
    const open = ({ asked }: ReturnType<typeof answerer>) => asked.map(({ signal }) => !signal.aborted);
    expect([open(screen), open(program)]).toEqual([
      [false, true],
      [false, true],
    ]);
    questions.reply("b", { decision: "once" });
    await other;
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("count as a no if one %s, and the question is no longer open for the others", async (_, fail) => {
    const questions = new OpenQuestions(randomIds);
    questions.answerWith(fail);
    const other = answerer(questions);
    expect(await questions.ask(question("a"), never())).toMatchObject({
      decision: "reject",
      message: expect.stringContaining("broken"),
    });
    expect([questions.pending, other.asked.every(({ signal }) => signal.aborted)]).toEqual([[], true]);
    expect(questions.reply("a", { decision: "once" })).toBe(false);
  });

  test("may join late, get what is open, and leave without an answer", async () => {
    const questions = new OpenQuestions(randomIds);
    const answer = questions.ask(question("a"), never());
    const late = answerer(questions);
    expect(late.ids()).toEqual(["a"]);
    late.leave();
    expect(late.asked[0]?.signal.aborted).toBe(true);
    void questions.ask(question("b"), never());
    expect(late.ids()).toEqual(["a"]);
    expect(questions.pending.map(({ id }) => id)).toEqual(["a", "b"]);
    questions.reply("a", { decision: "session" });
    expect(await answer).toEqual({ decision: "session" });
  });

  test("that are told of a question in the middle of others' changes get each question once", async () => {
    const questions = new OpenQuestions(randomIds);
    questions.subscribe((change) => {
      if (change.type === "asked") questions.reply(change.question.id, { decision: "once" });
    });
    const quick = answerer(questions);
    expect(await questions.ask(question("a"), never())).toEqual({ decision: "once" });
    expect(quick.ids()).toEqual([]);
  });
});

test("a change names the reply, unless the question was withdrawn", () => {
  const questions = new OpenQuestions(randomIds);
  const changes: string[] = [];
  questions.subscribe((change) => {
    const reply = change.type === "settled" ? ` ${change.reply?.decision ?? "withdrawn"}` : "";
    changes.push(`${change.type} ${change.question.id}${reply}`);
  });
  const abort = new AbortController();
  void questions.ask(question("a"), abort.signal);
  void questions.ask(question("b"), never());
  abort.abort();
  questions.reply("b", { decision: "reject" });
  expect(changes).toEqual(["asked a", "asked b", "settled a withdrawn", "settled b reject"]);
});
