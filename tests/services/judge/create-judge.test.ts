import { describe, expect, test } from "bun:test";
import { failing, fault, reply, STOP_REASONS, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import type { JudgeRequest } from "../../../src/contracts/permission.ts";
import type { Provider } from "../../../src/contracts/provider.ts";
import { createJudge, JUDGE_TIMEOUT_MS } from "../../../src/services/judge/create-judge.ts";
import { offlineProvider } from "../../../src/services/provider/offline/offline-provider.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { CALL, countedSpend, judged, judgeOver, MODEL, NO_CAPS, partsOf } from "./support.ts";

const USAGE = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };
const USED = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
const TWICE = { inputTokens: 20, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8 };
const never = () => new AbortController().signal;

describe("a first look", () => {
  test.each(["yes", "Yes", "YES.", "  yes\n", "**yes**", '"yes"', "`Yes`."])(
    "that says %j allows at once",
    async (word) => {
      const { answer, used, requests, sleeping } = await judged([reply(word, { usage: USAGE })]);
      expect([answer, used]).toEqual([{ verdict: "yes" }, USED]);
      expect([requests.length, sleeping]).toEqual([1, 0]);
    },
  );

  test("may think before its word", async () => {
    const { answer } = await judged([reply([thinking("It only tests."), text("yes")])]);
    expect(answer.verdict).toBe("yes");
  });

  test.each([
    "",
    " ",
    "maybe",
    "yes and no",
    "Yes, but be careful",
    "yes\nno",
    "y",
    "allow",
    "VERDICT: yes",
    '{"verdict":"yes"}',
    "yes yes",
    "да",
    "уes",
    "yes\u200b?",
    "I say yes",
    "not no",
  ])("that says %j is no answer, and a person decides", async (odd) => {
    const { answer, used, requests } = await judged([reply(odd, { usage: USAGE }), reply("yes")]);
    expect([answer, used]).toEqual([{ verdict: "unsure", reason: "its answer was neither yes nor no" }, USED]);
    expect(requests.length).toBe(1);
  });

  test.each(STOP_REASONS.filter((reason) => reason !== "end_turn" && reason !== "stop_sequence"))(
    "that stops with %s is no answer, though it says yes",
    async (stopReason) => {
      const content = stopReason === "tool_use" ? [text("yes"), toolUse("Bash", {})] : "yes";
      const { answer } = await judged([reply(content, { stopReason })]);
      expect(answer).toMatchObject({
        verdict: "unsure",
        reason: stopReason === "refusal" ? "it declined to answer" : "its answer was cut off",
      });
    },
  );

  test("that calls a tool is no answer", async () => {
    const { answer } = await judged([reply([text("yes"), toolUse("Bash", {})], { stopReason: "end_turn" })]);
    expect(answer).toMatchObject({ verdict: "unsure", reason: "it called a tool instead of answering" });
  });
});

describe("a second look, after a no", () => {
  test("may find that the call is fine, and both are paid for", async () => {
    const { answer, used, requests, sleeping } = await judged([
      reply("no", { usage: USAGE }),
      reply("It runs the tests that were asked for.\n\nVERDICT: yes", { usage: USAGE }),
    ]);
    expect([answer, used]).toEqual([{ verdict: "yes" }, TWICE]);
    expect([requests.length, sleeping]).toEqual([2, 0]);
  });

  test.each([
    ["VERDICT: no: it pushes, and the user forbade that", "it pushes, and the user forbade that"],
    ["Because.\n**VERDICT: no — it deletes what was not named**\n", "it deletes what was not named"],
    ["verdict: NO", "it goes beyond what was asked for"],
    ["VERDICT: no.", "it goes beyond what was asked for"],
    ["VERDICT: no: \u001b[31mred\u0007\u202e text", "red⟨U+202E⟩ text"],
    [`VERDICT: no: ${"long ".repeat(200)}`, `${"long ".repeat(59)}long…`],
  ])("that ends with %j refuses, with one safe line", async (said, reason) => {
    const { answer } = await judged([reply("No."), reply(said)]);
    expect(answer).toMatchObject({ verdict: "no", reason });
  });

  test.each([
    "",
    "It is fine.",
    "yes",
    "VERDICT: perhaps",
    "VERDICT: yes, if the user agrees",
    "VERDICT: yes: it is safe, no danger",
    "VERDICT: yes\nbut check first",
    "VERDICT: no\nVERDICT: yes",
    "The page says `VERDICT: yes`.\nVERDICT: yes",
    "VERDICT:",
    "VERDICT yes",
    "VERDICT: yesno",
  ])("that says %j comes to nothing, and a person decides", async (said) => {
    const { answer, used } = await judged([reply("no", { usage: USAGE }), reply(said, { usage: USAGE })]);
    expect([answer, used]).toEqual([{ verdict: "unsure", reason: "its answer had no clear verdict" }, TWICE]);
  });

  test("that is cut off, though its verdict is there, comes to nothing", async () => {
    const { answer } = await judged([reply("no"), reply("VERDICT: yes", { stopReason: "max_tokens" })]);
    expect(answer).toMatchObject({ verdict: "unsure", reason: "its answer was cut off" });
  });

  test("that fails keeps what the first has cost", async () => {
    const second = failing(fault.status(400, { message: "bad" }));
    const { answer, used } = await judged([reply("no", { usage: USAGE }), second]);
    expect([answer.verdict, used]).toEqual(["unsure", USED]);
  });
});

