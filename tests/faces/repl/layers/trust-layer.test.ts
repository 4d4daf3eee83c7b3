import { describe, expect, test } from "bun:test";
import { decodeKeys, emptyDecoder, flushKeys, type KeyEvent } from "../../../../src/faces/repl/input/decode-keys.ts";
import { GUARD_MS } from "../../../../src/faces/repl/layers/question.ts";
import { approvalQuestion, trustQuestion } from "../../../../src/faces/repl/layers/start-questions.ts";
import { trustKey } from "../../../../src/faces/repl/layers/trust-layer.ts";
import { emptyTrustState, type StartQuestion, type TrustState } from "../../../../src/faces/repl/layers/trust-state.ts";

const ESC = "\u001b";
const TRUST = trustQuestion({ root: "/x", reasons: [], items: [] });
const READY: TrustState = {
  ...emptyTrustState(TRUST, 0),
  preview: { from: 0, maxScroll: 10, rows: 5, anchors: [], isReadable: true, isSeen: true },
};

function press(from: TrustState, nowMs: number, ...pieces: readonly string[]) {
  return pressIn(TRUST, from, nowMs, ...pieces);
}

function pressIn<Choice extends string>(
  question: StartQuestion<Choice>,
  from: TrustState,
  nowMs: number,
  ...pieces: readonly string[]
) {
  let state = from;
  let early = "";
  for (const piece of pieces) {
    const decoded = decodeKeys(emptyDecoder, piece);
    for (const event of [...decoded.events, ...flushKeys(decoded.decoder).events]) {
      const taken = trustKey(event as KeyEvent, { question, state, nowMs });
      state = taken.state;
      early += taken.early ?? "";
      if (taken.answer) return { answer: taken.answer, state, early };
    }
  }
  return { answer: undefined, state, early };
}

describe("whether a folder is trusted", () => {
  test.each([
    [["1"], "session"],
    [["2"], "trust"],
    [["3"], "no"],
    [["0"], "no"],
    [["\r"], "no"],
    [[ESC], "exit"],
    [["\u0003"], "exit"],
    [["\u0004"], "exit"],
    [[`${ESC}[A`, "\r"], "trust"],
    [[`${ESC}[B`, "\r"], "exit"],
    [["\t", "\t", "\r"], "session"],
    [[`${ESC}[Z`, `${ESC}[Z`, "\r"], "session"],
    [["4"], undefined],
    [["11"], undefined],
    [["y"], undefined],
    [["esc"], undefined],
    [[`${ESC}[200~1${ESC}[201~`], undefined],
  ])("keys %j give %p", (keys, answer) => {
    expect(press(READY, GUARD_MS, ...keys).answer).toBe(answer as never);
  });

  test("nothing that comes before it can be read is an answer, and it is handed on as it was typed", () => {
    const typed = press(READY, GUARD_MS - 1, "1", "hi\r", "\u007f", `${ESC}[A`, `${ESC}[200~a\nb${ESC}[201~`, ESC);
    expect([typed.answer, typed.early]).toEqual([undefined, `1hi\r\u007f${ESC}[200~a\nb${ESC}[201~`]);
    // Typing goes on: a rest is waited for.
    expect(press(typed.state, 2 * GUARD_MS - 2, "1").answer).toBeUndefined();
    expect(press(typed.state, 2 * GUARD_MS - 1, "1").answer).toBe("session");
  });

  test("Ctrl+C and Ctrl+D leave at any time", () => {
    expect([press(READY, 0, "\u0003").answer, press(READY, 0, "\u0004").answer]).toEqual(["exit", "exit"]);
  });

  test("an unreadable question accepts no trust, but it can be declined", () => {
    const small = { ...READY, preview: { ...READY.preview, isReadable: false } };
    const at = (key: string) => press(small, GUARD_MS, key).answer;
    expect([at("1"), at("2"), at("3"), at(ESC)]).toEqual([undefined, undefined, "no", "exit"]);
  });

  test("the reasons scroll within their bounds", () => {
    const scroll = (...keys: readonly string[]) => press(READY, GUARD_MS, ...keys).state.scroll;
    const [up, down] = [`${ESC}[5~`, `${ESC}[6~`];
    expect([scroll(down), scroll(" ", "j", "k"), scroll(down, down, down, down), scroll(down, up, up)]).toEqual([
      4, 4, 10, 0,
    ]);
  });
});

describe("whether new content is approved", () => {
  const APPROVAL = approvalQuestion({ root: "/x", reasons: ["starts a"], items: [], hasChangedHook: false });
  const ready = { ...READY, ...emptyTrustState(APPROVAL, 0), preview: READY.preview };

  test.each([true, false])("what a no means for a changed hook is said if there is one: %p", (hasChangedHook) => {
    const { notes } = approvalQuestion({ root: "/x", reasons: ["starts a"], items: [], hasChangedHook });
    expect(notes.join("\n").includes("are refused")).toBe(hasChangedHook);
  });

  test.each([
    [["1"], "approve"],
    [["2"], "no"],
    [["0"], "no"],
    [["\r"], "no"],
    [[ESC], "exit"],
    [["\u0004"], "exit"],
    [[`${ESC}[A`, "\r"], "approve"],
    [["3"], undefined],
  ])("keys %j give %p", (keys, answer) => {
    expect(pressIn(APPROVAL, ready, GUARD_MS, ...keys).answer).toBe(answer as never);
  });

  test("an unreadable question accepts no approval", () => {
    const small = { ...ready, preview: { ...READY.preview, isReadable: false } };
    expect(pressIn(APPROVAL, small, GUARD_MS, "1").answer).toBeUndefined();
  });
});

test("the question says that hooks of another agent's files don't run, with trust or without", () => {
  const { notes } = trustQuestion({ root: "/x", reasons: [], items: [], idleHooks: [".claude/settings.json"] });
  expect(notes.join(" ")).toContain("Hooks in .claude/settings.json don't run");
  expect(TRUST.notes.join(" ")).not.toContain("Hooks");
});