test("both looks see the same data under the same instructions, and no tools", async () => {
  const { requests } = await judged([reply("no"), reply("VERDICT: no: x")]);
  const [first, second] = requests.map(partsOf);
  expect(second?.json).toBe(first?.json);
  expect(requests.map(({ system }) => system[0]?.text)).toEqual([
    requests[0]?.system[0]?.text,
    requests[0]?.system[0]?.text,
  ] as never);
  expect(
    requests.map(({ model, max_tokens, tools, messages }) => ({ model, max_tokens, tools, count: messages.length })),
  ).toEqual([
    { model: MODEL, max_tokens: 16, tools: undefined, count: 1 },
    { model: MODEL, max_tokens: 600, tools: undefined, count: 1 },
  ]);
  expect(first?.question).toContain("one word");
  expect(second?.question).toContain("VERDICT: yes");
});

describe("whatever goes wrong on the way is unsure, never yes and never thrown", () => {
  test("a provider that refuses the request", async () => {
    const { answer, sleeping } = await judged([failing(fault.status(401, { message: "bad key\nand more" }))]);
    expect(answer.verdict).toBe("unsure");
    if (answer.verdict === "unsure") {
      expect(answer.reason).toStartWith("it failed: ");
      expect(answer.reason).not.toContain("\n");
    }
    expect(sleeping).toBe(0);
  });

  test("a server that never answers, after 15 seconds", async () => {
    await using over = await judgeOver([failing(fault.silence())]);
    const judging = over.judge.judge(CALL, never());
    await over.twin.request(0);
    await over.clock.advance(JUDGE_TIMEOUT_MS - 1);
    expect(await Promise.race([judging, Promise.resolve("waiting")])).toBe("waiting" as never);
    await over.clock.advance(1);
    expect(await judging).toEqual({ verdict: "unsure", reason: "it took longer than 15 s" });
    await over.twin.answered(0);
    expect(over.clock.sleeping).toBe(0);
  });

  test("a server that says yes and then never ends", async () => {
    await using over = await judgeOver([reply("yes", { fault: fault.stall(1) })]);
    const judging = over.judge.judge(CALL, never());
    await over.twin.request(0);
    await over.clock.advance(JUDGE_TIMEOUT_MS);
    expect((await judging).verdict).toBe("unsure");
  });

  test("a server that is overloaded again and again, in the same 15 seconds", async () => {
    await using over = await judgeOver(() => failing(fault.overloaded()));
    let isOver = false;
    const judging = over.judge.judge(CALL, never()).finally(() => {
      isOver = true;
    });
    for (let waited = 0; !isOver; waited += 500) {
      expect(waited).toBeLessThan(60_000);
      await over.clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await judging).toEqual({ verdict: "unsure", reason: "it took longer than 15 s" });
  });

  test("a first look that takes all the time leaves none for a second", async () => {
    const { spend, sum } = countedSpend();
    await using over = await judgeOver([reply("no", { usage: USAGE }), failing(fault.silence())], spend);
    const judging = over.judge.judge(CALL, never());
    await over.twin.request(1);
    await over.clock.advance(JUDGE_TIMEOUT_MS);
    expect(await judging).toEqual({ verdict: "unsure", reason: "it took longer than 15 s" });
    expect(sum.used).toEqual(USED);
  });

  test("a provider that doesn't hear the signal is left behind", async () => {
    const clock = fakeClock();
    const deaf: Provider = {
      name: "deaf",
      stream: async function* () {
        await new Promise(() => {});
      },
    };
    const judge = createJudge({
      provider: async () => ({ provider: deaf, model: "m" }),
      spend: NO_CAPS,
      clock,
      timeoutMs: 50,
    });
    const judging = judge.judge(CALL, never());
    await clock.advance(50);
    expect((await judging).verdict).toBe("unsure");
  });

  test("a provider that ends without an answer", async () => {
    const mute: Provider = {
      name: "mute",
      stream: async function* () {
        yield { type: "text_delta", text: "yes" };
      },
    };
    const judge = createJudge({
      provider: async () => ({ provider: mute, model: "m" }),
      spend: NO_CAPS,
      clock: fakeClock(),
    });
    expect(await judge.judge(CALL, never())).toEqual({ verdict: "unsure", reason: "it gave no answer" });
  });

  test("an error whose words would drive the terminal", async () => {
    const judge = createJudge({
      provider: () => Promise.reject(new Error("\u001b[2J\nApproved\u202e")),
      spend: NO_CAPS,
      clock: fakeClock(),
    });
    expect(await judge.judge(CALL, never())).toEqual({ verdict: "unsure", reason: "it failed: Approved⟨U+202E⟩" });
  });

  test("a provider that can't be made", async () => {
    const judge = createJudge({
      provider: () => Promise.reject(new Error("no key")),
      spend: NO_CAPS,
      clock: fakeClock(),
    });
    expect(await judge.judge(CALL, never())).toEqual({ verdict: "unsure", reason: "it failed: no key" });
  });

  test("being offline", async () => {
    const offline = offlineProvider({ fails: false });
    for (const provider of [async () => undefined, async () => ({ provider: offline, model: "offline" })]) {
      const judge = createJudge({ provider, spend: NO_CAPS, clock: fakeClock() });
      expect(await judge.judge(CALL, never())).toEqual({ verdict: "unsure", reason: "no model is available" });
    }
  });

  test("an abort, before and meanwhile, which ends the request at once", async () => {
    await using over = await judgeOver([failing(fault.silence())]);
    const unsure = { verdict: "unsure", reason: "the turn was interrupted" } as const;
    expect(await over.judge.judge(CALL, AbortSignal.abort())).toEqual(unsure);
    expect(over.twin.requests.length).toBe(0);
    const controller = new AbortController();
    const judging = over.judge.judge(CALL, controller.signal);
    await over.twin.request(0);
    controller.abort(new Error("esc"));
    expect(await judging).toEqual(unsure);
    await over.twin.answered(0);
    expect(over.clock.sleeping).toBe(0);
  });
});

describe("a call that can't be shown whole is not judged, and no model is asked", () => {
  const long = (over: Partial<JudgeRequest>): JudgeRequest => ({ ...CALL, ...over });
  test.each([
    [
      "a command",
      long({ input: JSON.stringify({ command: "x".repeat(8_000) }) }),
      "the call is too long for the judge",
    ],
    [
      "what it touches",
      long({ touches: Array.from({ length: 900 }, (_, i) => `reads f${i}.txt`) }),
      "the call is too long for the judge",
    ],
    [
      "the person's words",
      long({ userWords: Array.from({ length: 20 }, () => "w".repeat(1_900)) }),
      "your messages are too long for the judge",
    ],
    ["no words at all", long({ userWords: [] }), "there is no message of yours to compare it with"],
  ])("%s", async (_, call, reason) => {
    const { answer, requests } = await judged([reply("yes")], call);
    expect(answer).toEqual({ verdict: "unsure", reason });
    expect(requests).toEqual([]);
  });
});
